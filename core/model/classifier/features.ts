import type { Json } from '../../kernel/json/json.ts'
import { isJsonObject } from '../../kernel/json/json.ts'

/** Which features a classifier reads from its input; part of its recipe. */
export interface FeatureSettings {
  /** Longest word n-gram, 1 or 2; 0 for none. */
  readonly wordGrams: number
  /** Shortest and longest character n-gram inside a word with a space on either side; 0 and 0 for none. */
  readonly charGrams: readonly [number, number]
}

/** Receives each feature occurrence as a 32-bit hash (unsigned). */
type Sink = (hash: number) => void

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193
const SPACE = 0x20
const SEPARATOR = 0x1f
const WORD = /[\p{L}\p{M}\p{N}]+/gu
const MAX_TEXT_CHARS = 20_000
/** Character count assumed for a number, boolean or null. */
const SCALAR_CHARS = 8

const encoder = new TextEncoder()

/** FNV-1a, one byte. */
function step(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, FNV_PRIME)
}

/** The finaliser of MurmurHash3 (fmix32): spreads FNV's weak low bits. */
function finish(hash: number): number {
  let h = hash
  h ^= h >>> 16
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  h ^= h >>> 16
  return h >>> 0
}

function seed(path: string, group: string): number {
  let hash = FNV_OFFSET
  for (const byte of encoder.encode(path)) hash = step(hash, byte)
  hash = step(hash, SEPARATOR)
  return step(hash, group.charCodeAt(0))
}

function absorb(hash: number, bytes: Uint8Array): number {
  let h = hash
  for (let i = 0; i < bytes.length; i++) h = step(h, bytes[i] ?? 0)
  return h
}

/** Returns the start of each character in UTF-8 bytes, with the length at the end. */
function characterStarts(bytes: Uint8Array): number[] {
  const starts: number[] = []
  for (let i = 0; i < bytes.length; i++) if (((bytes[i] ?? 0) & 0xc0) !== 0x80) starts.push(i)
  starts.push(bytes.length)
  return starts
}

function charGramsOf(word: Uint8Array, state: number, [min, max]: readonly [number, number], emit: Sink): void {
  const padded = new Uint8Array(word.length + 2)
  padded[0] = SPACE
  padded.set(word, 1)
  padded[word.length + 1] = SPACE
  const starts = characterStarts(padded)
  const characters = starts.length - 1
  for (let from = 0; from + min <= characters; from++) {
    let hash = state
    let at = starts[from] ?? 0
    const last = Math.min(from + max, characters)
    for (let to = from + 1; to <= last; to++) {
      for (const end = starts[to] ?? 0; at < end; at++) hash = step(hash, padded[at] ?? 0)
      if (to - from >= min) emit(finish(hash))
    }
  }
}

/** State of reading an input: the settings, the target of its features, and the remaining character budget. */
interface Reading {
  readonly settings: FeatureSettings
  readonly emit: Sink
  charsLeft: number
}

function textFeatures(path: string, text: string, reading: Reading): void {
  const { settings, emit } = reading
  const read = text.slice(0, Math.min(MAX_TEXT_CHARS, reading.charsLeft))
  reading.charsLeft -= read.length
  const folded = read.normalize('NFKC').toLowerCase()
  const words = folded.match(WORD) ?? []
  const [minChars, maxChars] = settings.charGrams
  const unigram = seed(path, 'w')
  const bigram = seed(path, 'b')
  const chars = seed(path, 'c')
  let previous: number | null = null
  for (const word of words) {
    const bytes = encoder.encode(word)
    if (settings.wordGrams >= 1) emit(finish(absorb(unigram, bytes)))
    if (settings.wordGrams >= 2) {
      if (previous !== null) emit(finish(absorb(step(previous, SPACE), bytes)))
      previous = absorb(bigram, bytes)
    }
    if (maxChars > 0) charGramsOf(bytes, chars, [minChars, maxChars], emit)
  }
}

/** A number as its exact value and as its place on a logarithmic scale, four steps to the factor of ten. */
function numberFeatures(path: string, value: number, emit: Sink): void {
  const state = seed(path, 'n')
  emit(finish(absorb(state, encoder.encode(`=${value}`))))
  const bucket = value === 0 ? 'zero' : `${value < 0 ? '-' : '+'}${Math.floor(Math.log10(Math.abs(value)) * 4)}`
  emit(finish(absorb(state, encoder.encode(`~${bucket}`))))
}

function walk(path: string, value: Json, reading: Reading): void {
  if (reading.charsLeft <= 0) return
  if (typeof value === 'string') return textFeatures(path, value, reading)
  if (typeof value === 'number') {
    reading.charsLeft -= SCALAR_CHARS
    return numberFeatures(path, value, reading.emit)
  }
  if (value === null || typeof value === 'boolean') {
    reading.charsLeft -= SCALAR_CHARS
    return reading.emit(finish(absorb(seed(path, 'v'), encoder.encode(String(value)))))
  }
  if (isJsonObject(value)) {
    for (const member of Object.keys(value).sort()) {
      const inner = value[member]
      if (inner !== undefined) walk(path === '' ? member : `${path}.${member}`, inner, reading)
    }
    return
  }
  for (const element of value) walk(`${path}[]`, element, reading)
}

/** The characters that `eachFeature` would read of an input. */
export function textLength(input: Json): number {
  if (typeof input === 'string') return Math.min(MAX_TEXT_CHARS, input.length)
  if (input === null || typeof input !== 'object') return SCALAR_CHARS
  const inner: readonly (Json | undefined)[] = isJsonObject(input) ? Object.values(input) : input
  return inner.reduce<number>((sum, value) => sum + (value === undefined ? 0 : textLength(value)), 0)
}

/**
 * The features of an input, in order of occurrence: 32-bit hashes, one per occurrence. A text gives word and
 * character n-grams; an object gives those of each member, apart by path; numbers give value and bucket.
 * The exact definition is in docs/formats/classifier-format.md.
 * @param maxChars characters that are read at most; only training sets it
 */
export function eachFeature(input: Json, settings: FeatureSettings, emit: Sink, maxChars = Infinity): void {
  walk('', input, { settings, emit, charsLeft: maxChars })
}
