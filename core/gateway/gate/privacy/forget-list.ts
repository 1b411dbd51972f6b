import { createHmac } from 'node:crypto'
import type { MacKey } from '../../../kernel/json/mac.ts'
import { compilePattern, type Pattern } from '../guardrails/patterns.ts'
import { isWord, type Find } from './scan/characters.ts'
import type { TermFinder } from './scan/scan-text.ts'
import { lower } from './scan/terms.ts'

/** A forgotten subject as it is stored: its words are not. */
export interface ForgottenSubject {
  readonly words: number
  /** See `bucketOf`. */
  readonly bucket: number
  /** Hexadecimal, see `digestOf`. */
  readonly digest: string
}

/** The forgotten subjects and patterns of a tenant. */
export interface ForgetList {
  readonly subjects: readonly ForgottenSubject[]
  readonly patterns: readonly string[]
}

/** Characters that may stand between two words of a subject. */
const MOST_GAP = 3
/** Words of a subject at most. */
export const MOST_SUBJECT_WORDS = 16
const MOST_MATCHES = 10_000

/** Returns the words of a text in lower case, without what stands between them. */
function wordsOf(text: string): readonly string[] {
  return [...wordsFrom(text, 0)].map(({ start, end }) => text.slice(start, end).toLowerCase())
}

/** Hashes a subject for the list. Throws a `RangeError` for a text without words or with too many. */
export function subjectOf(key: MacKey, text: string): ForgottenSubject {
  const words = wordsOf(text)
  const [first] = words
  if (first === undefined || words.length > MOST_SUBJECT_WORDS) {
    throw new RangeError(`a subject has 1 to ${MOST_SUBJECT_WORDS} words`)
  }
  return { words: words.length, bucket: bucketOf(key, first, 0, first.length), digest: digestOf(key, words.join(' ')) }
}

/** HMAC-SHA256 under a key of the service. */
export function digestOf(key: MacKey, text: string): string {
  return createHmac('sha256', key.secret).update(`forgotten ${text}`).digest('hex')
}

/** Two bytes of a hash of one word (FNV-1a, from a secret seed): too few to tell the word. */
function bucketOf(key: MacKey, text: string, start: number, end: number): number {
  let hash = seedOf(key)
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ lower(text.charCodeAt(at)), 0x01000193)
  return ((hash >>> 16) ^ hash) & 0xffff
}

const seeds = new WeakMap<MacKey, number>()

function seedOf(key: MacKey): number {
  const known = seeds.get(key)
  if (known !== undefined) return known
  const seed = createHmac('sha256', key.secret).update('bucket').digest().readInt32LE(0)
  seeds.set(key, seed)
  return seed
}

/** A forget list in the form in which it goes to a thread. */
export interface PackedForgetList {
  /** As JSON: a list of many subjects is copied at once. */
  readonly list: string
  readonly key: MacKey
}

/** A compiled forget list. */
export interface ForgetFinder extends TermFinder {
  /** Subjects and patterns of the list. */
  readonly size: number
  pack(): PackedForgetList
}

/** Compiles a forget list; null for an empty one. */
export function compileForgetList(given: ForgetList, key: MacKey): ForgetFinder | null {
  const { subjects, patterns } = given
  if (subjects.length === 0 && patterns.length === 0) return null
  const lengths = new Map<number, Set<number>>()
  const digests = new Set<string>()
  for (const { words, bucket, digest } of subjects) {
    lengths.set(bucket, (lengths.get(bucket) ?? new Set()).add(words))
    digests.add(digest)
  }
  const compiled: readonly Pattern[] = patterns.map(compilePattern)
  let packed: PackedForgetList | null = null
  return {
    size: subjects.length + patterns.length,
    pack: () => (packed ??= { list: JSON.stringify(given), key }),
    find(text, add) {
      if (digests.size > 0) findSubjects(text, add, { lengths, digests, key })
      for (const pattern of compiled) {
        for (const [start, end] of pattern.find(text, MOST_MATCHES)) add({ start, end, kind: 'forgotten' })
      }
    },
  }
}

/** Compiles a packed list. */
export function unpackForgetList({ list, key }: PackedForgetList): ForgetFinder | null {
  return compileForgetList(JSON.parse(list) as ForgetList, key)
}

interface Word {
  readonly start: number
  readonly end: number
}

function* wordsFrom(text: string, from: number): Generator<Word> {
  for (let start = from; start < text.length;) {
    if (!isWord(text.charCodeAt(start))) {
      start++
      continue
    }
    let end = start + 1
    while (isWord(text.charCodeAt(end))) end++
    yield { start, end }
    start = end
  }
}

function findSubjects(
  text: string,
  add: (find: Find) => void,
  list: {
    readonly lengths: ReadonlyMap<number, ReadonlySet<number>>
    readonly digests: ReadonlySet<string>
    readonly key: MacKey
  },
): void {
  const { lengths, digests, key } = list
  for (const { start, end } of wordsFrom(text, 0)) {
    const counts = lengths.get(bucketOf(key, text, start, end))
    if (counts === undefined) continue
    for (const count of counts) {
      const last = runEnd(text, start, count)
      if (last === null) continue
      const words = wordsOf(text.slice(start, last))
      if (digests.has(digestOf(key, words.join(' ')))) add({ start, end: last, kind: 'forgotten' })
    }
  }
}

/** The end of so many words in a row; null when fewer stand close together. */
function runEnd(text: string, start: number, count: number): number | null {
  let end = start
  let found = 0
  for (const word of wordsFrom(text, start)) {
    if (found > 0 && word.start - end > MOST_GAP) return null
    end = word.end
    if (++found === count) return end
  }
  return null
}

/** The longest word of a text: where it is missing, the text is not there. */
export function longestWord(text: string): string {
  return wordsOf(text).reduce((longest, word) => (word.length > longest.length ? word : longest), '')
}
