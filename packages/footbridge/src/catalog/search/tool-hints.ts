/** Names of tools, products and formats, and what skills about them say: `names: words they lead to`. One way only. */
export const TOOL_HINTS = `
pytest unittest tox: python testing; pip conda poetry virtualenv venv pyproject: python package environment dependency
numpy scipy: python numerical scientific; pandas polars: python data dataframe; matplotlib seaborn plotly: plot visualization chart
django flask fastapi: python backend web api; pydantic: python validation schema; sqlalchemy: python orm database
asyncio: python async concurrency; celery: python queue worker; streamlit gradio: python dashboard app
pytorch tensorflow keras jax: training model "deep learning" neural; sklearn xgboost lightgbm: "machine learning" model training
huggingface: model transformers training; lora qlora: finetune training llm; cuda nvidia: gpu; mlflow wandb: experiment tracking model
ollama llamacpp vllm: llm inference local; langchain langgraph llamaindex: llm agent rag; openai anthropic gemini: llm api model
claude codex copilot cursor: agent ai coding; whisper deepgram: transcription audio speech; elevenlabs tts: speech voice audio
dalle midjourney "stable diffusion": image generation; pinecone weaviate qdrant chroma pgvector faiss: vector embedding search
npm yarn pnpm: javascript node package dependency; webpack vite rollup esbuild turbopack: bundler build frontend
node nodejs: javascript backend; bun deno: javascript runtime; express fastify koa: node backend api; nestjs: typescript backend
jest vitest mocha: testing javascript unit; cypress playwright selenium puppeteer: browser e2e testing automation
jsx tsx: react component; nextjs: react frontend server; remix gatsby: react frontend; redux zustand: state react
vue nuxt: frontend component; svelte sveltekit: frontend component; angular rxjs: frontend component; tailwind sass: css styling
html dom: web frontend; astro: website static; storybook: component design; threejs webgl: 3d graphics; d3: visualization chart
lighthouse: performance seo accessibility; figma: design ui; canva: design graphic; photoshop: image design editing
rails activerecord: ruby; laravel symfony composer artisan: php; wordpress: website php plugin; drupal: website php
spring springboot: java backend; maven gradle: java build; junit: java testing; hibernate jpa: java database orm; quarkus: java
ktor: kotlin backend; jetpack: android kotlin compose; xcode: ios swift build; swiftui uikit: ios swift interface; testflight: ios release
flutter dart: mobile app; "react native" expo: mobile app; apk: android; cargo crate tokio: rust; goroutine: golang concurrency
cmake makefile: build "c++" compile; linker: build compile; gcc clang: compile "c++"; nuget blazor aspnet: dotnet "c#"
unity unreal godot: game; blender: 3d model; arduino esp32 stm32: embedded firmware; raspberry: embedded linux; kicad: pcb circuit
postgres mysql mariadb sqlite: sql database; mssql oracle: sql database; mongo dynamodb cassandra: database nosql
redis memcached: cache; kafka rabbitmq sqs nats: queue message event streaming; elasticsearch: search index; clickhouse: analytics database
snowflake bigquery redshift databricks: warehouse data sql analytics; dbt: data warehouse transformation; airflow dagster: pipeline data orchestration
spark hadoop: data processing; etl: pipeline data; parquet arrow: data; powerbi tableau looker metabase: dashboard analytics visualization
prisma drizzle typeorm sequelize: orm database; graphql: api schema; grpc protobuf: api service; swagger openapi: api specification
curl postman: api http; websocket sse: realtime; oauth sso saml oidc: authentication identity; jwt: authentication token security
stripe paypal: payment billing; shopify woocommerce magento: ecommerce store; salesforce hubspot crm: sales customer
slack discord telegram whatsapp teams: message notification chat; gmail outlook: email; twilio: sms message
notion obsidian evernote confluence: notes knowledge documentation; trello asana linear jira: task project issue
gdoc gsheet: document spreadsheet google; drive dropbox onedrive: file storage; airtable: database spreadsheet
zapier n8n: workflow automation integration; zoom: meeting video; calendly: calendar meeting
aws ec2 s3 lambda fargate ecs eks cloudformation: aws cloud infrastructure serverless; azure: cloud microsoft; gcp gke: google cloud
vercel netlify heroku: deploy hosting; cloudflare: cdn network dns; digitalocean: hosting server; firebase supabase: backend database authentication
terraform pulumi ansible: infrastructure provisioning; docker dockerfile podman: container; kubernetes helm: container deployment cluster
nginx apache: server proxy web; prometheus grafana datadog: monitoring metrics dashboard; sentry: error monitoring; opentelemetry: tracing observability
splunk kibana loki: log monitoring; pagerduty: incident alert; jenkins circleci travis: ci pipeline build
github gitlab bitbucket: repository git "pull request"; yaml: configuration; actions: workflow ci; precommit: hook git lint
eslint prettier biome: lint format javascript; ruff black mypy flake8: lint python format; sonarqube: quality static analysis
semgrep codeql snyk: security scan vulnerability; owasp xss csrf sqli: security web vulnerability; burp metasploit nmap: security penetration
pentest: security penetration; wireshark: network; bgp ospf vlan: network router; wireguard openvpn tailscale: vpn network
pihole: dns network; linux ubuntu debian: server shell system; macos: mac apple; powershell: windows shell; systemd cron: linux service schedule
tmux zsh fish: terminal shell; dotfiles bashrc zshrc: shell configuration; vim neovim emacs vscode: editor configuration
ffmpeg: video audio conversion; premiere capcut davinci: video editing; mp4 mov avi: video; mp3 wav flac: audio; srt: subtitle
youtube tiktok instagram: video social content; linkedin facebook twitter: social post; reddit: social community; substack mailchimp: newsletter email
pdf: document; epub: book; docx odt: document word; xlsx xls: spreadsheet; pptx: presentation slide; svg: icon vector; png jpg jpeg webp: image
markdown: documentation text; latex overleaf: paper document; bibtex zotero: citation reference; arxiv pubmed: paper literature research
jupyter colab ipynb: notebook python; stata spss: statistics; tidyverse ggplot: statistics visualization; matlab: numerical simulation
ethereum solidity evm hardhat foundry: "smart contract" blockchain; bitcoin btc eth defi nft: crypto blockchain; uniswap: defi trading
sap erp: enterprise; abap: sap; cobol mainframe: legacy; tally quickbooks xero: accounting; gaap ifrs: accounting finance
hipaa phi: healthcare privacy compliance; gdpr ccpa: privacy compliance; soc2 iso27001: compliance audit; pci: payment compliance
wcag aria: accessibility; okr kpi: goal metrics; nps csat: customer survey; icp: customer marketing; prd: requirements product
rfc adr: architecture decision document; sla slo: reliability monitoring; p95 p99 rps: latency load performance; kanban scrum: agile sprint; gantt: project plan
crispr pcr: biology laboratory; fastq bam vcf: sequencing genomics; rdkit smiles: chemistry molecule; pdb alphafold: protein structure
qiskit: quantum; ros: robot; fhir hl7: healthcare data; dicom mri: medical imaging; geojson shapefile qgis: geospatial map
homeassistant zigbee: home automation; cisco juniper: network router; mqtt: iot message; plc scada: industrial automation
`;
