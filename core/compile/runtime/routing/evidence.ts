import type { Likeness } from './likeness.ts'
import type { QueryMatch } from './query-match.ts'

/** Evidence about one concept for one call. */
export interface ConceptEvidence {
  /** Null for a concept without a sketch: its input says nothing. */
  readonly likeness: Likeness | null
  readonly query: QueryMatch
}

/** The signals about the input, by name. */
export const INPUT_SIGNALS = [
  'constant',
  'content typicality',
  'content deviations',
  'content unknown',
  'content core',
  'content lead',
  'form typicality',
  'form deviations',
  'form unknown',
  'form core',
  'form lead',
  'form shortfall',
  'whole form known',
  'whole form missed',
] as const

/** The signal of words that no concept knows, which speaks for another subject; used where the query is about no concept. */
export const OPEN_SIGNALS = ['unknown words'] as const

/** The signals about the query, by name; used where the query is about any concept. */
export const QUERY_SIGNALS = [
  'no word',
  'coverage',
  'recall',
  'match',
  'match lead',
  'match of a known form',
  'match of a usual form',
] as const

/** The signals of one concept for one call. */
export interface Signals {
  readonly input: readonly number[]
  readonly query: readonly number[]
  readonly open: readonly number[]
}

/** So many unknown words say all that they can. */
const MOST_UNKNOWN = 2
const SMALL = 0.02

/** Returns the signals of each concept for one call, by place; null for a concept without a sketch. */
export function signalsOf(concepts: readonly ConceptEvidence[]): readonly (Signals | null)[] {
  const content = leadsOf(concepts.map(({ likeness }) => likeness?.content.typicality ?? 0))
  const form = leadsOf(concepts.map(({ likeness }) => likeness?.form.typicality ?? 0))
  const matches = concepts.map(({ query }) => matchOf(query))
  const best = bestOthers(matches)
  return concepts.map(({ likeness, query }, place) => {
    if (likeness === null) return null
    const match = matches[place] ?? 0
    return {
      input: [
        1,
        likeness.content.typicality,
        likeness.content.deviations,
        likeness.content.unknown,
        likeness.content.core,
        content[place] ?? 0,
        likeness.form.typicality,
        likeness.form.deviations,
        likeness.form.unknown,
        likeness.form.core,
        form[place] ?? 0,
        Math.min(0, likeness.form.deviations + 1),
        likeness.hasWhole ? likeness.repeated : 0,
        likeness.hasWhole ? 0 : likeness.repeated,
      ],
      query: [
        query.coverage === 0 ? 1 : 0,
        query.coverage,
        query.recall,
        match,
        match - (best[place] ?? 0),
        match * (1 - likeness.form.unknown),
        match * Math.max(-3, likeness.form.deviations),
      ],
      open: [Math.min(MOST_UNKNOWN, query.unknownWords) / MOST_UNKNOWN],
    }
  })
}

/** Returns how well a query matches, 0 to 1: its words are about the concept, and the concept's words are in it. */
export function matchOf({ coverage, recall }: QueryMatch): number {
  return coverage * Math.sqrt(recall)
}

/** The logarithm of each value over the best of the others. */
function leadsOf(values: readonly number[]): readonly number[] {
  const best = bestOthers(values)
  return values.map((value, place) => Math.log((value + SMALL) / ((best[place] ?? 0) + SMALL)))
}

/** The best of the other values, for each. */
function bestOthers(values: readonly number[]): readonly number[] {
  let [first, second, at] = [0, 0, -1]
  for (const [place, value] of values.entries()) {
    if (value > first) [first, second, at] = [value, first, place]
    else if (value > second) second = value
  }
  return values.map((_, place) => (place === at ? second : first))
}
