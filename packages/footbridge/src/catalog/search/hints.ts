/**
 * What people call a thing, and the words that authors of skills use around it: `word: words it leads to`. One way only,
 * since they do not mean the same.
 */
export const HINTS = `
slow: performance optimization latency profiling bottleneck; lag: latency performance realtime
hang: deadlock debug timeout; freeze: deadlock performance debug; speed: performance optimization
survive: load resilience stress; scale: scalability capacity load; crash: debug error failure
broken: debug troubleshoot fix; weird: debug; wrong: debug error incorrect; fix: debug repair bug
fixing: debug repair loop; cause: root debug diagnose; flaky: test retry stability; randomly: flaky intermittent
intermittent: flaky; stack: trace debug; outage: incident postmortem; "went wrong": postmortem incident debug
log: logging observability; happened: incident timeline postmortem log; watch: monitor observability
monitor: observability alert; hack: security attack vulnerability; hacker: security attack vulnerability penetration
attacker: security vulnerability threat injection; hole: vulnerability security; leak: exposure secret memory
steal: security threat; safe: security secure safety; unsafe: security vulnerability; threat: security model
spoof: security authentication; fuzz: fuzzing harness coverage; login: authentication oauth session
password: authentication credential secret; token: authentication jwt context; permission: authorization access
key: credential secret; legal: compliance contract; gdpr: privacy compliance; personal: privacy pii gdpr
cookie: consent privacy; licence: license compliance; license: compliance; tested: testing qa; coverage: testing
click: browser automation e2e; clicking: browser automation e2e; robot: automation; screenshot: visual image
blind: accessibility screen; disabled: accessibility; keyboard: accessibility; ship: release deploy
launch: release readiness production; live: production deploy realtime; production: deploy release
rollout: deployment release; rollback: deployment revert; undo: revert rollback; host: deploy hosting
hosting: deploy cloud; server: backend infrastructure deployment; cloud: infrastructure aws azure
container: docker kubernetes; cluster: kubernetes clustering; pipeline: ci workflow automation; build: ci compile
green: passing test; branch: git worktree; branches: git worktree; merge: git conflict rebase; commit: git
checkout: worktree payment cart; messy: refactor cleanup organize; mess: refactor cleanup organize
tidy: refactor cleanup organize; clean: refactor cleanup; ugly: refactor design; spaghetti: refactor architecture
duplicated: refactor dry; complicated: simplify complexity; bloat: simplify cleanup slop
bloated: simplify cleanup slop; unused: dead cleanup; legacy: refactor modernize migration
outdated: upgrade stale dependency; upgrade: migration version; move: migrate migration; switch: migrate migration
port: migrate migration; structure: architecture organize; layout: design structure
understand: explain walkthrough onboarding architecture; newcomer: onboarding
explain: explanation walkthrough tutorial; manual: documentation guide; instructions: documentation guide
readme: documentation; documentation: docs; comment: documentation review; guide: tutorial documentation
pretty: design visual style; beautiful: design visual style aesthetic; modern: design; screen: ui interface
page: web html landing; button: component ui; form: ui validation; theme: design style; dark: theme
website: frontend web html; site: web website frontend; homepage: landing website; widget: component ui
google: seo search; rank: seo ranking; traffic: seo analytics marketing; visitor: conversion analytics
convert: conversion transform; signup: conversion onboarding; subscribe: newsletter conversion subscription
popup: modal conversion; newsletter: email marketing; advert: ads campaign; viral: social marketing
post: social content; posts: social content; audience: marketing persona; tone: voice style brand
slogan: brand copywriting tagline; headline: copywriting; words: copywriting wording; catchy: copywriting hook
essay: writing article; letter: writing; proofread: editing; rewrite: editing; shorten: summarize concise
summary: summarize; summarise: summarize; sound: audio voice tone; robotic: humanize voice; phone: mobile ios android
iphone: ios swift mobile; tablet: mobile responsive; app: application mobile; picture: image visual
pictures: image visual; drawing: illustration diagram image; draw: diagram illustration canvas
sketch: wireframe diagram; poster: design canvas; logo: brand design; gif: animation; film: video
footage: video editing; clip: video; voice: audio speech; podcast: audio; record: recording; song: music audio
talk: presentation speech slide; speech: presentation voice; pitch: deck investor presentation
numbers: data statistics analysis; number: data; table: database spreadsheet; tables: database spreadsheet schema
excel: spreadsheet; csv: data spreadsheet; chart: visualization; graph: visualization network; plot: visualization
trend: analytics forecast; average: statistics; significant: statistics hypothesis; experiment: statistics hypothesis
predict: forecast model; train: training model; finetune: training; gpu: training cuda; rows: database data
query: database sql; store: storage database persist; save: storage persist; remember: memory persistent
notes: knowledge note memory; forget: memory context; conversation: session context
conversations: session context memory; chat: conversation message; chatbot: llm conversational; prompt: llm
hallucinate: grounding evaluation; answers: response; sources: citation research; source: citation research
facts: research citation verification; prove: evidence verification; claim: evidence verification
trust: verify verification; study: research literature; studies: literature research systematic
paper: research academic scientific; journal: publication manuscript; thesis: academic writing
grant: proposal funding; lab: laboratory experiment; protein: structure biology sequence
drug: molecule compound chemistry clinical; cell: biology spreadsheet; patient: clinical medical
doctor: clinical medical health; quantum: circuit qubit; simulate: simulation; equation: math symbolic
proof: theorem math; money: finance budget revenue; pay: payment billing; paid: payment billing
charge: payment billing; charged: billing refund payment; refund: billing; expensive: cost optimization
cheap: cost optimization; cheaper: cost optimization; cost: spending budget; spend: cost budget
bill: billing invoice cost; tax: accounting finance; invest: stock portfolio finance; shares: stock trading
trade: trading market; buy: purchase procurement; supplier: procurement vendor; vendor: procurement supplier
sell: sales pricing; customers: customer user; complaint: customer support; complain: customer support
support: customer helpdesk ticket; feedback: review survey; quit: churn resignation retention
cancel: churn subscription; competition: competitor competitive market; competitors: competitive market
market: research competitive; startup: founder validation; idea: brainstorm validation concept
ideas: brainstorm creative; brainstorm: ideation creative; stuck: brainstorm debug unblock; decide: decision tradeoff
choose: comparison decision; pros: decision tradeoff; options: decision comparison; compare: comparison
plan: planning roadmap; steps: plan task; task: todo planning; tasks: todo planning issue; todo: task
deadline: schedule planning; priority: prioritization; prioritise: prioritization; important: prioritization
requirements: specification prd; requirement: specification prd; story: epic requirement; vague: clarify requirement
unclear: clarify requirement; estimate: estimation planning; hire: recruiting interview; job: career resume
boss: manager stakeholder; manager: leadership stakeholder; management: executive stakeholder report
team: collaboration; colleague: team collaboration; colleagues: team collaboration; meeting: minutes agenda
calendar: schedule meeting; remind: schedule reminder; reminder: schedule task; morning: schedule daily
overnight: autonomous loop unattended; unattended: autonomous loop; automatically: automation autonomous
automatic: automation; automate: automation workflow; repeat: loop automation recurring; repeatedly: loop automation
loop: iterative autonomous; simultaneously: parallel concurrent; helpers: subagent parallel
agents: multi orchestration; procedure: workflow skill; teach: skill lesson; trip: travel; holiday: travel
flight: travel; eat: meal nutrition; sleep: health; house: home; garden: home; wifi: network router
internet: network web; scan: scanner detection; ocr: scan pdf text; fill: form pdf; letterhead: docx template
translate: localization language; language: localization translation; languages: localization internationalization
foreign: localization translation; german: translation localization; spanish: translation localization
french: translation localization; map: geospatial; address: geocoding location; weather: forecast climate
sensor: iot embedded; device: hardware iot mobile; endpoint: api rest; survey: questionnaire research
spam: deliverability email; inbox: email triage; reply: email response draft; attachment: email document
outreach: sales email; firewall: network security; backup: recovery disaster; disaster: recovery resilience
recover: recovery restore; crawl: scraping; scrape: scraping crawler; webpage: scraping browser html
download: scraping fetch; notify: notification alert; alarm: alert monitoring; queue: messaging asynchronous
plugin: extension; extension: plugin browser; command: cli terminal; terminal: cli shell; script: automation shell
typed: types typescript; types: typing typescript; strings: localization; concurrent: concurrency thread
thread: concurrency; race: concurrency; mock: stub fixture; fake: mock synthetic fixture; dummy: synthetic fixture
regression: test; checklist: audit review; critique: review; harsh: critique review; opinion: review critique
approve: review; reviewer: review pr; issue: bug github ticket; issues: triage github; triage: issue
backlog: planning issue; sprint: agile planning; standup: agile report; retro: retrospective; retrospective: agile
progress: status report; status: report; dashboard: analytics metrics; metric: analytics kpi; kpi: metrics
revenue: finance sales; profit: finance margin; budget: finance cost; invoice: billing accounting
contract: legal agreement; lawyer: legal; sue: legal; rent: lease property; insurance: claim
salary: negotiation compensation; negotiate: negotiation; negotiation: contract; warehouse: inventory logistics data
stock: inventory trading; parcel: shipping logistics; delivery: logistics shipping; factory: manufacturing production
defect: quality bug; school: education lesson; homework: education; student: education; course: education curriculum
exam: quiz education; kid: education; game: gamedev; player: game; character: game animation
animate: animation motion; icons: svg icon; colours: palette color; font: typography; spacing: layout css; css: style
react: component frontend; hardware: embedded; chip: hardware embedded; wallet: crypto blockchain; coin: crypto token
nft: blockchain; gene: genomics; genome: genomics sequencing; dna: sequencing genomics; sequence: bioinformatics
microscope: imaging; brain: neuroscience; climate: environment; satellite: geospatial; outlier: anomaly statistics
anomaly: detection; similar: similarity embedding; meaning: semantic embedding; semantic: embedding search
lookup: search retrieval; connect: integration mcp; integrate: integration api; sync: integration synchronization
webhook: integration event; zapier: automation integration; tokens: context cost; context: compaction
compress: compaction compression; subagent: delegate parallel; delegate: subagent; parallel: concurrent worktree
`;
