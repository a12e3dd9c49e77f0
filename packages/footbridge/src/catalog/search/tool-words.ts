/** What people say, and what tools call it: `words: words they lead to`. Several words in quotes are one. */
export const TOOL_WORDS = `
ticket bug defect: issue ticket; remark reply: comment note reply; "code review": review; repo codebase: repository; project: project
"go to" visit: navigate; "go back": back; picture photo screenshot: image media screenshot; capture: screenshot; film clip: video recording screencast
popup alert confirm: dialog; dropdown: select option; tab window: tabs page; column: field property; row: record; rows: records
people person colleague staff employee: user member employee; team: team member; who: user member; login signin: login authentication
nightly hourly daily weekly monthly night monday tuesday wednesday thursday friday saturday sunday regularly recurring: schedule cron
quota allowance remaining: usage credit limit; again rerun repeat: retry rerun; rollback undo: rollback revert undo reset
duplicate: copy clone; dm: message; mail inbox: email mail message; meeting appointment call: event calendar meeting; invite invitation: attendee event
todo chore: task todo; reminder remind: task reminder todo; drive route way: directions route; far distance: distance; shell terminal: exec command shell
copies instances: replicas scale; crash crashing fail failed failing break broke broken: error failure logs
output: logs output; build: pipeline job build; ci: pipeline build job; green red: status; running: status list
secret password: secret credential; key: key; setting settings preference: configuration config settings; variable: env variable
permission access: member permission role; attach: upload attachment file; export: export download; folder: directory folder; directory: folder
disk local locally machine computer: file filesystem local; text content: content text
remember memorize: observation entity memory; know: knowledge memory; website site webpage: page url web; link: url link
internet online google: web search; price cost spend paying: invoice billing cost balance price; bill billed: invoice bill
customer client supplier vendor: contact customer supplier; lead prospect: contact deal; owe owed debt: payables aged; unpaid overdue: receivables aged invoice
paid pay: payment; company firm: company organization account; chat conversation: chat message channel; room: channel room
emoji thumbs: reaction; spreadsheet sheet: workbook excel worksheet; cell cells: range cell; bold italic font color: format font
slide deck: presentation; document doc notes: document page note; chart graph plot diagram pie: chart; kanban: board
sprint: iteration sprint cycle; epic: epic initiative project; assignee responsible: assignee user; deadline due: due date
wait blocked depends: dependency dependencies; smaller split: subtask; drag: move drag; done tick finished: complete update status
tag: tag label; newest latest: latest recent; history past: log history; difference changed changes: diff changes
progress unfinished: stash draft; later: stash draft later; offline: network offline; phone: mobile device phone; "address book": contact
virtual vm: droplet instance machine; server: server instance droplet node; subdomain hostname: domain record dns; dns: domain record zone
backup: backup snapshot; restore: restore backup; bigger larger resize: resize scale; smaller: resize; restart reboot: restart reboot
block allow port: firewall rule; https ssl tls: certificate; down outage offline: uptime alert; notified notify alert: alert notification monitor
deploy publish ship release: deploy deployment publish release; domain: domain zone; staging production: environment context
switch switches: context switch select checkout flag toggle; container: container pod; shell: exec shell; cluster: cluster; maintenance: cordon drain node
watch monitor track: monitor watch; status state health succeed succeeded: status health execution; run runs: run execution
translate: translation translate; summarize: summary; draw paint: image generate; speech voice: speech audio voice; song music: track playlist audio
subtitle caption: transcript caption; tap press: tap click press; swipe scroll: swipe scroll; enter: type fill; leak: heap snapshot memory
slow speed faster: performance trace explain index; accessibility seo: audit lighthouse; think reason: thinking thought
sum plus: sum add; average total totals: aggregate sum; group: aggregate group; count many: count; flag toggle: flag feature
automation automate: workflow automation rule; automatically: rule automation; "ready made" example: template; holiday vacation: leave
salary wage: payroll; profit loss earnings revenue: profit report; expense: expense bank transaction; fields columns structure: schema fields properties describe
flaky unreliable: flaky; log: log record engagement; call: call engagement; weather temperature: forecast weather; place restaurant shop nearby near: places local search
hours: details; high altitude: elevation; coordinates latitude longitude: geocode; address: geocode address; who's author wrote touched: blame author
protect nobody prevent: protect; conflict: conflict; approve accept ok: approve accept merge; decline reject no: decline reject; merge: merge
hotel flight trip: travel booking; order: order; product item: product item; stock inventory: inventory; refund: refund; subscription: subscription
screen: screen page; record: record recording; pdf: pdf; zip compress: gzip archive zip; unzip: extract; convert: convert; upload: upload put
statistics stats metrics traffic numbers: analytics stats metrics usage; dump: export; space storage size big: size storage; cursor mouse: mouse hover
connection relationship: relation relations association; timesheet worked hours: timesheet; clone: clone; already exists: search; find out: get search
box input textbox: input text fill type; menu: menu; button: click button; form: form fill; cancel: cancel; finished complete: complete close
member join: member user; board: board; sort order: sort; filter where above below: filter find query; ask: query; archive: archive
bucket object: bucket object; queue topic: queue topic; event happened: event events; describe details: describe details; explain: explain
manifest yaml: apply manifest; chart helm: helm chart; release: release; artifact artifacts: artifact artifacts; variables: variable env
watching following subscribe: watch monitor subscription; unsubscribe: subscription; read: read get content; body: body response content
reply respond: reply; forward: forward; draft: draft; attachment attached: attachment; signature: signature; spam junk: junk move
timezone time: time timezone; currency: currency; language: language; location where: location place; map: map; weather: weather
organization organisation: org organization; unsubscribe "opt out" "opted out": subscription unsubscribe topic preferences; purchase bought: purchase transaction order
confirm: approve confirm accept; formal informal polite tone wording reword friendlier: rephrase rewrite tone style; paragraph sentence: text
happy unhappy satisfied feedback: satisfaction rating survey feedback; opening office: business hours; leak leaked leaking: secret leak detected heap
fake pretend stub: mock; internal private: private note internal; payee merchant: transaction payee; budget overspend overspending: budget category
historical ago: history historical past; stale dead unused: status stale unused; everybody everyone: all broadcast audience; bounce bounced bounces: bounce event webhook
duration long length: duration length; coordinates position: coordinates location geocode; nearby around: nearby search category; waves tide sailing surf: marine wave
flood floods: flood river; fire fires: fire wildfire; lightning thunder: lightning; radar satellite: radar imagery; commute: directions travel
standup scrum: iteration sprint; backlog: backlog story issue; story: story issue; label labelled tagged: label tag; reachable: reachable isochrone range
password login: password login credential item; passphrase: password generate; colleague colleagues: member user agent; reply answer: reply response
"standard reply" "saved reply" macro: canned response macro template; faq "help article" "knowledge base": article solution knowledge; sla: sla policy
`;
