import { hash } from 'node:crypto'
import { canonicalJson } from '../../../kernel/json/json.ts'
import type { Row } from '../task.ts'
import { inferEquality } from '../equality/infer-equality.ts'
import { withTolerances, type Tolerance } from '../equality/tolerance.ts'
import { CONTRADICTIONS_REFUSED_BELOW, contradictoryExamples, groupEqual } from './census/contradictions.ts'
import type { Example, NegativeExample, Selection, UnlabelledInput } from './example.ts'
import { isSameTag, KeyTable, shortHash, tagOf } from './census/key-table.ts'
import { unlabelledApart } from './unlabelled-apart.ts'
import { TestRows } from './census/test-rows.ts'

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024
const MAX_NEGATIVES = 10_000
/** Part of the rows and bytes of a compile that test rows may take. */
const TEST_SHARE = 0.2

/** Bounds on the rows that one compile uses. */
export interface SelectionOptions {
  readonly maxRows: number
  /** Characters of canonical JSON that the used rows may take together. */
  readonly maxBytes?: number
  /** Tolerances of numbers that the caller states; outputs of one input within them are equal. */
  readonly tolerances?: readonly Tolerance[] | undefined
}

/** All rows of one input: the first row of each output, and how many rows gave it. */
interface Candidate {
  readonly key: string
  readonly place: number
  size: number
  readonly outputs: Map<string, { readonly row: Row; count: number }>
}

/**
 * Keeps the inputs with the smallest hashes, with all their rows. Exact: the threshold only falls, so an input in the
 * result was kept from its first row on.
 */
class SmallestInputs {
  #maxRows: number
  readonly #maxBytes: number
  #kept = new Map<string, Candidate>()
  #bytes = 0
  #bar: string | null = null

  constructor(maxRows: number, maxBytes: number) {
    this.#maxRows = maxRows
    this.#maxBytes = maxBytes
  }

