import { wordWeight } from './bm25.ts'
import type { Passage } from './passage.ts'
import { alikeTo, wordsOf } from './words.ts'

/** A passage that a search found. */
export interface FoundPassage {
  readonly passage: Passage
  readonly score: number
  /** Share of the question's words that the passage holds, rare ones counting more, from 0 to 1. */
  readonly coverage: number
}

/** Passages that can be searched. */
export interface SearchIndex {
  readonly passages: readonly Passage[]
  /** Returns the best passages for a question, best first; none when no word of it is in any. */
  search(question: string, most: number): readonly FoundPassage[]
  /** Returns the words of a question, as they were written, that are in no passage. */
  missing(question: string): readonly string[]
  /** Returns how much a text says about a question: the sum of the weights of the question's words in it. */
  weigh(question: string, text: string): number
}

/** Weight of a field and how strongly its length counts against it (BM25F: Robertson and Zaragoza 2009, section 3.6). */
const FIELDS = [
  { name: 'title', weight: 1.5, byLength: 0.3 },
  { name: 'heading', weight: 3, byLength: 0.3 },
  { name: 'text', weight: 1, byLength: 0.6 },
] as const
/** The saturation of repeated words. */
const SATURATION = 1.4
/** The weight of a word that stands for another. */
const ALIKE_SHARE = 0.6

type Counts = ReadonlyMap<string, number>

interface Entry {
  readonly passage: Passage
  readonly fields: readonly { readonly counts: Counts; readonly length: number }[]
}

/** Passages that are indexed before other work gets a turn: all of them take longer than a call should wait. */
const PASSAGES_PER_TURN = 25

/** Indexes passages for search by BM25F over their page's title, heading and text. */
export async function createSearchIndex(passages: readonly Passage[]): Promise<SearchIndex> {
  const entries: Entry[] = []
  for (const passage of passages) {
    if (entries.length % PASSAGES_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve))
    entries.push({ passage, fields: fieldsOf(passage) })
  }
  const averages = FIELDS.map((_, at) => {
    const lengths = entries.map(({ fields }) => fields[at]?.length ?? 0)
    return Math.max(1, lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length))
  })
  const holders = new Map<string, number>()
  for (const { fields } of entries) {
    for (const word of new Set(fields.flatMap(({ counts }) => [...counts.keys()]))) {
      holders.set(word, (holders.get(word) ?? 0) + 1)
    }
  }
  const weightOf = (word: string): number => wordWeight(entries.length, holders.get(word) ?? 0)
  const frequency = ({ fields }: Entry, word: string): number =>
    FIELDS.reduce((sum, { weight, byLength }, at) => {
      const { counts, length } = fields[at] ?? { counts: new Map<string, number>(), length: 0 }
      return sum + (weight * (counts.get(word) ?? 0)) / (1 - byLength + byLength * (length / (averages[at] ?? 1)))
    }, 0)
  return {
    passages,
    search(question, most) {
      const words = [...new Set(wordsOf(question))]
      const total = words.reduce((sum, word) => sum + weightOf(word), 0)
      return entries
        .map((entry) => {
          let score = 0
          let covered = 0
          for (const word of words) {
            const own = frequency(entry, word)
            const alike = Math.max(0, ...alikeTo(word).map((other) => frequency(entry, other))) * ALIKE_SHARE
            const found = Math.max(own, alike)
            score += weightOf(word) * (found / (SATURATION + found))
            if (found > 0) covered += weightOf(word) * (own > 0 ? 1 : ALIKE_SHARE)
          }
          return { passage: entry.passage, score, coverage: total === 0 ? 0 : covered / total }
        })
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score)
        .slice(0, most)
    },
    missing(question) {
      const written = question.match(/[\p{L}\p{N}]+/gu) ?? []
      return [...new Set(written)].filter((text) => {
        const [word] = wordsOf(text)
        return word !== undefined && !holders.has(word) && alikeTo(word).every((other) => !holders.has(other))
      })
    },
    weigh(question, text) {
      const held = new Set(wordsOf(text))
      return [...new Set(wordsOf(question))].reduce((sum, word) => {
        if (held.has(word)) return sum + weightOf(word)
        return alikeTo(word).some((other) => held.has(other)) ? sum + weightOf(word) * ALIKE_SHARE : sum
      }, 0)
    },
  }
}

function fieldsOf({ title, heading, blocks }: Passage): Entry['fields'] {
  return [title, heading, blocks.map(({ text }) => text).join('\n')].map((text) => {
    const counts = new Map<string, number>()
    const words = wordsOf(text)
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
    return { counts, length: words.length }
  })
}
