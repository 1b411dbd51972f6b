import { MODEL_ERRORS } from '../errors.ts'
import type { Json, JsonObject } from '../../kernel/json/json.ts'
import { ConfigFields } from './config-fields.ts'
import { readExperts } from './experts-config.ts'
import type { ModelConfig, ModelFamily } from './model-config.ts'
import { readRope } from './rope-scaling.ts'

/** Defaults of transformers' classes for fields missing from config.json. */
interface FamilyDefaults {
  readonly family: ModelFamily
  readonly contextLength: number
  /** Null: hidden size divided by heads. */
  readonly headDim: number | null
  readonly qkNorm: boolean
}

const FAMILIES: Readonly<Record<string, FamilyDefaults>> = {
  LlamaForCausalLM: { family: 'llama', contextLength: 2048, headDim: null, qkNorm: false },
  Qwen2ForCausalLM: { family: 'qwen2', contextLength: 32_768, headDim: null, qkNorm: false },
  Qwen3ForCausalLM: { family: 'qwen3', contextLength: 32_768, headDim: 128, qkNorm: true },
  Qwen3MoeForCausalLM: { family: 'qwen3_moe', contextLength: 32_768, headDim: null, qkNorm: true },
}

const ACTIVATIONS = ['silu', 'swish']
const SIZE = { min: 1, max: 2 ** 20 }
const VOCABULARY = { min: 1, max: 2 ** 24 }
const LAYERS = { min: 1, max: 1024 }

/**
 * Reads config.json, and generation_config.json if present, which takes precedence for the tokens that end a
 * generation. Throws `unsupported_architecture`, which lists the supported ones, for a model that would be computed
 * wrongly here, and `invalid_model` for inconsistent numbers.
 */
export function parseModelConfig(config: JsonObject, generation: JsonObject = {}): ModelConfig {
  const fields = new ConfigFields('config.json', config)
  const { architecture, defaults } = readArchitecture(fields)
  refuseUnknownParts(fields)
  const hiddenSize = fields.integer('hidden_size', SIZE)
  const heads = fields.integer('num_attention_heads', SIZE)
  const kvHeads = fields.integer('num_key_value_heads', SIZE, heads)
  const headDim = fields.integer('head_dim', SIZE, defaults.headDim ?? hiddenSize / heads)
  if (heads % kvHeads !== 0) throw fields.refuse('num_key_value_heads', 'has to divide num_attention_heads')
  if (headDim % 2 !== 0) throw fields.refuse('head_dim', 'has to be even: rotary embeddings turn pairs')
  const layers = fields.integer('num_hidden_layers', LAYERS)
  const vocabSize = fields.integer('vocab_size', VOCABULARY)
  const contextLength = fields.integer('max_position_embeddings', VOCABULARY, defaults.contextLength)
  refuseSlidingWindow(fields, layers, contextLength)
  const rope = readRope(fields)
  const hasAttentionBias = fields.flag('attention_bias', false)
  const generationFields = new ConfigFields('generation_config.json', generation)
  const token = (name: string) =>
    readTokenIds(generationFields, name, vocabSize) ?? readTokenIds(fields, name, vocabSize)
  return {
    family: defaults.family,
    architecture,
    vocabSize,
    hiddenSize,
    layers,
    heads,
    kvHeads,
    headDim,
    intermediateSize: fields.integer('intermediate_size', SIZE),
    contextLength,
    normEpsilon: fields.positive('rms_norm_eps', 1e-6),
    ropeTheta: rope.theta,
    ropeScaling: rope.scaling,
    // Qwen2's layer has the biases of queries, keys and values fixed in its code, and no others.
    qkvBias: defaults.family === 'qwen2' || hasAttentionBias,
    outputBias: defaults.family !== 'qwen2' && hasAttentionBias,
    mlpBias: defaults.family === 'llama' && fields.flag('mlp_bias', false),
    qkNorm: defaults.qkNorm,
    tiedEmbeddings: fields.flag('tie_word_embeddings', false),
    bosTokenId: token('bos_token_id')?.[0] ?? null,
    eosTokenIds: token('eos_token_id') ?? [],
    padTokenId: token('pad_token_id')?.[0] ?? null,
    ...(defaults.family === 'qwen3_moe' && { experts: readExperts(fields, layers) }),
  }
}

function readArchitecture(fields: ConfigFields): { architecture: string; defaults: FamilyDefaults } {
  const architecture = fields.list('architectures')?.[0]
  const name = typeof architecture === 'string' ? architecture : 'none'
  const defaults = Object.hasOwn(FAMILIES, name) ? FAMILIES[name] : undefined
  if (defaults !== undefined) return { architecture: name, defaults }
  const supported = Object.keys(FAMILIES)
  throw MODEL_ERRORS.unsupported_architecture(
    `architecture ${name} is not supported; supported are ${supported.join(', ')}`,
    { details: { architecture: name, supported } },
  )
}

function refuseUnknownParts(fields: ConfigFields): void {
  const activation = fields.text('hidden_act', 'silu')
  if (!ACTIVATIONS.includes(activation)) {
    throw MODEL_ERRORS.unsupported_architecture(`hidden_act ${activation} is not supported; silu is`)
  }
  if (fields.value('quantization_config') !== undefined) {
    throw MODEL_ERRORS.unsupported_architecture('quantized weights are not supported; F32, F16 and BF16 are')
  }
}

/** A window that a sequence of the full context never leaves is the same as none. */
function refuseSlidingWindow(fields: ConfigFields, layers: number, contextLength: number): void {
  const window = fields.value('sliding_window')
  if (typeof window === 'number' && window >= contextLength) return
  const types = fields.list('layer_types')
  const isUsed =
    types === undefined
      ? fields.flag('use_sliding_window', false) && window !== undefined && firstWindowedLayer(fields) < layers
      : types.some((type) => type !== 'full_attention')
  if (isUsed) {
    throw MODEL_ERRORS.unsupported_architecture(
      'attention within a sliding window shorter than the context is not supported',
    )
  }
}

function firstWindowedLayer(fields: ConfigFields): number {
  const first = fields.value('max_window_layers')
  return typeof first === 'number' ? first : 0
}

/** One id or a list of them; a negative one means none. */
function readTokenIds(fields: ConfigFields, name: string, vocabSize: number): readonly number[] | undefined {
  const value = fields.value(name)
  if (value === undefined) return undefined
  const given: readonly Json[] = Array.isArray(value) ? value : [value]
  const ids = given.filter((id) => typeof id === 'number' && Number.isInteger(id) && id < vocabSize)
  if (ids.length < given.length) throw fields.refuse(name, `has to hold token ids below vocab_size ${vocabSize}`)
  return ids.filter((id) => typeof id === 'number').filter((id) => id >= 0)
}
