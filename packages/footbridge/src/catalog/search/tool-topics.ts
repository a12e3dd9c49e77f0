/** What well-known products are about: people ask for the thing, and their tools rarely name it. `names: what they are about`. */
const TOPICS = `
stripe paypal square adyen mollie: payment money customer pay; shopify woocommerce magento bigcommerce: shop store order product customer
xero quickbooks freshbooks: accounting invoice bill money; plaid monzo revolut wise: bank account transaction money; alpaca robinhood: stock trading
sentry rollbar bugsnag: error crash exception bug production stack trace; datadog newrelic dynatrace honeycomb signoz: monitoring metrics logs alert service
grafana prometheus loki: monitoring dashboard metrics alert logs; pagerduty opsgenie incidentio: incident alert on call shift page outage; splunk: logs events
jira atlassian linear youtrack shortcut: ticket issue task bug project; confluence: wiki page documentation; asana trello clickup monday todoist ticktick things: task todo project list
notion obsidian evernote logseq bear roam apple-notes: note notes page knowledge; google-keep onenote: note
gdrive drive google-drive dropbox onedrive box: file document folder storage; gsheets sheets excel: spreadsheet sheet row cell; gdocs docs word: document text
gmail outlook mail imap fastmail: mail email inbox message; calendar google-calendar gcal caldav: meeting appointment event schedule agenda
slack discord teams telegram whatsapp mattermost signal: chat message channel; zoom meet webex: meeting video call; twilio vonage messagebird: sms text phone call
intercom zendesk freshdesk helpscout front: support ticket customer request conversation; salesforce hubspot pipedrive attio zoho: customer lead deal contact sales
mailchimp sendgrid resend postmark brevo klaviyo: email newsletter campaign; typeform tally surveymonkey: form survey response
supabase firebase neon planetscale appwrite: database project backend; postgres postgresql mysql mariadb sqlite mssql oracle duckdb: database table sql query
bigquery snowflake redshift databricks clickhouse athena: warehouse table sql query data; mongodb mongo dynamodb couchdb cassandra: database collection document
redis memcached upstash valkey: cache key value; elasticsearch opensearch algolia meilisearch typesense: search index document; pinecone weaviate qdrant chroma: vector
neo4j: graph database; kafka rabbitmq nats sqs: queue message topic; s3 minio r2 gcs blob: bucket object file storage upload
aws ec2 azure gcp digitalocean hetzner linode: cloud server instance; vercel netlify render heroku railway fly: deploy deployment site hosting; cloudflare: domain dns cdn worker
docker podman portainer: container image; kubernetes k8s eks gke: cluster pod container; terraform pulumi opentofu: infrastructure cloud resource; ansible: server playbook
github gitlab bitbucket gitea: repository code commit issue review; git: commit branch repository code; circleci jenkins buildkite travis teamcity: build pipeline job
playwright puppeteer selenium browserbase chrome browser: browser page website; firecrawl apify scrapy crawl4ai: website scrape page; brave tavily exa perplexity duckduckgo serper kagi: web search internet
figma sketch penpot: design frame component; canva: design; miro lucid excalidraw: board diagram; wordpress ghost webflow contentful sanity strapi: blog website post article content
youtube vimeo: video channel; spotify music deezer sonos: music song artist speaker; homeassistant home-assistant hass hue openhab: smart home light lamp heating room device door
weather openweather accuweather meteo: rain snow sun wind temperature forecast; maps mapbox osm: place route map address; airbnb booking: hotel stay travel; uber lyft: ride
twitter x bluesky mastodon linkedin facebook instagram reddit tiktok: post social; hackernews rss: news; arxiv pubmed semanticscholar: paper research study
zapier n8n make ifttt: automation workflow; airtable baserow nocodb: table record base; calendly: meeting booking appointment call; docusign: contract signature document
auth0 okta clerk keycloak: user login; vault: secret password; 1password bitwarden: secret password login credential vault; lastpass dashlane nordpass: password login vault; snyk sonarqube semgrep: vulnerability code security
launchdarkly unleash flagsmith statsig growthbook: feature flag toggle rollout experiment; posthog amplitude mixpanel plausible matomo: analytics event feature flag
ynab actual-budget lunchmoney monarch: budget transaction account purchase spending; calcom acuity savvycal: booking meeting appointment call event
postman insomnia bruno hoppscotch: api request collection test endpoint mock; swagger openapi: api endpoint; storybook: component story
here tomtom opencage geoapify: place route address; noaa openmeteo: rain snow wind forecast temperature; languagetool grammarly: text writing grammar
exa searxng kagi: web search; brightdata zyte oxylabs: website scrape page; browserstack saucelabs: browser test device; dbt: model warehouse data
contentstack storyblok prismic hygraph: content article post; cloudinary imagekit: image video media; docling unstructured: document parse
wikipedia: article fact; deepl: translate translation text writing; stability replicate dalle everart: image generate; elevenlabs: speech voice audio; strava garmin fitbit: workout activity run
greenhouse lever bamboohr workday: employee candidate hiring; coinbase binance coingecko: crypto coin price; polygon yahoo-finance alphavantage: stock price market
`;

/** By the name of a product, in lower case and without punctuation. */
let topics: ReadonlyMap<string, string> | undefined;

/** What the products in the name of a server are about. */
export function topicsOf(words: readonly string[]): string {
  topics ??= readTopics();
  const about = new Set<string>();
  for (const [index, word] of words.entries())
    for (const name of [word, `${word}${words[index + 1] ?? ''}`]) {
      const topic = topics.get(name);
      if (topic !== undefined) about.add(topic);
    }
  return [...about].join(' ');
}

function readTopics(): ReadonlyMap<string, string> {
  const read = new Map<string, string>();
  for (const line of TOPICS.trim().split(/[;\n]/)) {
    const [names = '', about = ''] = line.split(': ');
    for (const name of names.trim().split(' ')) read.set(name.replaceAll('-', ''), about);
  }
  return read;
}
