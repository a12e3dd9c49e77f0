/**
 * What people call a thing, and the words that authors of skills use around it: `words: words they lead to`, in
 * alphabetical order. Several words in quotes are one. One way only, since they do not mean the same.
 */
export const HINTS = `
a4: pdf print; abandon: conversion checkout; abilities capability: skill; abort stop: cancel; abstract: paper; abuse: fraud
acceptance: criteria test; access: permission; acquaintances route router subnet: network; actor deadlocks race thread: concurrency
ad: marketing campaign; addon: plugin skill extension; address: geocoding location; advert: ads campaign marketing
advice: advisor consultant; advisor: expert; aesthetic: design visual; agenda attend: meeting; agents: multi orchestration
ages bottleneck cached quick stall: performance; alarm: alert monitoring; album: photo music; alerted: monitoring
algorithm: pseudocode optimization; align drift: sync consistency; alone hands handsfree: autonomous; already: existing
alternatives: decision option comparison; ambiguous: clarify; ancient: legacy modernize; angel: investor; animate: motion
anomaly fraud: detection; answers: response; antibody enzyme: protein biology; apartment: property rental; app: mobile; apply: application
appointment: calendar; approve critique "look over" mr nitpick: review; argue: debate council; arrows visualise: diagram
art: image illustration; article: blog writing; ask: question interview; assembly: manufacturing
assertion boundary cases mutation suite: test; assigned ticket triage: issue; assistant bot copilots: agent; assumptions: risk validation
async: asynchronous concurrency; "at once" "same time": parallel concurrent; attachment: email document
attacker: security vulnerability threat injection; attorney: legal contract; audience: marketing persona; auditor: audit compliance
automate: workflow; automatic: automation autonomous; autopilot unsupervised: autonomous loop; autoscale: scaling; avatar: image character
average variance: statistics; await promise: async; "back up" restore: backup; backdrop: background; backlinks keyword rank sitemap: seo
backlog: planning issue; backtest: trading strategy; backup: recovery disaster; bacteria: microbiome biology
bank credit valuation: finance; banner: design ads; batch: manufacturing processing; battery gas grid kilowatt: energy
beat song: music audio; beautiful: design visual style aesthetic; bedtime: story; benchmark: performance metrics
"best practice": standard convention pattern; bet betting odds: prediction market; beta: launch release; bibliography cite: citation
bike car: vehicle; bilingual: translation; bill: invoice cost; birthday: gift event; bisect: git regression; blame rebase: git history
blind: accessibility screen; bloat: simplify cleanup slop; bloated huge: large refactor simplify; block: blocker guard hook
blocker: unblock; blog: article content; blogpost: blog article; blood: clinical laboratory; "blow up": crash error debug
"blue green": deployment; blueprint decouple layers module responsibilities: architecture; blurry: image quality; board: kanban project
boilerplate skeleton: scaffold template; bonds: macro market finance; bootstrap: scaffold setup; boring: repetitive design
borrow: rust ownership; boss: manager stakeholder; bounce: conversion analytics; box: sandbox server diagram; brain: neuroscience
brainstorm: ideation creative; brainstormed: brainstorm; branch: git worktree; brand: marketing voice
"break down" "break into" "break up": decompose split; breakpoints: responsive css; brief digest overview report sum summarise: summary
broken: debug troubleshoot fix; browser: e2e automation web; brutal: critique honest; btn: button component; budget: finance cost
buffer oom persist recall safety: memory; "bug report": issue reproduce; build: ci compile construction property; bump: version release
button dropdown modal widget: component ui; buy: purchase procurement; calendar: schedule meeting; callback: webhook asynchronous
callers calls: dependency; calories diet: nutrition; camcorder clip film tapes trailer: video; camera: video 3d photo
canary: deployment rollout; cancel: churn subscription; cancer: clinical oncology; candle: chart trading; capacity: scaling resource
captions: subtitle video; career openings: job; careful: safety guard; cargo: freight shipping; carousel: component slider
cart: ecommerce checkout; "catch up": summary digest; catchy: copywriting hook; cause: root debug diagnose; cd: deployment pipeline
cell: biology spreadsheet; certain complete confirm doublecheck evidence works: verification; certificate: tls document
changelog: release notes; changeover: production scheduling; changes: diff review; chapter: book story; chapters: book fiction writing
character: game animation personality design; charge: payment billing refund; chart: visualization dashboard; chat: conversation message
chatbot: llm conversational; cheap cheaper expensive: cost optimization; cheatsheet: reference; checklist: audit review
checkout: worktree payment cart; checkpoint: recovery session; cherry commit stash: git; chess: game position
chinese japanese: translation language; chip: hardware embedded; choke: failure performance; choose: comparison decision
chores: automation maintenance; chunks chunking: rag embedding; ci: pipeline workflow build; circle: loop stuck
claim: evidence verification citation; clause: contract legal; "clean up": cleanup refactor; clean: refactor cleanup; cleanly: refactor
click: browser automation e2e; climate: environment; clinic nurse: healthcare; cloud: infrastructure aws azure
clunky confused intuitive: ux usability; cluster: kubernetes distributed; cluttered: layout ux; coach mentor: guidance
"code base": codebase repository; cohort: retention analytics; coin: crypto token; "cold email" "cold mail": outreach sales
colleague: team collaboration; colorful vivid: palette design; colours: palette; column: table database schema
command "command line": cli terminal; comment: documentation review; commute flight holiday hotel itinerary trip vacation: travel
compare: comparison; competition: competitor market; competitors landscape: competitive market; compile recompile: build
complain complaint: customer support; complexity: algorithm; compliant: compliance audit; complicated: simplify complexity
compress context: compaction; concurrent: thread parallel; conference: presentation paper; conflict: merge resolution
connect: integration mcp; connector partner plug: integration; consensus: distributed agreement
consistent: distributed consensus standard convention; contacts: network crm; container: docker kubernetes; continue: resume session
contract: legal agreement; contractor: construction; contrast: accessibility color; control: experiment; convention: standard style
conversation: session context memory; convert: conversion transform migration; cookie: consent privacy session security
copy: copywriting duplicate memory; corner rounded: radius css; coroutine: async concurrency; correlation: statistics analysis
cors: api security browser; cost: spending budget; coupling: architecture dependency; course: education curriculum
court law lawyer nda sue sued trademark: legal; "cover letter": resume job; coverage "unit test": testing
coworker: colleague workplace conversation; cpu: performance profiling; crash: debug error failure recovery; crawl: scraping seo
creds: credential; crop: image editing; crowded: layout design; crypto: wallet blockchain; css: style; csv: data spreadsheet
culprit: root cause debug; customs: user trade import; cycles: performance timing cpu; danger: risk security safety guard
dangling: memory safety; dark: theme; dashboard: analytics metrics; "data breach": security incident privacy; dead: unused cleanup
deadline: schedule planning; deal proposal upsell: sales; debate: decision perspective; decide pros weigh: decision tradeoff
"deep dive" investigate: research analysis; defect: quality bug; delegate: subagent; delivery: logistics shipping; demo: walkthrough video
depends: graph; deprecated: migration upgrade; deps: dependency; "design doc" pattern: architecture design
desktop resize viewport: responsive; device: hardware iot mobile; diagram: flowchart visual; dialogue: character story
dice level player puzzle sprite: game; die explode: crash failure; diff: change review; dilemma perspectives tradeoffs undecided: decision
dinner: meal; disabled keyboard "screen reader": accessibility; disagree: debate decision; disaster: recovery resilience
discount: pricing; discuss: conversation facilitate; disk: storage; dissertation: thesis academic; distributed: cluster consensus
dms: message social; dna: sequencing genomics; docs official readme: documentation; doctor: clinical medical health; document: docs
dotenv env: environment configuration; download: scraping fetch; downtime: migration availability zero; drain: security wallet
draw: illustration diagram image canvas; drip: email campaign; drone: robot; drug: molecule compound chemistry clinical
"dry run": simulation preview; "due diligence": research audit; dummy: synthetic fixture; duplicated: refactor dry deduplicate
duplicates: deduplicate data cleaning; early: warning; earnings: financial stock; eat: meal nutrition restaurant; economic: macro
economy: macro economic; "edge case": boundary test; elegant minimalistic: minimal design; email: inbox; embassy: visa
empty: state design; encrypt phishing stolen: security; endpoint: api rest; enforce: policy guard; english: language; epics: story
episode: podcast video; equation: math symbolic; error: debug handling; essay: writing article academic; estimate event roadmap: planning
evolution: phylogenetic biology; exam: quiz education; excel formulas sheet: spreadsheet; exception: error debug
exercised untested: coverage test; existing: codebase; expense expenses: accounting finance; experiment significant: statistics hypothesis
expert: specialist; explain: explanation walkthrough tutorial video animation; exploit: vulnerability security; expose: exposure security
exposed: exposure security; extension: plugin browser; factory: manufacturing production; facts: research citation verification
fade smoothly: animation transition; failover: resilience recovery; fails: debug test error; failure: error resilience
fake: mock synthetic fixture test; "fall over": crash load failure; faq: documentation support
faster quicker speed "speed up": performance optimization; fault: resilience tolerance; fed: macro policy rates
feedback: review survey critique; field: form validation; "figure out" "find out": investigate research; fill: form pdf
finetune: training; finetuned: finetune training; finished: completion; firefox safari: browser compatibility; firewall: network security
fix: debug repair bug loop; flag: feature toggle; flaky: test retry stability; flashcards: learning memory quiz; flat: property
flow: workflow user; fluid: simulation physics; focus: productivity; folder: file organize; "follow up": email outreach
followers hashtags influencer: social marketing; font: typography; footage: video editing clip; football soccer match: sports
forbid: guard hook; "force push": git history; "foreign key": database schema; foreign: localization translation
forever: performance slow; forget: memory context; fork: git repository; form: ui validation pdf; founder: startup
freelancer: client invoice; freeze: deadlock performance debug; freezes: deadlock performance
french german spanish: translation localization; friction: ux conversion; "from scratch": create scaffold; fund: finance investment
funnel visitor: conversion analytics; fuzz: harness coverage test security; galaxy orbit star telescope: astronomy; game: gamedev
garden house: home; gate: quality release; gdpr: privacy compliance; gene: genomics; generate: create; generic: design distinctive types
genome: sequencing; ghostwrite: writing voice; gif: animation; gift: shopping; gitignore: git
"give up" "gives up" "drop out" "drops out" halfway: abandonment conversion; glossary: terminology documentation
glow neon: aesthetic style; glyph: font; "go back" "roll back": rollback revert; "go down" "goes down": outage; google: seo search
gpt model prompt: llm; gpu: training cuda; grades grading: assessment education; gradient: css design; grant: proposal funding
graph: visualization network chart dashboard; green: passing test; grep: search; grill: interview critique; groceries: meal shopping
grounded: citation rag; grouped pivot: table aggregate; guide: tutorial documentation tour; guidelines: standard convention
gut: microbiome; gym running: fitness; habit: routine; habitually: learning; hack: security attack vulnerability
hacked: incident security; hacker: security attack vulnerability penetration; hallucinate: grounding evaluation
hallucinations: hallucination grounding evaluation; hamburger: menu navigation; handbook: documentation policy
handout: document presentation; handover: handoff context; handwriting: ocr; hang: deadlock debug timeout; hangs: deadlock timeout
happened: incident timeline postmortem log; hardcoded: configuration refactor; hardware: embedded
harsh honest roast "tear apart": critique review; headache pain: symptom medical; headers: security http; headline words: copywriting
headset goggles: vr; heat: thermal simulation; heatmap: analytics visualization; heavy: performance size; hedge: risk trading
helper: subagent parallel utility; hero: landing page; hire: recruiting interview onboarding; history: git log
hole: vulnerability security critique stress; "home page" homepage: landing website; homework student: education
"hook up": integration connect; hospital: healthcare medical; host: deploy cloud; hotfix: release fix; hours: time timesheet
hover: interface animation; https ssl: tls certificate security; hue: color; hypothesis: experiment research; icons: svg
idea: brainstorm validation concept creative; idiomatic: pattern convention; ignore: instruction prompt; illustrate: image art diagram
image: container; img pic pics: image photo; impl: implementation; import: prioritization trade; inbox: email triage
index: database search; indicator kpi measure: metrics; inflation: macro economy; infra: infrastructure; ingredients: recipe cooking
inherited: codebase legacy onboarding; input: test boundary validation; inspection: quality; installer: setup
instant: performance realtime; instructions: documentation guide prompt; insurance: claim; integral derivative: symbolic math
integrate: api connector; intermittent: flaky; internal: private secret; internet: network web; interrupt: side parallel
interview: question; interviewing applicants: recruiting interview; intro: introduction; introduce: introduction network
invest: stock portfolio finance; investors raise: fundraising; invite: meeting calendar; invoice: billing accounting
iphone: ios swift mobile; isolated: sandbox concurrency; isp: network bgp; issue: bug github ticket triage
italian portuguese: translation; jailbreak jailbroken: injection guardrails safety; jank stuttering: performance animation
job: career resume queue; joins: sql query; joke funny: humor creative; journal: publication manuscript; journey: e2e flow user
json: api data; key: credential secret; "kick off": start; kickoff: project planning; kid: education children; kill: stop failure
knight pawn: chess; knowledgebase wiki: knowledge documentation; lab: laboratory experiment
labelled labels annotate: annotation classification dataset; lag: latency performance realtime; lamp lights thermostat: home automation
landing: page conversion; landlord: lease legal; language: localization translation internationalization; late: early warning
later: backlog todo; launch: release readiness production marketing; lawsuit: legal litigation; layout: design structure
lead: sales prospect facilitate; leak: exposure secret memory; learned: lesson memory; legacy: refactor modernize migration
legal: compliance contract; lessons: learning retrospective; letter: writing document; letterhead: docx template
licence: license compliance; license obey policy regulator: compliance; lie: byzantine; lifetime: rust memory; "line up": align
liquidity: risk finance; listing: scraping market; live: production deploy realtime; llm train: model
"load balancer": scaling infrastructure; load "load test": performance stress; loan: credit finance; localhost: local development server
locate: search find; "lock down": hardening security; log: observability; login: authentication oauth session security; logo: brand design
"long run": trend; lookup: search retrieval; loop: iterative autonomous algorithm performance; lost: navigation ux
loyal: retention customer; lyrics: song music; machine: manufacturing server; magic: constant refactor; mail: email newsletter
malicious: security attack; manager: leadership stakeholder executive report; manual: documentation guide automation
manually: manual exploratory; map satellite: geospatial; market: research competitive; mascot: character brand; "mass spec": spectrometry
mastering podcast transcribe: audio; matrix: linear algebra; mean: semantic embedding critique; median: statistics
meeting: minutes agenda; melody: music; memo: document writing; menu: navigation ui; "merge conflict": git resolution
merge: git conflict rebase review; mesh: 3d model; mess messy tidy: refactor cleanup organize; metric: analytics kpi
mice: experiment biology; microphone: audio recording; microscope: imaging; microservices: architecture service
milestone: planning progress; miner: crypto mining; mining: crypto; minutes: meeting ci duration; misaligned: layout css
misbehave: guardrails safety; mistake: learning lesson error; mixing: audio music; mock: stub fixture test mockup
modern: design migration legacy; monetize: pricing revenue; money: finance budget revenue; monitor: observability alert
monolith: architecture microservices; monthly: report; moodboard: design style; morning: schedule daily; mortgage: loan finance
motivated: habit; move switch: migrate; mvp: prototype product startup; mystery: investigate debug; naming: convention standard
narrator narration: voice audio; navigation: ux routing; negotiate term: contract; nested: refactor complexity; newcomer: onboarding
newcomers juniors junior: onboarding mentor; newsletter: email marketing; next: progress roadmap; nft: blockchain; nickname: naming
night: unattended autonomous; node: cluster distributed kubernetes; noise: audio anomaly; notes: knowledge memory organize
notify: notification alert; novel: fiction writing book; "null pointer" nullpointer: crash debug; nullable: type error
number: data statistics analysis metrics; obsolete: deprecated legacy; ocr: scan pdf text; odd spike: anomaly
offline: synchronization sync; okrs: goal strategy; onboarded: onboarding; onboarding: user signup; oncall: incident alert
"open source": license repository public; opinion: review critique; options: decision comparison configuration
orchestrate: orchestration multi; outage: incident postmortem reliability; outdated: upgrade stale dependency; outlier: anomaly statistics
outreach: sales email; overflow: memory error triage; overlap overlapping: layout css; overnight: autonomous loop unattended
overtime: time; ownership: memory rust; package publish: release; page: web html landing incident alert; paid pay: payment billing
pager: oncall incident; paint: illustration art image; palette: color design; paper: research academic scientific literature; parallel: concurrent worktree
parallelize: parallel; params: parameter; parcel: shipping logistics; particle: physics simulation; parts: manufacturing quality
party wedding: event; passport: travel document; password: authentication credential secret; paste: duplicate; patch: fix update
patent: legal intellectual; patient: clinical medical healthcare; payroll payslip: accounting hr; peer: distributed network bgp
percent: statistics; percentage: coverage metrics; perf: performance; permanent: persistent durable; permission: authorization access
perms: permission; personal: privacy pii gdpr; persuasive: copywriting marketing; phone: mobile ios android; photos: image
phrase: wording copywriting; picture: image visual; pipeline: ci workflow automation; pitch: deck investor presentation
pixel: visual regression; placebo: clinical statistics; plagiarism: academic citation; plan: roadmap; playable: convert video
playlist: music; plot: visualization story fiction; plugin: extension; pod: kubernetes; poem: writing creative; poetry: creative writing
pointer: memory c++; polish: design refine; popup: modal conversion; port: migrate network; portfolio: investment risk
portrait: image photo; positioning: marketing brand; post: social content; poster: design canvas; ppt: presentation; pr: review github
predict: forecast model indicator; prefer: configuration settings memory; pretty: design visual style; prevent: guard block
price: monetization cost; print: pdf document; printable: pdf; printer: 3d print; prioritise prioritize: prioritization roadmap
priority: prioritization; priv privs: privilege permission; "privacy policy": legal privacy; private: privacy secret
procedure: workflow skill; procrastinate: habit productivity; prod: production deploy; production: deploy release focus time
professor: academic research; profit: finance margin; progress: status report; promo: promotion demand; promote: marketing sales
promotion: career marketing; prompts: prompt engineering; proof: theorem math; proofread: editing; prospects: sales outreach
protein: structure biology sequence; prototype: mockup experiment; prove: evidence verification; provider: integration api
public: "open source" release; "pull apart": analyze; pvalue: statistics significance; qa: testing quality
quantize quantized: quantization inference; quantum: circuit qubit; quarter: report financial; query: database sql
question: interview clarify; quests: game story; queue: messaging asynchronous; quit: churn resignation retention
quota: sales "rate limiting"; quote: pricing sales citation; rain sunny snow: weather forecast; ram: memory performance
randomly: flaky intermittent; rates: macro finance; ratio: metrics finance; react: component frontend; readable: style convention
ready: release production; "real time": realtime streaming; receipt: expense invoice; recipe: meal cooking; recommend: advisor
record: audio video data privacy; recover: recovery restore; red: failing test; redundant: duplicate cleanup; reel: video social
reference: citation bibliography; refund: billing; register registration: signup authentication; registry: package
regression: test statistics; reliability: resilience; remember: memory persistent; remembered: memory; remind: schedule task
reminder: task schedule calendar; rename: refactor file naming; render: 3d graphics; renovation: home construction; rent: lease property
reorder: inventory replenishment; repeat: loop automation recurring; repetitive: automation duplicate; replica: database distributed
reply: email response draft; repos: repository multi; repositories: multi; reproduce: repro debug; request: http api
requirement: specification prd acceptance; reranking: retrieval search; resign: career; resume: continue session recovery; retail: store
retention: churn customer; retirement pension: finance planning; retro: retrospective aesthetic style; retrospective: agile
retry: resilience error; reusable: pattern; reuse util: reusable; revenue: finance sales; reviewer: pr peer
reward: reinforcement learning; rewrite: editing refactor migration; rhyme: lyrics creative; rig: 3d animation character; risk: assessment
risky: risk review; rival: competitor competitive; robot: automation humanize voice; role: authorization permission
rollback: deployment revert transaction; rollout: deployment release; rotten: legacy refactor; routine: habit workflow
row: database data table; rules: convention policy; safe: security safety; saga: transaction workflow distributed
salary: negotiation compensation; sales: revenue; sandbox: isolation; sanitize: input security; sanity: check verification
save: storage persist; scaffold: template generate; scale: scalability capacity load; scam: fraud security
scan: scanner detection ocr document image; scattered: organize knowledge; scenario: test acceptance; scene: video 3d
scholarly: academic research; school: education lesson; scope: requirements planning; scrape: crawler; "screen recording": video demo
screen: ui interface; screenshot: visual image; script: automation shell; scroll: animation interface; seasonal: forecast
"second opinion": review advisor; secrets: credential security; "seed data": database fixture; seed: fundraising investor startup
segfault: crash memory debug; segments: segmentation customer; sell: sales pricing; semantic: embedding search; sensor: iot embedded
seo: ranking keyword; seq: scan; sequence: bioinformatics email campaign; server: backend infrastructure deployment
session: context memory; "set up": setup configuration install; settings: configuration; shader: graphics 3d; shadow: css
shard: database scale; shares: stock trading; shelf shelves units: inventory; shell: command; ship: release deploy
shorten: summarize concise; shot: video photo; "shut down": stop; "side by side": compare parallel; side workers: parallel
sidebar header footer: layout navigation; "sign up": signup onboarding; sign: signature document indicator signal; signals: indicator
signature: document verification; signup: conversion onboarding; similar: embedding
simultaneous: parallel concurrent load; sing singing vocals: music audio; site: web website frontend; sizes: responsive viewport
sketch: wireframe diagram design; skills: capability; sleep: health unattended; slide: animation presentation
slogan: brand copywriting tagline marketing; slow: performance optimization latency profiling bottleneck
"small services" "smaller services" "separate services": microservices architecture; smell: refactor quality; snippets: seo schema
solar: energy renewable; solver: optimization; someday: backlog; sort: triage organize; sound: audio voice tone; source: citation research
spacing: layout css; spaghetti: refactor architecture; spam: deliverability email; spec: requirements; species: biology taxonomy
speech: presentation voice; spend: cost budget; "spin up": provision create; spinner loading: state feedback ui
spoken: transcription audio speech; spoof: security authentication; spreadsheet: excel; sprint: agile planning; squash: git rebase
stack: trace debug; staging: environment deploy; stakeholders: communication report; stale: cache state; stamp: document
standup: agile report; starter: scaffold template onboarding; startup: founder validation; state: "state machine" management
statement: document finance; stats: statistics; status: report progress; steal: security threat; "step by step": guide walkthrough
steps: plan task; stock: inventory trading equity; store: storage database persist retail inventory; story: epic requirement
storyboard: video animation; stream: flow; stress anxiety: wellbeing mental health; stretch: exercise; strings: localization
structure: architecture organize design; stubs: mock test; stuck: brainstorm debug unblock; study: research literature systematic
stutter stutters: performance animation; style: convention; subagent: delegate parallel
subscribe: newsletter conversion subscription email; subscriber subscribers: newsletter email; subscription: billing revenue
subtitles: caption video; summary: summarize; supplier: procurement vendor quality; support: customer helpdesk ticket
survey: questionnaire research statistics; survival: statistics clinical; survive: load resilience stress
suspicious: anomaly detection fraud; swipe: gesture mobile; symptom: diagnose debug medical; sync: integration synchronization
table: database spreadsheet schema; tablet: mobile responsive; tag: release version; tagline: copywriting brand
talk: presentation speech slide; tariff: trade customs energy; task: todo planning issue; tax: accounting finance; taxi: transport
teach: skill lesson; teacher pupils classroom: education lesson; team: collaboration; tedious toil: automation; temperature: thermal
template: scaffold; tenant: lease; tender: proposal procurement; terminal: cli shell; "terms of service": legal contract
tested: qa coverage; tester: testing qa; testimonial: marketing social; "text message": sms; texture: 3d; theme: design style
therapist therapy: mental health coaching; thesis: academic writing; threat: security model; throttle: "rate limiting"
throughput: performance load; throw: exception error; thumbnail: image video; "time series": forecast anomaly
timeout: latency reliability; timesheet: time tracking; todo: task backlog; toggle: feature flag; token: authentication jwt context cost
tone: voice style brand; toolbox: tool; toolchain: build compiler; tooltips: component ui; tour: walkthrough demo
traceback: error debug python; trade: market; tradeoff: decision comparison; traffic: seo analytics marketing
transaction: database consistency; translate: localization language bilingual; transparent: image; treated: clinical experiment
trend: analytics forecast; trial: clinical study; trick: injection security; truck: freight logistics; trust: verify verification
tumor: cancer clinical; "turn into": convert transform; tutor: education teach; typed: typescript; typeface: font typography
ugly: refactor design; unattended: autonomous loop; uncertain: uncertainty risk; unclear: clarify requirement ambiguity
unclickable: ui debug; uncommitted unstaged: git diff; undefined: javascript error debug
understand: explain walkthrough onboarding architecture; undo: revert rollback; unknown: uncertainty research; unread: inbox email
unreadable: refactor readable; unrelated: side; unsafe: security vulnerability; untrusted: sandbox security; unused: dead cleanup
update: status report; upgrade: migration version; upsells: upsell sales; urgent: priority incident; "user story": requirements acceptance
vacancy: job hiring; vague: clarify requirement; vat: tax accounting; vault: secret knowledge; vc: investor fundraising
vectorise: simd performance; vendor: procurement supplier; version: release semver compatibility; vid vids: video; viewpoint: perspective
villain: character story; vintage: aesthetic style; viral: social marketing; visa: immigration document; vocabulary: language education
"voice assistant": voice agent; voice: audio speech perspective council; volatility: risk trading market; volume: container storage
vote: consensus decision; waitlist: launch; wallet: crypto blockchain; warehouse: inventory logistics data; warn: guard hook alert
watch: monitor observability; watchable: video convert; weak: critique; weather: forecast climate; webhook: integration event
webpage: scraping browser html; website: frontend web html; weekly: report status; weird: debug; "went wrong": postmortem incident debug
wifi: network router; wizard: setup interactive; "word by word": transcript; wording: copywriting ux writing; "write up": report document
wrong: debug error incorrect; zapier: automation integration
`;