  add(row: Row, input: string, output: string, place: number): void {
    const key = hash('sha256', input, 'hex')
    if (this.#bar !== null && key > this.#bar) return
    const candidate = this.#kept.get(key) ?? { key, place, size: input.length, outputs: new Map() }
    const seen = candidate.outputs.get(output)
    if (seen) {
      seen.count++
      return
    }
    candidate.outputs.set(output, { row, count: 1 })
    if (candidate.outputs.size === 1) this.#bytes += candidate.size
    candidate.size += output.length
    this.#bytes += output.length
    this.#kept.set(key, candidate)
    if (this.#kept.size > this.#maxRows * 2 || this.#bytes > this.#maxBytes * 2) this.#lowerBar()
  }

  /** Returns the rows within both bounds, at most `maxRows`, in the order in which the inputs first came. */
  finish(maxRows = this.#maxRows): readonly Candidate[] {
    this.#maxRows = Math.min(this.#maxRows, maxRows)
    if (this.#kept.size > this.#maxRows || this.#bytes > this.#maxBytes) this.#lowerBar()
    return [...this.#kept.values()].sort((a, b) => a.place - b.place)
  }

  #lowerBar(): void {
    const sorted = [...this.#kept.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
    this.#kept = new Map()
    this.#bytes = 0
    for (const candidate of sorted) {
      const fits = this.#kept.size < this.#maxRows && this.#bytes + candidate.size <= this.#maxBytes
      if (!fits && this.#kept.size > 0) break
      this.#kept.set(candidate.key, candidate)
      this.#bytes += candidate.size
      this.#bar = candidate.key
    }
  }
}

/** An output of an input: the first row that gave it, and how many rows gave it or an equal one. */
interface Vote {
  readonly row: Row
  readonly count: number
}

/** The votes of each input after equal outputs were joined, and how many rows that made duplicates. */
interface Joined {
  readonly votes: readonly (readonly Vote[])[]
  readonly duplicates: number
  /** Inputs all of whose outputs are equal, though they are written differently. */
  readonly settled: number
}

/** Joins outputs of one input that differ by rounding, normal form or a stated tolerance only: they do not contradict one another. */
function joinEqual(kept: readonly Candidate[], tolerances: readonly Tolerance[]): Joined {
  const given = kept.map(({ outputs }) => [...outputs.values()])
  if (given.every((votes) => votes.length === 1)) return { votes: given, duplicates: 0, settled: 0 }
  const inferred = inferEquality(given.flatMap((votes) => votes.map(({ row }) => row.output)))
  const equality = withTolerances(inferred, tolerances)
  let duplicates = 0
  let settled = 0
  const votes = given.map((one): readonly Vote[] => {
    if (one.length === 1) return one
    const groups = groupEqual(
      one.map((vote) => ({ ...vote, output: vote.row.output })),
      equality,
    )
    if (groups.length === 1) settled++
    return groups.flatMap(([first, ...others]) => {
      if (first === undefined) return []
      const joined = others.reduce((sum, { count }) => sum + count, 0)
      duplicates += joined
      return [{ row: first.row, count: first.count + joined }]
    })
  })
  return { votes, duplicates, settled }
}

/** The row of the output that most rows gave; of two with the same count, the one that came first. */
function majority(votes: readonly Vote[]): { row: Row | undefined; removed: number } {
  const total = votes.reduce((sum, { count }) => sum + count, 0)
  const best = votes.toSorted((a, b) => b.count - a.count)[0]
  return { row: best?.row, removed: total - (best?.count ?? 0) }
}

/**
 * Picks the rows of a compile: one per canonical input, outputs that are equal taken for one, contradictions settled by
 * majority (under a hundred rows they are refused: `contradictory_examples`), and beyond `maxRows` those whose input has
 * the smallest SHA-256; of test rows a fifth of `maxRows` at most. Reads the dataset once, in memory bounded by the rows
 * used. Throws `no_examples` when all rows are test rows, and `train_holdout_leakage` when one has the input of a row to
 * learn from.
 */
export async function selectRows(examples: AsyncIterable<Example>, options: SelectionOptions): Promise<Selection> {
  const { maxRows, maxBytes = DEFAULT_MAX_BYTES, tolerances = [] } = options
  const smallest = new SmallestInputs(maxRows, maxBytes)
  const smallestTests = new SmallestInputs(Math.ceil(maxRows * TEST_SHARE), maxBytes * TEST_SHARE)
  const tests = new TestRows()
  const inputs = new KeyTable()
  const negatives: NegativeExample[] = []
  const unlabelled = new Map<string, UnlabelledInput>()
  let negativeCount = 0
  let given = 0
  let duplicates = 0
  let contradictoryInputs = 0
  for await (const example of examples) {
    if (example.kind === 'negative') {
      negativeCount++
      if (negatives.length < MAX_NEGATIVES) negatives.push(example.negative)
      continue
    }
    if (example.kind === 'unlabelled') {
      const key = canonicalJson(example.unlabelled.input)
      if (!unlabelled.has(key)) unlabelled.set(key, example.unlabelled)
      continue
    }
    const input = canonicalJson(example.row.input)
    const output = canonicalJson(example.row.output)
    const key = shortHash(input)
    tests.add(example.row, key)
    const { earlierTag, firstConflict } = inputs.put(key, tagOf(output))
    if (earlierTag !== null && isSameTag(earlierTag, output)) duplicates++
    if (firstConflict) contradictoryInputs++
    const side = example.row.kind === 'test' ? smallestTests : smallest
    side.add(example.row, input, output, given++)
  }
  tests.check()
  const marked = smallestTests.finish()
  const learned = smallest.finish(maxRows - marked.length)
  const kept = marked.length === 0 ? learned : [...learned, ...marked].sort((a, b) => a.place - b.place)
  const joined = joinEqual(kept, tolerances)
  duplicates += joined.duplicates
  contradictoryInputs -= joined.settled
  if (given - duplicates < CONTRADICTIONS_REFUSED_BELOW && contradictoryInputs > 0) {
    const groups = joined.votes.filter((votes) => votes.length > 1)
    throw contradictoryExamples(groups.map((votes) => ({ ids: votes.map(({ row }) => row.id) })))
  }
  const settled = joined.votes.map(majority)
  const rows = settled.flatMap(({ row }) => row ?? [])
  return {
    rows,
    negatives,
    unlabelled: unlabelledApart(rows, [...unlabelled.values()]),
    facts: {
      given_rows: given,
      negatives: negativeCount,
      duplicates_removed: duplicates,
      contradictory_inputs: contradictoryInputs,
      contradictory_rows_removed: settled.reduce((sum, { removed }) => sum + removed, 0),
      distinct_rows: inputs.size,
      rows_used: settled.length,
      sample: settled.length === inputs.size ? 'all' : 'smallest_input_hash',
    },
  }
}
