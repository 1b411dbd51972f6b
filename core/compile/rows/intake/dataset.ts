import { KERNEL_ERRORS } from '../../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import { canonicalJson, isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { readLines } from './byte-lines.ts'
import { memberOrderOf, type MemberOrder } from '../inputs/member-order.ts'
import { inferEquality } from '../equality/infer-equality.ts'
import { withTolerances, type Tolerance } from '../equality/tolerance.ts'
import {
  CONTRADICTIONS_REFUSED_BELOW,
  contradictoryExamples,
  groupEqual,
  type Contradiction,
} from './census/contradictions.ts'
import type { DatasetSummary, Example } from './example.ts'
import { isSameTag, KeyTable, shortHash, tagOf } from './census/key-table.ts'
import { InputTypes } from './census/input-types.ts'
import { TestRows } from './census/test-rows.ts'
import { ToleratedNumbers } from './census/tolerated-numbers.ts'
import { takeTurns } from './turns.ts'
import type { Row } from '../task.ts'

export { selectRows } from './select-rows.ts'

const CHUNK_BYTES = 64 * 1024
/** Longest line of a stored dataset; intake has bounded the examples long before. */
const MAX_STORED_LINE_BYTES = 64 * 1024 * 1024

/** A dataset on its way into the blob store. */
export interface DatasetWriter {
  /**
   * The canonical form: one `{"id", "input", "output"}` (with `"kind": "test"` for a test row; or `not_output`, or
   * `unlabelled`) in RFC 8785 form per line. May throw `no_examples`, `contradictory_examples` or
   * `train_holdout_leakage` at its end, so commit only after it has ended.
   */
  readonly chunks: AsyncGenerator<Uint8Array>
  /** Returns the summary; complete once `chunks` has ended. */
  summary(): DatasetSummary
}

/** The first row of an output, and how many rows after it gave the same. */
interface FewRows {
  readonly id: string
  readonly output: Json
  count: number
}

/** Counts rows, duplicates and contradictions in compact memory; keeps ids only while the rows are few. */
class DatasetCensus {
  rows = 0
  negatives = 0
  unlabelled = 0
  duplicates = 0
  contradictions = 0
  members: MemberOrder | null = null
  readonly #inputs = new KeyTable()
  readonly #tests = new TestRows()
  readonly types = new InputTypes()
  readonly #tolerances: readonly Tolerance[]
  readonly #tolerated: ToleratedNumbers
  #few: Map<string, Map<string, FewRows>> | null = new Map()

  constructor(tolerances: readonly Tolerance[]) {
    this.#tolerances = tolerances
    this.#tolerated = new ToleratedNumbers(tolerances)
  }

  get distinctInputs(): number {
    return this.#inputs.size
  }

