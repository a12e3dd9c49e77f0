/** What people say about their work, home and money, and what tools for that call it: `words: words they lead to`. */
export const TOOL_EVERYDAY_WORDS = `
"money back" "pay back" reimburse reimbursement: refund; money funds cash: balance payment; charge charged: payment charge invoice
chargeback contest: dispute evidence; discount promo voucher percent: coupon discount promotion; "signed up" signup subscriber: customer user subscriber
membership plan: subscription plan; quote offer estimate: quote; cart basket: cart checkout order; parcel shipped delivery shipping: shipment fulfillment tracking order
crash crashes exception: issue error event; "stack trace": stacktrace issue trace; "root cause": analyze cause; silence snooze quiet: mute silence downtime
maintenance: maintenance downtime; firing triggered: alert monitor triggered; alerts: alert monitor rule; shift rota: schedule override oncall; "on call": oncall schedule
cover covers "take over" "takes over" stand: override schedule; page pager wake: incident page responder; acknowledge ack: incident acknowledge update
cpu ram load: metrics usage stats; board panel: dashboard panel; latency: traces latency metrics; "in review" "in progress" "to do" done: transition status
spent worked hours minutes: worklog time tracking; stopwatch timer: timer time tracking; wiki: page document confluence; mine: assignee user
share access: share permission access; trash bin: trash delete; newsletter: mail email; rule: filter rule; label tag star important unread: label modify flag
appointment standup lunch dinner dentist interview party: event calendar; busy available availability free: freebusy availability free busy
agenda plans: event calendar; postpone reschedule delay "push back" "move back": update reschedule due; rsvp attend: respond invitation response
insecure unsafe vulnerable: security vulnerability advisor scan; definitions typings: types; presigned temporary: presigned temporary; expire ttl: expire expiration lifecycle ttl
wrote written: note search content; diary journal: note daily periodic; today: daily today due; lately recently: recent modified changes; heading section: heading target section
light lights lamp lamps bulb: light turn entity brightness; dim brighter darker: brightness turn light; warm warmer cold colder heat heating cool degrees: temperature climate thermostat
garage door window blinds curtain: cover lock entity state; vacuum fan heater socket plug appliance: entity device turn; "smart home" house home room bedroom kitchen: home entity area
next skip previous pause resume: playback skip next; louder quieter loud mute: volume; speaker headphones tv: device player media playback; listen listened playing: playback track play
band singer album: artist album; cache: cache key; "start with" prefix begin beginning: prefix pattern; healthy: health status; fields: field mapping schema describe
lead opportunity account deal: record object contact; same duplicates identical: merge duplicate; join combine unite: merge; canned: macro; requester: ticket
text sms: sms message send; ring phone dial: call phone; carrier: lookup phone; printing prints output: logs output; inside: exec; "disk space" unused: prune clean
"previous version" "go back": rollback promote revert; expensive costs cost cheap: cost price billing; rain rainy snow sunny wind windy storm umbrella hot weekend outside: forecast weather
pollution smog pollen: air quality; says said spoken: transcript caption; blog article: post article page; approve spam: moderate approve comment; plan preview: plan
"would change": plan diff; statement: query sql; slow: slow explain performance trace; connections: connection process; threads: process
tweet retweet follower followers: tweet post user; like likes: like reaction; headline headlines news: news article search; stock share shares ticker: stock quote price
coin crypto bitcoin: crypto price coin; exchange convert rate: exchange rate currency convert; steps sleep heartbeat workout: activity health sleep
flight flights plane airline: flight search; hotel stay room: hotel booking; restaurant cafe table: places restaurant booking; ride taxi: ride route
zoom call webinar: meeting; recording recordings: recording transcript; minutes: notes transcript; teammate teammates coworker: user member; boss manager: manager user
mistake oops: revert undo reset; broken: error failed status; works working up alive: health status ping; logs: logs events; why: logs details explain
instance vm machine: instance server; function lambda: function invoke; credentials: secret credential token; vault: vault secret note; env environment: environment variable
certificate expiry: certificate; ip: address ip; dns record: dns record; whois registered: domain; buy purchase: purchase buy order; sell: order product
translate: translate translation; spell grammar: grammar; summary summarise: summary; shorten shorter: shorten summary; picture logo icon: image asset icon
layer layout frame mockup: frame node design; colour colors palette: style color variables; font: text style; sketch wireframe: diagram board
presentation: presentation slides; signature sign: signature sign envelope; contract agreement: document agreement; form survey questionnaire: form survey response
answers responses: response submission; vote poll: poll vote; birthday: contact event; groceries shopping: list task; recipe cook meal: recipe
candidate applicant: candidate application; hire job vacancy: job posting; vacation sick: leave absence time off; payslip: payroll; clock punch: time entry attendance
ad ads campaign: campaign ad; keyword seo: keyword search; visitors visits pageviews: analytics report; audience segment: segment audience list; newsletter: campaign
classroom course student: course student; grade grades: grade; homework assignment: assignment; book library: book; paper papers study: paper article search
patient doctor: patient; property flat apartment: property listing; train bus: transit departures; parking: parking; car: vehicle
repository fork: repository fork; flag feature: feature flag; toggle: toggle enable; experiment variant: experiment; schema structure columns: schema describe
backup snapshot: backup snapshot; restore recover: restore; migrate migration: migration; column columns: column migration alter; index: index; dump: export dump
queue message messages: message queue; consume consumer: consumer messages; partition offset: topic; nodes: node; pods: pod; rollout: rollout deployment
vulnerability cve: vulnerability scan; scan: scan; blocked: block firewall; login attempts: audit log login; suspicious: audit log; policy: policy
`;
