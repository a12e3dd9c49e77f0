/** What people say about a task, by the field that it belongs to: in the form of the hints. */
export const EVERYDAY_HINTS = `
chatgpt: gpt openai humanize slop; robotic wooden stilted: humanize tone; clickbait: headline hook; punchy snappy: copywriting headline
"reads like": humanize tone style; typo typos misspelled: proofread grammar; paragraph paragraphs: prose writing; essay: academic writing
homepage: landing conversion copywriting website; "sign up" "signs up": conversion onboarding signup
"fill in" "fills in": form conversion
visitors: conversion landing analytics; "sell more" "sells better": conversion sales copywriting; freebie giveaway: "lead magnet"
influencer influencers: creator social marketing; hashtag hashtags: social instagram; reel reels tiktok: "short video" social
podcast: audio transcription episode; flyer leaflet brochure: poster design print; logo: brand identity
funny joke: meme humor; sticker gif: image animation; cartoon comic: illustration image; wallpaper: image generation
colour colours coloring: palette color; font fonts: typography; frosted translucent: glass glassmorphism; shiny glossy: glass visual
icons icon: svg iconography; whitespace: spacing layout; margin padding gap: spacing layout css; animated: motion animation
hover transition easing: animation motion interaction; "too busy": layout declutter; amateur amateurish: polish design
footage: video editing; vlog: video editing; trailer teaser: video; clip clips: video; soundtrack jingle: music audio
narrate narrator narration: speech voice tts; mp3 wav: audio speech; karaoke: subtitle caption; recording recordings: transcription audio
dub dubbing: voice translation video; upscale blurry crisp pixelated sharpen: image resolution enhance; backdrop: background remove
thumbnail: image youtube; youtube: video transcript; "who said what": diarization speaker transcription; handwriting handwritten: ocr
receipt receipts: ocr invoice expense; scanned scan: ocr pdf; fillable: form pdf; "word file" "word files": docx document
"excel file" "excel sheet": xlsx spreadsheet; "slide deck": pptx presentation; ebook: epub book; letterhead: docx template
vault: obsidian notes; backlink wikilink: obsidian notes; clipping clipper: "web clipper" markdown; "mind map": canvas diagram
invite: calendar meeting; "phone call": voice call telephony; texting: sms imessage; whatsapp telegram: messaging chat
restaurant restaurants cafe sushi pizza: places maps; neighborhood: places location; parcel: shipping delivery; groceries: food order
lights lamp thermostat: "smart home" hue; speaker speakers: sonos audio; playlist: spotify music; podcasting: podcast audio
weather: forecast; football soccer match goals league: sports prediction; lottery gambling: prediction betting
laptop: environment setup; "new machine" "new laptop" "new computer": environment setup install; toolchain: setup environment
"from scratch": scaffold create; hardwired hardcode: hardcoded; "hard wired" "hard coded": hardcoded i18n; variables variable: naming
misnamed: naming; "better names" "good names" "good name": naming; readable: "clean code" simplify; straightforward: simple "clean code"
abstraction abstractions: "over engineering" clean design pattern; comments: documentation "clean code"
throw throws catch exception: error handling
swallow swallowed: error handling exception; "goes wrong" "went wrong": error handling; retry retries: resilience backoff error
"nobody trusts": flaky reliability; pyramid: test strategy; "end to end": e2e playwright test; "unit and integration": test strategy
untested: coverage test; "escaped defects" escaped: quality metrics defect; dora: metrics delivery; regressions: regression test
boundary boundaries equivalence: test design; "which inputs": test design boundary; "by hand before": manual exploratory test
stub stubbing mocked: mock test; snapshot: test visual; "failing test": tdd; assertion: test; "in production": monitoring deployment
postmortem: incident; oncall: incident runbook; uptime nines: slo reliability availability; "error budget": slo
dashboards: grafana monitoring
traces spans: tracing observability opentelemetry; logs logging: observability log; noisy: alert tuning; oom: memory
"falls over": load stress capacity; "how many users": load capacity scalability; throughput: load performance benchmark
certificates: tls mtls certificate; handshake: tls websocket; vpn: wireguard network; dns domain: dns network
firewall port ports: network security
proxy: nginx network; hetzner vps droplet: server deployment docker; "one server" "one box" "single server": vps docker deployment
pods pod: kubernetes; manifests: kubernetes yaml; "values per environment": helm
lockfile lockfiles: dependency npm; compromised: "supply chain" malicious; outdated: dependency upgrade
monorepo: workspace nx turborepo; affected: nx workspace; "remote cache" "remote caching": build cache; compiles compiling: build
"separate checkout" "separate copy" "working copy": worktree git; rebase squash: git history; tag tagged: release version git
tickets ticket: issue github jira; "open issues" "open tickets": github issue triage; "pull requests": pr github review
changelog: release notes; bump: release version; publish: release deploy; "roll back" "way back": rollback; npm: publish package
stripped executable disassemble disassembled disassembly: binary reverse engineering; malware virus: analysis reverse security
"weak passwords" bruteforce: penetration "brute force"; pentest: penetration test; "authorised to attack": penetration red
attack attacking: penetration security; exploit: penetration vulnerability; cookies: session xss; "inject" injecting: injection xss sql
"open ports": nmap scan reconnaissance; subdomain subdomains: reconnaissance; "log in as": authentication authorization privilege
privileges root sudo: privilege escalation; phishing: "social engineering"; leaked leak leaks: secret memory exposure
eval: security dangerous
hipaa: healthcare compliance; 27001: isms audit; soc2: compliance audit; auditor auditors: audit; certification: compliance audit
"medical device": fda mdr regulatory; clearance cleared: fda regulatory; patient patients: clinical medical
dose dosing dosage: drug pharmacogenomics
genotype allele variant variants: genomics pharmacogenomics; gene genes: genomics biology; knockout knockouts: metabolic gene
tissue biopsy: histology pathology; microscope microscopy: imaging image; neurons neuron spikes: neural electrophysiology
xray mri ct: medical imaging dicom; molecule molecules compound compounds: chemistry cheminformatics; smiles: rdkit chemistry
docking ligand: "virtual screening" drug; protein proteins folding: structure alphafold; sequence sequences: bioinformatics biopython
fasta fastq: bioinformatics sequence; "gene expression": rna seq deseq; cells: "single cell" scanpy; bacteria coli: microbial metabolic
telescope star stars galaxy: astronomy astropy; qubit qubits: quantum; integral derivative equation equations: symbolic math sympy
"solve exactly": symbolic; simulation simulate: simulation model; physics: simulation; satellite: geospatial remote
map maps: geospatial gis
manuscript: scientific writing paper; peer: review; neurips icml iclr: paper conference ml; references citations: citation bibliography
literature papers: research citation; hypothesis: research experiment; grant: proposal research funding; poster: latex conference design
"significant difference": statistics test; regression: statistics test; outliers outlier: anomaly data; survey: statistics research
quarterly figures figure: data visualization report; board: executive presentation; dashboard: visualization bi; "pivot": spreadsheet
nightly: schedule pipeline batch; warehouse mart marts staging: dbt data; cron: schedule job; partition partitions: data pipeline airflow
etl elt: pipeline data; stream streaming kafka: event; schema: database design; normalise normalised normalize: schema database
"foreign keys": schema integrity database; index indexes: database query; "slow query" "slow queries": sql index optimization
locks locking: database transaction concurrency; embeddings embedding: vector semantic; "nearest neighbour": vector similarity search
retrieval: rag search vector; chunk: rag; hallucinate hallucinates hallucination: grounding verification guardrail evaluation
jailbreak: guardrail safety prompt; "system message" "system prompt": prompt; "few shot": prompt
"ignores instructions": prompt instruction
finetune finetuning: fine tuning lora; "fine tune": training lora; lora qlora: fine tuning; quantize quantise 4bit: quantization inference
pretrain pretraining: training dataset; gpu gpus: cuda training inference; spot: "cloud cost" skypilot
"loss curve" "loss curves": tensorboard wandb training
classifier: machine learning classification; overfit overfitting: regularization training; "throwing out weights": pruning
reward rewards: reinforcement rlhf; "runs locally" ollama: local inference; tokens: cost context; spent spending: cost usage budget
subagents: agent delegate; spawn: agent parallel; specialists: agent parallel multi; reviewers: review agent
"human approves": "human in the loop"
checkpoints: state persistence; cycles: graph; "reusable capability": skill; "teach claude" "teach agent": skill create; slash: command
hook hooks: claude plugin automation react; plugin plugins: extension; "model context protocol": mcp
"expose tools" "expose api": mcp server
claude: anthropic agent; "ask several": council perspective; devil: critique adversarial; perspectives angles: perspective thinking
okr okrs: strategy product goal; vision: strategy product; roadmap: product planning; persona: user audience; interview: user research
"go public": launch; announcement announce: launch press release; waitlist: launch; "press release": launch prfaq; "work backwards": prfaq
investor pitch: fundraising deck; headcount engineers: team hiring leadership; "grow team": scaling team; onboard: onboarding
invoice: billing; dunning: billing payment; "card fails" "cards fail" "payment fails": dunning billing payment
undo: compensation rollback
"across services": distributed microservices saga; subgraph subgraphs: graphql federation; "magic link": auth passwordless; passkey: auth
"protected routes" "protected route": auth middleware; "logged in": auth session; roles: authorization rbac; sso: auth saml oauth
"state management" "global state": state store zustand redux; redux: state store; "server component" "server components": nextjs react
combobox palette popover: component radix accessible; skeleton: loading state ui; keyboard: accessibility shortcut
"screen reader" "screen readers": accessibility aria
ipad iphone: ios swiftui; xcode: ios swift build; icloud: cloudkit sync; siri: ios intents; widget: ios component; android: kotlin compose
goroutines goroutine channels: go concurrency; pointers pointer: c++ memory; borrow: rust; decorator: python; observables: rxjs
sprites sprite platformer jump jumping collision: game 2d; shooter: game; vr ar: unity xr; npc: game ai
workflow automation: n8n zapier; spreadsheet: excel sheets; salesforce apex: crm salesforce; hubspot: crm; shopify: ecommerce store
slack: bot message; discord: bot; "slash command": bot command
scrape scraping: crawler extraction; url urls: web fetch page; paste: clipboard markdown; "clean text": markdown extract
`;
