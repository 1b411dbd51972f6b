import { isAllowed, overlapWith, type Allowlist } from './allowlist.ts'
import { COPYRIGHT_KINDS, type CopyrightHit, type CopyrightKind } from './hit.ts'
import { wordsOf, type Word } from './words.ts'
import NAMES from './names.json' with { type: 'json' }

/** Of the lists: a flag says which one it was found with. */
export const LISTS_VERSION = NAMES.version
/** Characters of a text that are read. */
export const SCANNED_CHARS = 65_536
/** The part of the risk that one hit adds, and the risk from which on quarantine is suggested. */
const WEIGHT = 0.25
const SUGGESTED_FROM = 0.5
/** Hits that are listed; the others are counted. */
export const MOST_HITS = 16
const MOST_MATCH_CHARS = 120

/** Findings of the heuristic in a text. */
export interface CopyrightScan {
  /** 0 to 1. */
  readonly risk: number
  /** One for each kind and match that no licence covers, in the order of the text. */
  readonly hits: readonly CopyrightHit[]
  /** Matches that licensed names and texts cover, or that name a permissive licence. */
  readonly allowed: readonly CopyrightHit[]
  /** Share of the text's parts that stand in licensed texts; null for a text of less than five words. */
  readonly licensedOverlap: number | null
  readonly scannedChars: number
  readonly isCut: boolean
}

/** Names by their first word, each as its words. */
const BY_FIRST_WORD: ReadonlyMap<string, readonly (readonly [kind: CopyrightKind, words: readonly string[]])[]> =
  Map.groupBy(
    (['character', 'song_title'] as const).flatMap((kind) =>
      NAMES[kind].map((name) => [kind, wordsOf(name).map(({ form }) => form)] as const),
    ),
    ([, [first = '']]) => first,
  )
const PERMISSIVE: ReadonlySet<string> = new Set(NAMES.permissive)

// Bounded repetitions, each of which begins with another character than the one before it ends with.
const NOTICE =
  /(?<![\p{L}\p{N}])(?:copyright|©|\(c\))[ \t]{0,4}(?:©|\(c\))?[ \t]{0,4}(?:19|20)\d\d(?:[ \t]?[-–,][ \t]?(?:19|20)\d\d){0,8}[ \t,]{1,4}(?:by[ \t]{1,4})?["']?\p{L}[\p{L}\p{N}.&'-]{0,40}/giu
const SPDX =
  /SPDX-License-Identifier:[ \t]{0,4}([A-Za-z0-9][A-Za-z0-9.+-]{0,60}(?:[ \t]{1,4}(?:OR|AND|WITH)[ \t]{1,4}[A-Za-z0-9.+-]{1,60}){0,8})/g

/**
 * Scans the beginning of a text for names, titles, copyright notices and licence marks, by whole words. A heuristic: a hit
 * does not prove a right, and no hit does not prove that there is none.
 */
export function scanCopyright(given: string, allowlist: Allowlist, side: CopyrightHit['side']): CopyrightScan {
  const text = given.slice(0, SCANNED_CHARS)
  const words = wordsOf(text)
  const found = [...nameHits(text, words, allowlist), ...noticeHits(text, words, allowlist)]
    .map(({ isCovered, ...hit }) => ({ isCovered, hit: { ...hit, side } }))
    .toSorted((a, b) => a.hit.at - b.hit.at)
  const hits = distinct(found.filter(({ isCovered }) => !isCovered).map(({ hit }) => hit))
  return {
    risk: Math.min(1, WEIGHT * hits.length),
    hits,
    allowed: distinct(found.filter(({ isCovered }) => isCovered).map(({ hit }) => hit)),
    licensedOverlap: overlapWith(allowlist, words),
    scannedChars: text.length,
    isCut: given.length > SCANNED_CHARS,
  }
}

/** Tells whether a risk suggests quarantine. */
export function suggestsQuarantine(risk: number): boolean {
  return risk >= SUGGESTED_FROM
}

/** The reason for a suggestion: the kinds of the hits; null without hits. */
export function reasonFor(hits: readonly CopyrightHit[]): string | null {
  const kinds = COPYRIGHT_KINDS.filter((kind) => hits.some((hit) => hit.kind === kind))
  return kinds.length === 0 ? null : `copyright_heuristic:${kinds.join(',')}`
}

interface Found extends Omit<CopyrightHit, 'side'> {
  readonly isCovered: boolean
}

function nameHits(text: string, words: readonly Word[], allowlist: Allowlist): readonly Found[] {
  return words.flatMap(({ form, start }, first) =>
    (BY_FIRST_WORD.get(form) ?? []).flatMap(([kind, name]): readonly Found[] => {
      const end = first + name.length
      const last = words[end - 1]
      if (last === undefined || name.some((word, i) => words[first + i]?.form !== word)) return []
      return [
        { kind, match: text.slice(start, last.end), at: start, isCovered: isAllowed(allowlist, words, first, end) },
      ]
    }),
  )
}

function noticeHits(text: string, words: readonly Word[], allowlist: Allowlist): readonly Found[] {
  const notices = Array.from(text.matchAll(NOTICE), (found): Found => {
    const match = found[0].slice(0, MOST_MATCH_CHARS)
    const first = countUpTo(words, found.index)
    const end = countUpTo(words, found.index + found[0].length)
    return {
      kind: 'code_copyright',
      match,
      at: found.index,
      isCovered: isAllowed(allowlist, words, first, end),
    }
  })
  const marks = Array.from(text.matchAll(SPDX), (found): Found => {
    const licence = (found[1] ?? '').replace(/\.$/, '')
    const names = licence.toLowerCase().split(/\s+/)
    return {
      kind: 'spdx',
      match: licence.slice(0, MOST_MATCH_CHARS),
      at: found.index,
      isCovered: names.length === 1 && PERMISSIVE.has(licence.toLowerCase()),
    }
  })
  return [...notices, ...marks]
}

/** Returns how many words begin before a place, by halves. */
function countUpTo(words: readonly Word[], place: number): number {
  let [low, high] = [0, words.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((words[middle]?.start ?? place) < place) low = middle + 1
    else high = middle
  }
  return low
}

function distinct(hits: readonly CopyrightHit[]): readonly CopyrightHit[] {
  const seen = new Set<string>()
  return hits.filter(({ kind, match }) => {
    const name = `${kind} ${match.toLowerCase().replaceAll(/\s+/g, ' ')}`
    return !seen.has(name) && seen.add(name)
  })
}
