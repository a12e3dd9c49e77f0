/** What people talk about in everyday words, and what skills for it say: `words: words they lead to`, as in the other hints. */
export const EVERYDAY_HINTS = `
"black out" "blank out" censor: redact privacy; "check in": status commit; "check out" rave referee: review
"out loud" "read aloud" "speak aloud" narrate: speech voice audio; "spell check": proofread; "step through": debugger breakpoint
"stop at": breakpoint; accent pronounce: speech language; accident: incident; accountant: accounting tax
acronym jargon: glossary documentation; aftermath: postmortem; airline airport plane: travel flight; allergic: medical diet
anchor: navigation link; annotate highlight: markup label; announce: announcement release communication
answerphone voicemail: audio transcription; apologize sorry: customer communication; archive: storage backup; assignee: issue task
astronomy planet: science; attack: security threat; attic carpenter plumber: home renovation; auction: market bidding
audiobook: audio speech book; autocomplete: completion editor; autofill: form browser; bakery bar cafe pub restaurant: places food local
ban: moderation policy; bedtime nap: sleep; beginner newbie: tutorial onboarding introduction; benefit: value copywriting
bet: prediction market; binary: reverse executable; bleed: css layout; blurry crop sharpen: image photo; bold italic: typography format
bookkeeper ledger: accounting; bookmark: link knowledge; bored: repetitive; bounce: conversion email
brainfog overwhelmed: focus productivity; breakfast lunch: meal food; brochure flyer: design graphic print
bruteforce: security authentication; bulb dim lamp lights: light "smart home"; bulk: batch; bullet gist nutshell tldr wrapup: summary
bundle: build size; bus: travel transport; cartoon comic: illustration image; casual formal: tone voice
cctv doorbell webcam: camera video; ceo cfo cto: executive leadership; chargeback: refund payment; chase: "follow up" reminder
chef: recipe; chord orchestra soundtrack tempo: music; citation footnote: reference; classroom pupil teacher: education lesson
clickbait: headline copywriting; clone copycat dupes twin: duplicate; clutter: organize cleanup; cms: content website; coffee: food
collaborator folks: team; collapse: failure; comma spelling typo: grammar proofread editing; commission salesman: sales
compass: navigation map; competitor sentiment: analysis; compliment rant: feedback; concert venue: event; condense: summarize
conference keynote seminar: presentation event; confusing: clarity ux simplify; contest raffle winner: random selection
contributor: "open source" community; convince persuade: copywriting sales pitch; corrupt: recovery repair data; cosmetic: style ui
coupon voucher: discount promotion; courier: shipping delivery tracking; creepy: privacy; crosscheck: verify validation
currency exchange: finance; customer: support; cv: resume job; dad mom mum parents sibling: family; daemon: service background process
deaf: accessibility caption; debt: technical refactor finance; decks: presentation; decode encode: conversion format; decor: design home
decrypt: security; degree teenager textbook tuition: education; delay: latency schedule; dentist: appointment health; dependency: graph
deposit: bank payment; deskjob optician posture: health; detective: investigate; diary: journal notes; dictate: speech transcription
dictionary: language glossary; direction: map route; disease illness sick: medical clinical; dispute: legal customer
dm: message chat social; doodle drawing: sketch illustration; doorway: home; dose medicine pill: medical health
downgrade: rollback version; drag: interface interaction; driver: device; drone: robotics; dump: export heap backup
earthquake flood: disaster climate; ebook: book publishing; elderly: accessibility; elevator: pitch; emoji: unicode text
employer: job hiring; encrypted: encryption security; endorsement testimonial: marketing customer; engineer: technical
enroll: education signup; equipment: hardware maintenance; errand: todo task; escalate: incident support; estate: property legal
etf: investment stock; evaluate score: evaluation rubric; exhausted: resource; expat: immigration; expire: certificate token
export: conversion file; fancy: design visual; faq: documentation support; fatal panic: crash error; favorite hobby: personal
fax: document; feed rss: news blog monitor; fetch: api request; fiddle tinker: experiment; figures: data report chart
finalize: release complete; penalty: compliance legal; fingerprint: identity hash; firmware: embedded; fishy: suspicious security
fluctuate: variance trend; focusgroup: research user; followers tinder: social; forgotten: memory; forum: community discussion
fraction: math; freelancer: invoice client; friendly: tone ux; fuel: energy; funny humor: creative writing meme
furniture: interior home; garbage janitor prune vacuum: cleanup; germs: biology; glance: overview dashboard; glitch: bug debug
gossip: byzantine distributed; grade: evaluation score assessment; grammarly: proofread grammar; graphics: visual design 3d
greet: welcome message; groupchat: message; guarantee: verify contract; guess: predict estimate; guest: user access
haiku rhyme: creative writing; handbook playbook: guide documentation; handoff handover: context session; handwritten: ocr
hashtag influencer: social media; hate: frustration; headcount: hiring planning; headless: browser automation
heartbeat: monitoring health; heating thermostat: temperature "smart home"; hiccup: intermittent; hijack: security session
holes: gap coverage; honeymoon sightseeing: travel; horror: story; household: personal family
humid rain snow storm sunny windy: weather; hungry: food meal recipe; identical: duplicate compare; imitate mimic: style voice
impress: presentation portfolio; incoming: inbox webhook; infected virus: malware security; inspire: creative ideas
instructor: education course; interrogate onsite: interview; inventory: stock; jail: sandbox; jailbreak: injection security prompt
joke: creative writing meme humor; jumbled: organize format; junior: onboarding mentor; junk: spam cleanup
keyring rotate: credential secret; kitchen: cooking home; label: tag classification; laptop: computer setup; lawsuit: legal
layman: explain simple; leaderboard: ranking; leftover: cleanup food; legible: readable typography; lightweight: minimal; limerick: poem
loadshedding reliable: resilience; locale: localization; lockfile: dependency; loud mute: volume audio; luxury reputation tagline: brand
mailing: email campaign; maintainers: "open source"; maze: game algorithm; measurement: metrics; mechanic: vehicle
medication physician: medical; meme: humor image; memo memorandum: notes document; merchant: payment ecommerce; metaphor pen: writing
mindmap: diagram brainstorm; mislead rumor: fact; misspell: typo; mixture: blend; moderator volunteer: community; mood: tone
mortgage: loan property; movie: film; muddy: clarity; nag: reminder; nasty quirk: bug; negative: sentiment; neighbour: local
newspaper: news article; nickname: naming; nit: review style; nutrition: diet; obvious: simple; odds probability: statistics
oncology: cancer; ongoing: status; opposite: alternative; outbox: email queue; outsource: delegate; overkill: simplify
overpriced: cost pricing; paginate: list api; painting: art image; pane: terminal window; paragraph: text writing
paraphrase rephrase reword: rewrite editing; pause: stop session; paywall: subscription; peers: network; petrol: fuel
picky: review critique; pile wishlist: backlog; ping: notification alert; playlist track: music audio; pleasant: design ux; poll: survey
postpone timer weekday: schedule; potholes: gotcha; practise rehearse: interview coaching; prettify: format style
printer stationary: print; prize: contest; professor: academic; profile: persona performance; promotion: career marketing
provenance: audit source; punctuation tense: grammar; purge: delete cleanup; quarantine: isolation; quiet: notification
reachable: network health; realtor: property; rearrange reorganize: refactor organize; reboot: restart server
reconcile: accounting match; referral: growth marketing; regret: decision; reheat: meal; relative: family genealogy
relocate: migration move; renew: subscription certificate; replicate: reproduce; resign: employment; respond: reply; resubmit: retry
retire: deprecated; reveal: disclosure; revise: editing; ringtone vocal: audio; rollcall: attendance; roundup: digest newsletter
satisfied: customer; scary: risk; scenery snapshot: image; scold: critique; scrutinize: audit review; sdk: api library
secretary: assistant calendar; selfie: photo image; shady sketchy: suspicious; sharing: collaboration; shipment: tracking
shop: ecommerce; shortcut: automation; shortlist: candidate selection; shrink: compress reduce size; silly: creative
sku: inventory ecommerce; sluggish: performance; snippet: code example; speakerphone telephone: call; speakers stereo: audio sound
spreadsheets: excel; stakeholder: communication; standby: failover; startle yell: alert; stats: statistics metrics; stopwatch: time
stranger: outreach; stubborn: debug; suggestion: recommend; superfluous: unused cleanup; surf: browser web; swap: replace migration
sweep: parameter cleanup; swipe: mobile gesture; synonym: language; tease: marketing; terms warranty: contract; thermometer: temperature
throwaway: prototype; thumbnail: image video; timeline: schedule planning; topic: subject; toxic: moderation; trainee: onboarding
transit: transport; trash: cleanup delete; trivia: quiz; tune: optimize music; unfair: bias; unicorn: startup; unlock: access
unpaid: invoice; unreadable: refactor format; upcoming: schedule calendar; upload: file; vet: review health; wage: salary
walkthrough: guide; webinar: presentation event marketing; whiteboard: diagram sketch; workload: capacity; workout: fitness
zip: archive compress
`;
