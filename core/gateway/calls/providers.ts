import type { CallerDialectName } from '../providers/provider.ts'

/** Kinds of answers of providers besides those in the dialects of models. */
export type PlainKind = 'embeddings' | 'moderations' | 'token-counts' | AudioKind

/** Calls that take or give sound. */
const AUDIO_KINDS = ['speech', 'transcriptions', 'translations'] as const
export type AudioKind = (typeof AUDIO_KINDS)[number]

/** True for a call that takes or gives sound. */
export function isAudioKind(kind: PlainKind | null | undefined): kind is AudioKind {
  return AUDIO_KINDS.some((one) => one === kind)
}

/** All kinds of sound behind one prefix. */
function audioAt(prefix: string): Readonly<Record<AudioKind, string>> {
  return { speech: prefix, transcriptions: prefix, translations: prefix }
}

/** A provider that the gateway forwards calls to. */
export interface GatewayProvider {
  readonly id: string
  readonly label: string
  readonly baseUrl: string
  /** Environment variables of the operator's key; the first that is set counts. */
  readonly keyVariables: readonly string[]
  /** False for a self-hosted server, which may need no key. */
  readonly needsKey: boolean
  /**
   * The dialects that it speaks with what stands before their path. A caller's own dialect is passed through;
   * of the others the first is translated into.
   */
  readonly speaks: readonly (readonly [CallerDialectName, prefix: string])[]
  /** Other kinds that it answers, likewise, in OpenAI's form. */
  readonly plain: Readonly<Partial<Record<PlainKind, string>>>
  /** Names of models that lead here without its name before them. */
  readonly models: RegExp | null
  readonly takesImages: boolean
  /** A path that is answered with 2xx only for a key that works, and costs nothing. */
  readonly keyCheck: string
  /** The path of its list of models. */
  readonly modelList: string
}

/** The ways in which an installation asks for models: at the providers, or at one server of its own. */
export const GATEWAY_MODES = ['cloud', 'local-ollama', 'local-vllm'] as const
export type GatewayMode = (typeof GATEWAY_MODES)[number]

/** The providers, in the order in which they are listed. */
export const GATEWAY_PROVIDERS = [
  {
    id: 'openai',
    label: 'OpenAI',
    baseUrl: 'https://api.openai.com',
    keyVariables: ['OPENAI_API_KEY'],
    needsKey: true,
    speaks: [
      ['chat-completions', '/v1'],
      ['responses', '/v1'],
    ],
    plain: { embeddings: '/v1', moderations: '/v1', ...audioAt('/v1') },
    models: /^(gpt-|chatgpt-|codex-|o\d|tts-1|whisper-1$|text-embedding-(3|ada)|omni-moderation|text-moderation)/,
    takesImages: true,
    keyCheck: '/v1/models',
    modelList: '/v1/models',
  },
  {
    id: 'anthropic',
    label: 'Anthropic',
    baseUrl: 'https://api.anthropic.com',
    keyVariables: ['ANTHROPIC_API_KEY'],
    needsKey: true,
    speaks: [['messages', '']],
    plain: {},
    models: /^claude-/,
    takesImages: true,
    keyCheck: '/v1/models',
    modelList: '/v1/models?limit=1000',
  },
  {
    id: 'google',
    label: 'Google Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com',
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    needsKey: true,
    speaks: [
      ['generate-content', ''],
      ['chat-completions', '/v1beta/openai'],
    ],
    plain: { embeddings: '/v1beta/openai' },
    models: /^(gemini-|gemma-|text-embedding-004$)/,
    takesImages: true,
    keyCheck: '/v1beta/models',
    modelList: '/v1beta/models?pageSize=1000',
  },
  compatible('deepseek', 'DeepSeek', 'https://api.deepseek.com', '/v1', {
    models: /^deepseek-/,
    takesImages: false,
  }),
  compatible('groq', 'Groq', 'https://api.groq.com', '/openai/v1', { plain: audioAt('/openai/v1') }),
  compatible('together', 'Together AI', 'https://api.together.xyz', '/v1', {
    plain: { embeddings: '/v1', ...audioAt('/v1') },
  }),
  compatible('fireworks', 'Fireworks AI', 'https://api.fireworks.ai', '/inference/v1', {
    plain: { embeddings: '/inference/v1' },
    models: /^accounts\/fireworks\//,
  }),
  compatible('openrouter', 'OpenRouter', 'https://openrouter.ai/api', '/v1', {
    plain: { embeddings: '/v1' },
    // Its list of models is public.
    keyCheck: '/v1/key',
  }),
  own('local-vllm', 'vLLM', 'http://127.0.0.1:8000', 'VLLM_API_KEY'),
  own('local-ollama', 'Ollama', 'http://127.0.0.1:11434', 'OLLAMA_API_KEY'),
  own('local-svc', 'svc on this machine', 'http://127.0.0.1:8765', 'SVC_LOCAL_API_KEY'),
] as const satisfies readonly GatewayProvider[]

/** The id of one of them. */
export type GatewayProviderId = (typeof GATEWAY_PROVIDERS)[number]['id']

/** Where the operator reaches a provider. */
export interface OperatorUpstream {
  /** In place of the provider's own, without a slash at its end. */
  readonly baseUrl?: string | undefined
  readonly apiKey?: string | undefined
}

/** The operator's settings by provider. */
export type OperatorUpstreams = Readonly<Partial<Record<GatewayProviderId, OperatorUpstream>>>

function compatible<Id extends string>(
  id: Id,
  label: string,
  baseUrl: string,
  prefix: string,
  more: Partial<Pick<GatewayProvider, 'models' | 'plain' | 'takesImages' | 'keyCheck'>> = {},
) {
  return {
    id,
    label,
    baseUrl,
    keyVariables: [`${id.toUpperCase()}_API_KEY`],
    needsKey: true,
    speaks: [['chat-completions', prefix]] as const,
    plain: {},
    models: null,
    takesImages: true,
    keyCheck: `${prefix}/models`,
    modelList: `${prefix}/models`,
    ...more,
  }
}

function own<Id extends string>(id: Id, label: string, baseUrl: string, keyVariable: string) {
  const provider = compatible(id, label, baseUrl, '/v1', { plain: { embeddings: '/v1', ...audioAt('/v1') } })
  return { ...provider, keyVariables: [keyVariable], needsKey: false }
}
