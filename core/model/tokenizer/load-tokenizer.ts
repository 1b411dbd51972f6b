import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers'
import type { DomainError } from '../../kernel/errors.ts'
import { MODEL_ERRORS } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import { findTokenSpelling, spelledBytes, type TokenSpelling } from './token-bytes.ts'
import type { Tokenizer } from './tokenizer.ts'

const MOST_TOKEN_IDS = 2 ** 24
const PLAIN = { add_special_tokens: false }
/** A text that every vocabulary of a language can write. */
const LEAD_PROBE = 'a'

interface AddedToken {
  readonly id: number
  readonly content: string
  readonly isSpecial: boolean
}

/**
 * A tokenizer from the contents of tokenizer.json and tokenizer_config.json. Throws `invalid_model` for other kinds than
 * byte-level BPE and BPE with sentencepiece's spelling, and for a vocabulary that is not one.
 */
export function loadTokenizer(tokenizer: JsonObject, config: JsonObject): Tokenizer {
  const { model } = tokenizer
  if (!isJsonObject(model) || model['type'] !== 'BPE') throw refuse('its model is not BPE')
  const spelling = findTokenSpelling(tokenizer)
  if (spelling === undefined) throw refuse('its decoder is neither byte-level nor that of sentencepiece')
  const added = readAddedTokens(tokenizer)
  const bytes = readTokenBytes(model, added, spelling)
  const library = openLibrary(tokenizer, config)
  const plain = lazily(() => openLibrary(withoutSpecial(tokenizer, model, added), config))
  const canWriteAll = hasEveryByte(bytes)
  const decode: Tokenizer['decode'] = (ids, { keepSpecial = false } = {}) => {
    const known = ids.filter((id) => library.id_to_token(id) !== undefined)
    if (known.length === 0) return ''
    return library.decode(known, { skip_special_tokens: !keepSpecial, clean_up_tokenization_spaces: false })
  }
  return {
    vocabSize: bytes.length,
    lead: findLead(library.encode(LEAD_PROBE, PLAIN).ids, bytes),
    encode: (text, { addSpecial = false, asPlainText = false } = {}) => {
      const encoder = asPlainText ? plain() : library
      const { ids } = encoder.encode(text, { add_special_tokens: addSpecial })
      const isWritten = canWriteAll || decode(encoder.encode(text, PLAIN).ids, { keepSpecial: true }) === text
      if (isWritten && ids.every((id: unknown) => Number.isInteger(id))) return ids
      throw refuse('it has no token for a part of the text')
    },
    decode,
    tokenBytes: (id) => bytes[id] ?? null,
    tokenId: (text) => library.token_to_id(text) ?? null,
  }
}

/** Returns the text in front of the probe in the bytes of its tokens; empty when the vocabulary cannot write the probe. */
function findLead(ids: readonly number[], bytes: readonly (Uint8Array | null)[]): string {
  const text = Buffer.concat(ids.map((id) => bytes[id] ?? new Uint8Array())).toString()
  return text.endsWith(LEAD_PROBE) ? text.slice(0, -LEAD_PROBE.length) : ''
}

/** The library leaves characters out for which it has no token; a vocabulary with a token for each byte has none such. */
function hasEveryByte(bytes: readonly (Uint8Array | null)[]): boolean {
  const single = new Set(bytes.filter((each) => each?.length === 1).map((each) => each?.[0]))
  return single.size === 256
}

/** Returns the same tokenizer without its special tokens, except the unknown token. */
function withoutSpecial(tokenizer: JsonObject, model: JsonObject, added: readonly AddedToken[]): JsonObject {
  const names = new Set(
    added.filter(({ isSpecial, content }) => isSpecial && content !== model['unk_token']).map(({ content }) => content),
  )
  const vocab = isJsonObject(model['vocab']) ? model['vocab'] : {}
  const given = tokenizer['added_tokens']
  return {
    ...tokenizer,
    added_tokens: Array.isArray(given) ? given.filter((_: Json, place) => added[place]?.isSpecial === false) : [],
    model: { ...model, vocab: Object.fromEntries(Object.entries(vocab).filter(([token]) => !names.has(token))) },
  }
}

function openLibrary(tokenizer: JsonObject, config: JsonObject): LibraryTokenizer {
  const optional = { normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null, added_tokens: [] }
  try {
    return new LibraryTokenizer(
      { ...optional, ...tokenizer, pre_tokenizer: withAllDigits(tokenizer['pre_tokenizer'] ?? null) },
      config,
    )
  } catch (cause) {
    throw refuse(cause instanceof Error ? cause.message.slice(0, 200) : 'it cannot be read', cause)
  }
}

/**
 * `Digits` of the library knows only 0 to 9, that of Hugging Face's `tokenizers` all numeric characters: the same step
 * written as a splitter.
 */
function withAllDigits(step: Json): Json {
  if (!isJsonObject(step)) return step
  const { pretokenizers } = step
  if (Array.isArray(pretokenizers)) return { ...step, pretokenizers: pretokenizers.map(withAllDigits) }
  if (step['type'] !== 'Digits') return step
  const Regex = step['individual_digits'] === true ? '\\p{N}' : '\\p{N}+'
  return { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false }
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

function readAddedTokens(tokenizer: JsonObject): readonly AddedToken[] {
  const given = tokenizer['added_tokens'] ?? []
  if (!Array.isArray(given)) throw refuse('added_tokens is not a list')
  return given.map((token: unknown) => {
    if (typeof token === 'object' && token !== null && 'id' in token && 'content' in token) {
      const { id, content } = token
      const isSpecial = 'special' in token && token.special === true
      if (isTokenId(id) && typeof content === 'string' && content !== '') return { id, content, isSpecial }
    }
    throw refuse('an added token has no id or no content')
  })
}

/** For every id the bytes of its token; null for special tokens and ids without one. */
function readTokenBytes(
  model: JsonObject,
  added: readonly AddedToken[],
  spelling: TokenSpelling,
): readonly (Uint8Array | null)[] {
  const { vocab } = model
  if (!isJsonObject(vocab)) throw refuse('its vocabulary is not an object')
  if (!Array.isArray(model['merges'] ?? [])) throw refuse('its merges are not a list')
  const bytes: (Uint8Array | null)[] = []
  const put = (id: number, value: Uint8Array | null) => {
    while (bytes.length <= id) bytes.push(null)
    bytes[id] = value
  }
  for (const [token, id] of Object.entries(vocab)) {
    if (!isTokenId(id)) throw refuse(`token ${JSON.stringify(token.slice(0, 80))} has no id`)
    put(id, spelledBytes(token, spelling) ?? null)
  }
  for (const { id, content, isSpecial } of added) put(id, isSpecial ? null : new TextEncoder().encode(content))
  if (bytes.length === 0) throw refuse('its vocabulary is empty')
  return bytes
}

function isTokenId(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < MOST_TOKEN_IDS
}

function refuse(problem: string, cause?: unknown): DomainError {
  return MODEL_ERRORS.invalid_model(`tokenizer.json: ${problem}`, { cause })
}
