import type { DomainError } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import type { ModelConfig } from '../../config/model-config.ts'
import type { GgufMetadata } from './container.ts'
import { count, text } from './metadata.ts'
import { findPreTokenizer } from './pre-tokenizer.ts'

/** The keys `tokenizer.*` of a model. */
export type TokenizerMetadata = GgufMetadata

/** Sources of the tokenizer's keys. */
export interface GgufTokenizerInput {
  /** The contents of tokenizer.json. */
  readonly tokenizer: JsonObject
  readonly config: ModelConfig
  /** The Jinja source of the chat template. */
  readonly chatTemplate: string | null
  /** The ids that encoding a text with special tokens puts around it. */
  readonly addsBos: boolean
  readonly addsEos: boolean
}

/** `LLAMA_TOKEN_TYPE_*` of llama.cpp. */
const TOKEN_TYPES = { normal: 1, control: 3, userDefined: 4, unused: 5 } as const

/**
 * A byte-level BPE tokenizer under llama.cpp's keys (`tokenizer.ggml.model` is `gpt2`). Ids without a token are padded,
 * as llama.cpp's converter does. Throws `export_not_applicable` for other kinds of tokenizers, and for one that splits
 * text in a way that llama.cpp does not know.
 */
export function tokenizerMetadata(input: GgufTokenizerInput): TokenizerMetadata {
  const { tokenizer, config } = input
  const { model, added_tokens: added } = tokenizer
  if (!isJsonObject(model) || model['type'] !== 'BPE' || !isJsonObject(model['vocab'])) {
    throw notApplicable('only byte-level BPE tokenizers are written as GGUF')
  }
  const { tokens, types } = readTokens(model['vocab'], added, config.vocabSize)
  const [endOfSequence] = config.eosTokenIds
  return [
    ['tokenizer.ggml.model', text('gpt2')],
    ['tokenizer.ggml.pre', text(findPreTokenizer(tokenizer['pre_tokenizer'], tokenizer['normalizer']))],
    ['tokenizer.ggml.tokens', { type: 'strings', value: tokens }],
    ['tokenizer.ggml.token_type', { type: 'int32s', value: types }],
    ['tokenizer.ggml.merges', { type: 'strings', value: readMerges(model['merges']) }],
    ...(config.bosTokenId === null ? [] : ([['tokenizer.ggml.bos_token_id', count(config.bosTokenId)]] as const)),
    ...(endOfSequence === undefined ? [] : ([['tokenizer.ggml.eos_token_id', count(endOfSequence)]] as const)),
    ...(config.padTokenId === null ? [] : ([['tokenizer.ggml.padding_token_id', count(config.padTokenId)]] as const)),
    ['tokenizer.ggml.add_bos_token', { type: 'bool', value: input.addsBos }],
    ['tokenizer.ggml.add_eos_token', { type: 'bool', value: input.addsEos }],
    ...(input.chatTemplate === null ? [] : ([['tokenizer.chat_template', text(input.chatTemplate)]] as const)),
  ]
}

function readTokens(
  vocab: JsonObject,
  added: Json | undefined,
  vocabSize: number,
): { readonly tokens: readonly string[]; readonly types: readonly number[] } {
  const tokens = Array.from({ length: vocabSize }, (_, id) => `[PAD${id}]`)
  const types = Array.from({ length: vocabSize }, (): number => TOKEN_TYPES.unused)
  const put = (id: Json | undefined, token: string, type: number): void => {
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= vocabSize) {
      throw MODEL_ERRORS.invalid_model(`tokenizer.json: the id of ${JSON.stringify(token)} has no embedding`)
    }
    tokens[id] = token
    types[id] = type
  }
  for (const [token, id] of Object.entries(vocab)) put(id, token, TOKEN_TYPES.normal)
  for (const entry of Array.isArray(added) ? added : []) {
    if (!isJsonObject(entry) || typeof entry['content'] !== 'string') continue
    const isSpecial = entry['special'] === true
    put(entry['id'], entry['content'], isSpecial ? TOKEN_TYPES.control : TOKEN_TYPES.userDefined)
  }
  return { tokens, types }
}

/** Returns the merges as `left right`, from either form of tokenizer.json. */
function readMerges(merges: Json | undefined): readonly string[] {
  if (!Array.isArray(merges)) throw MODEL_ERRORS.invalid_model('tokenizer.json: the merges are not a list')
  return merges.map((merge: Json) => {
    if (typeof merge === 'string') return merge
    if (Array.isArray(merge) && merge.length === 2) return merge.join(' ')
    throw MODEL_ERRORS.invalid_model('tokenizer.json: a merge is not a pair')
  })
}

function notApplicable(message: string): DomainError {
  return MODEL_ERRORS.export_not_applicable(message)
}
