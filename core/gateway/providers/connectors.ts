/** Something that works with the service today. */
export interface Connector {
  readonly id: string
  readonly name: string
  readonly category: 'sdk' | 'framework' | 'automation' | 'client' | 'manifest' | 'observability'
  readonly tagline: string
  /** Where the guide describes it: a path of this service, or the tool's own page. */
  readonly docs: string
  /**
   * `tested`: the published package, or this very interface, is run against the service by its tests. `by_protocol`: the tool
   * speaks a protocol that is tested, and is not itself tested.
   */
  readonly proof: 'tested' | 'by_protocol'
  /** The base address for the tool, after the address of the service; null where it gets none. */
  readonly basePath: string | null
}

/** The connectors that work. */
export const CONNECTORS: readonly Connector[] = [
  {
    id: 'openai-sdk',
    name: 'OpenAI SDK',
    category: 'sdk',
    tagline: 'Chat completions, responses, embeddings and moderations with another base address',
    docs: '/docs/guides/gateway',
    proof: 'tested',
    basePath: '/v1',
  },
  {
    id: 'anthropic-sdk',
    name: 'Anthropic SDK',
    category: 'sdk',
    tagline: 'Messages with another base address',
    docs: '/docs/guides/gateway',
    proof: 'tested',
    basePath: '',
  },
  {
    id: 'google-genai-sdk',
    name: 'Google Gen AI SDK',
    category: 'sdk',
    tagline: 'generateContent with another base address',
    docs: '/docs/guides/gateway',
    proof: 'tested',
    basePath: '',
  },
  {
    id: 'langchain',
    name: 'LangChain',
    category: 'framework',
    tagline: 'ChatOpenAI with `base_url`: it calls chat completions',
    docs: 'https://docs.langchain.com',
    proof: 'by_protocol',
    basePath: '/v1',
  },
  {
    id: 'llamaindex',
    name: 'LlamaIndex',
    category: 'framework',
    tagline: 'OpenAILike with `api_base`: it calls chat completions',
    docs: 'https://docs.llamaindex.ai',
    proof: 'by_protocol',
    basePath: '/v1',
  },
  {
    id: 'http-request',
    name: 'n8n, Make and Zapier',
    category: 'automation',
    tagline: 'Their step for HTTP requests logs pairs by POST /v1/capture/log',
    docs: '/docs/guides/captures',
    proof: 'by_protocol',
    basePath: '/v1/capture/log',
  },
  {
    id: 'svc-clients',
    name: 'Clients for TypeScript and Python',
    category: 'client',
    tagline: 'Generated from the OpenAPI document',
    docs: '/docs/guides/clients',
    proof: 'tested',
    basePath: '',
  },
  {
    id: 'openapi',
    name: 'OpenAPI 3.1',
    category: 'manifest',
    tagline: 'Every route with its schemas, for generators and tools',
    docs: '/docs/api',
    proof: 'tested',
    basePath: '/openapi.json',
  },
  {
    id: 'opentelemetry',
    name: 'OpenTelemetry',
    category: 'observability',
    tagline: 'Spans and metrics of model calls by OTLP, for the operator',
    docs: '/docs/guides/gateway',
    proof: 'tested',
    basePath: null,
  },
  {
    id: 'prometheus',
    name: 'Prometheus',
    category: 'observability',
    tagline: 'Counters of calls, tokens, cost and latency, for the operator',
    docs: '/docs/guides/gateway',
    proof: 'tested',
    basePath: '/metrics',
  },
]

/** Connectors that do not exist: `POST /v1/connectors/notify` takes wishes for them. */
export const WAITLIST = [
  'zendesk',
  'intercom',
  'slack',
  'notion',
  'salesforce',
  'github',
  'hubspot',
  'google_drive',
] as const
