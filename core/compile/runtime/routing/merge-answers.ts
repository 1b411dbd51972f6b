import { canonicalJson, isJsonObject, type Json } from '../../../kernel/json/json.ts'

/** Ways to merge the answers of several concepts. */
export const COMPOSE_STRATEGIES = ['attention', 'voting', 'top1', 'sequential'] as const
export type ComposeStrategy = (typeof COMPOSE_STRATEGIES)[number]

/** An answer, and what it weighs. */
export interface WeighedAnswer {
  readonly output: Json
  /** Above 0. */
  readonly weight: number
}

/**
 * Merges answers by their weight: numbers by the weighted mean, lists by the union of their elements in the order of their
 * summed weights, everything else by a weighted vote over the canonical JSON. Answers of several types vote. Throws
 * `RangeError` without answers.
 */
export function mergeByAttention(answers: readonly WeighedAnswer[]): Json {
  const outputs = answers.map(({ output }) => output)
  if (outputs.every((output) => typeof output === 'number')) return weightedMean(answers)
  if (outputs.every((output) => Array.isArray(output))) return unionOf(answers)
  return voteOn(answers)
}

/** Returns the answer of the most weight; of equals the first. Throws `RangeError` without answers. */
export function voteOn(answers: readonly WeighedAnswer[]): Json {
  const [first] = rank(answers)
  if (first === undefined) throw new RangeError('there are no answers')
  return first.output
}

function weightedMean(answers: readonly WeighedAnswer[]): number {
  const total = answers.reduce((sum, { weight }) => sum + weight, 0)
  const mean = answers.reduce(
    (sum, { output, weight }) => sum + (typeof output === 'number' ? output * (weight / total) : 0),
    0,
  )
  // Equal answers keep their exact value, which a sum of shares may miss by a rounding.
  const [first] = answers
  return first !== undefined && answers.every(({ output }) => output === first.output) ? Number(first.output) : mean
}

function unionOf(answers: readonly WeighedAnswer[]): Json {
  const elements = answers.flatMap(({ output, weight }) => {
    if (!Array.isArray(output)) return []
    const distinct = new Map(output.map((element: Json) => [canonicalJson(element), element]))
    return [...distinct.values()].map((element) => ({ output: element, weight }))
  })
  return rank(elements).map(({ output }) => output)
}

/** Distinct values with their summed weights, the heaviest first; equals stay in their order. */
function rank(values: readonly WeighedAnswer[]): readonly WeighedAnswer[] {
  const sums = new Map<string, WeighedAnswer>()
  for (const { output, weight } of values) {
    const key = canonicalJson(output)
    sums.set(key, { output, weight: (sums.get(key)?.weight ?? 0) + weight })
  }
  return [...sums.values()].toSorted((a, b) => b.weight - a.weight)
}

/** Types of JSON values, for checks before anything runs. */
export type ValueType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

/** Returns the type of a value. */
export function typeOf(value: Json): ValueType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (isJsonObject(value)) return 'object'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'number' ? 'number' : 'string'
}