  add(row: Row, input: string, output: string): void {
    const { id } = row
    if (this.rows === 0) this.members = memberOrderOf(row)
    this.rows++
    this.types.add(row.input)
    this.#tolerated.add(row.output)
    const key = shortHash(input)
    this.#tests.add(row, key)
    const { earlierTag } = this.#inputs.put(key, tagOf(output))
    if (earlierTag !== null) {
      if (isSameTag(earlierTag, output)) this.duplicates++
      else this.contradictions++
    }
    if (this.#few === null) return
    const group = this.#few.get(input) ?? new Map<string, FewRows>()
    const known = group.get(output)
    if (known === undefined) group.set(output, { id, output: JSON.parse(output), count: 1 })
    else known.count++
    this.#few.set(input, group)
    if (this.rows - this.duplicates >= CONTRADICTIONS_REFUSED_BELOW) this.#few = null
  }

  /** Throws when the dataset as a whole cannot be used. */
  check(): void {
    if (this.rows === 0) {
      throw COMPILE_ERRORS.no_examples('no example has an output to learn from', {
        details: { fields: [{ field: 'examples', message: 'at least one example with input and output is needed' }] },
      })
    }
    this.#tests.check()
    this.types.check()
    this.#tolerated.check()
    const given = [...(this.#few?.values() ?? [])].map((group) => [...group.values()])
    if (given.every((votes) => votes.length === 1)) return
    const inferred = inferEquality(given.flat().map(({ output }) => output))
    const equality = withTolerances(inferred, this.#tolerances)
    const contradictions: Contradiction[] = []
    for (const votes of given) {
      const groups = groupEqual(votes, equality)
      if (groups.length > 1) contradictions.push({ ids: groups.flatMap(([first]) => first?.id ?? []) })
      // Rows of the first output are counted already; those of an equal one are duplicates too.
      const [, ...others] = groups[0] ?? []
      const joined = others.reduce((sum, { count }) => sum + count, 0)
      this.duplicates += joined
      this.contradictions -= joined
    }
    if (contradictions.length > 0) throw contradictoryExamples(contradictions)
  }
}

async function* writeLines(examples: AsyncIterable<Example>, census: DatasetCensus, count: (bytes: number) => void) {
  let lines: string[] = []
  let chars = 0
  const turns = takeTurns()
  const flush = (): Uint8Array => {
    const bytes = Buffer.from(lines.join(''))
    lines = []
    chars = 0
    count(bytes.length)
    return bytes
  }
  for await (const example of examples) {
    const line = toLine(example, census)
    lines.push(line)
    chars += line.length
    if (chars >= CHUNK_BYTES) yield flush()
    const pause = turns.over()
    if (pause) await pause
  }
  census.check()
  if (chars > 0) yield flush()
}

function toLine(example: Example, census: DatasetCensus): string {
  if (example.kind === 'negative') {
    const { id, input, notOutput, chosen, weight } = example.negative
    census.negatives++
    const pair = { ...(chosen !== undefined && { chosen }), ...(weight !== undefined && { weight }) }
    return `${canonicalJson({ id, input, not_output: notOutput, ...pair })}\n`
  }
  if (example.kind === 'unlabelled') {
    const { id, input } = example.unlabelled
    census.unlabelled++
    census.types.addUnlabelled(input, example.field ?? id)
    return `${canonicalJson({ id, input, unlabelled: true })}\n`
  }
  const { id, input, output, kind } = example.row
  const inputText = canonicalJson(input)
  const outputText = canonicalJson(output)
  census.add(example.row, inputText, outputText)
  const mark = kind === undefined ? '' : `,"kind":"${kind}"`
  return `{"id":${canonicalJson(id)},"input":${inputText}${mark},"output":${outputText}}\n`
}

/**
 * Writes examples in their canonical form, in bounded memory. Outputs of one input that differ by no more than the stated
 * tolerances do not contradict one another; a tolerance for no number is refused: `validation_failed`.
 */
export function writeDataset(
  examples: AsyncIterable<Example>,
  { tolerances = [] }: { readonly tolerances?: readonly Tolerance[] | undefined } = {},
): DatasetWriter {
  const census = new DatasetCensus(tolerances)
  let bytes = 0
  return {
    chunks: writeLines(examples, census, (more) => (bytes += more)),
    summary: () => ({
      rows: census.rows,
      negatives: census.negatives,
      unanswered: { count: census.unlabelled, lines: [] },
      duplicates: census.duplicates,
      contradictions: census.contradictions,
      distinctInputs: census.distinctInputs,
      members: census.members,
      bytes,
      tolerances,
    }),
  }
}

function fromLine(value: Json, line: number): Example {
  if (isJsonObject(value)) {
    const { id, input, output, not_output: notOutput } = value
    if (typeof id === 'string' && input !== undefined) {
      if (output !== undefined) {
        return { kind: 'positive', row: { id, input, output, ...(value.kind === 'test' ? { kind: 'test' } : {}) } }
      }
      if (value.unlabelled === true) return { kind: 'unlabelled', unlabelled: { id, input } }
      if (notOutput !== undefined) {
        const { chosen, weight } = value
        const pair = { ...(chosen !== undefined && { chosen }), ...(typeof weight === 'number' && { weight }) }
        const negative = { id, input, notOutput, ...pair }
        return { kind: 'negative', negative }
      }
    }
  }
  throw KERNEL_ERRORS.internal(`stored dataset is damaged at line ${line}`)
}

/** Reads a dataset written by `writeDataset`. */
export async function* readDataset(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Example> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  for await (const { number, bytes } of readLines(chunks, MAX_STORED_LINE_BYTES)) {
    const value: Json = JSON.parse(decoder.decode(bytes))
    yield fromLine(value, number)
  }
}
