import type { Tolerance } from '../../../core/compile/rows/equality/tolerance.ts'
import type { MemberOrder } from '../../../core/compile/rows/inputs/member-order.ts'
import { checkSummary } from '../../../core/compile/rows/check-summary.ts'
import { inlineBounds, type IntakeBounds } from '../../../core/compile/rows/intake/bounds.ts'
import { readDataset, selectRows, writeDataset } from '../../../core/compile/rows/intake/dataset.ts'
import type { Example, UnansweredRows } from '../../../core/compile/rows/intake/example.ts'
import { examplesFromInline, examplesFromUnlabelled } from '../../../core/compile/rows/intake/sources.ts'
import type { Row } from '../../../core/compile/rows/task.ts'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import { sha256, type Json, type Sha256 } from '../../../core/kernel/json/json.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import { readSeeds } from '../submit/seeds.ts'

const SAMPLED_ROWS = 200

/** Checked inline examples with their canonical bytes; nothing is stored yet. */
export interface InlineDataset {
  readonly sha256: Sha256
  readonly rows: number
  /** Outputs that must not come. */
  readonly negatives: number
  readonly unanswered: UnansweredRows
  readonly members: MemberOrder | null
  readonly bytes: Uint8Array
}

/** The first examples of a list, and how many there are. */
export interface RowSample {
  readonly count: number
  readonly rows: readonly { readonly input: Json; readonly output: Json }[]
}

/** The rows of a dry run. */
export interface PreviewRows {
  readonly rows: readonly Row[]
  /** Lines of the seeds that could not be read. */
  readonly skipped: number
}

/** Lists as they were given; `pairs` are examples in another spelling. */
export interface ExampleLists {
  readonly examples: readonly unknown[]
  readonly spelling: 'examples' | 'pairs'
  readonly unlabelled: readonly unknown[]
  /** Tolerances of numbers that the caller states. */
  readonly tolerances?: readonly Tolerance[] | undefined
}

/**
 * Checks inline examples, all of them before anything is stored. Throws `validation_failed`, `no_examples`,
 * `too_few_examples`, `too_many_examples`, `example_too_large`, `contradictory_examples`, each with the field.
 */
export async function checkInline(lists: ExampleLists, limits: Limits): Promise<InlineDataset> {
  const writer = writeDataset(readInline(lists, inlineBounds(limits)), lists)
  const chunks: Uint8Array[] = []
  for await (const chunk of writer.chunks) chunks.push(chunk)
  const summary = writer.summary()
  await checkSummary(summary, limits, () => readDataset(replay(chunks)))
  const bytes = Buffer.concat(chunks)
  const { rows, negatives, unanswered, members } = summary
  return { sha256: sha256(bytes), rows, negatives, unanswered, members, bytes }
}

/** Checks inline examples as a compile would and keeps the first of them. Throws what a compile's intake throws. */
export async function sampleInline(examples: readonly unknown[], limits: Limits): Promise<RowSample> {
  const rows: { readonly input: Json; readonly output: Json }[] = []
  let count = 0
  for await (const example of examplesFromInline(examples, inlineBounds(limits))) {
    count++
    if (example.kind === 'positive' && rows.length < SAMPLED_ROWS) rows.push(example.row)
  }
  return { count, rows }
}

/**
 * The rows of a dry run out of given examples and of seeds, one JSON object a line, checked as a compile checks them.
 * Throws what `readSeeds` and a compile's intake throw.
 */
export async function rowsOfPreview(
  examples: readonly unknown[],
  seedsText: string | undefined,
  limits: Limits,
): Promise<PreviewRows> {
  const seeds = seedsText === undefined ? { examples: [], skipped: 0 } : readSeeds(seedsText, limits)
  const all = [...examples, ...seeds.examples]
  if (all.length === 0) throw invalidField('examples', 'must have at least two examples', COMPILE_ERRORS.no_examples)
  const { rows } = await selectRows(examplesFromInline(all, inlineBounds(limits)), { maxRows: limits.preview_rows })
  if (rows.length < 2) {
    throw COMPILE_ERRORS.too_few_examples('examples: must have at least two examples with different inputs', {
      details: { fields: [{ field: 'examples', message: 'must have at least two examples with different inputs' }] },
    })
  }
  return { rows, skipped: seeds.skipped }
}

async function* readInline(lists: ExampleLists, bounds: IntakeBounds): AsyncGenerator<Example> {
  const { examples, spelling, unlabelled } = lists
  yield* spelling === 'pairs'
    ? examplesFromInline(pairsAsExamples(examples, bounds), bounds, 'pairs')
    : examplesFromInline(examples, bounds)
  yield* examplesFromUnlabelled(unlabelled, bounds)
}

/** `{q, a}` as `{input, output}`. Throws `validation_failed` for the first that is none. */
function pairsAsExamples(pairs: readonly unknown[], { maxRows }: IntakeBounds): readonly unknown[] {
  // A list that is too long is refused for its length, before anything is made of its entries.
  if (pairs.length > maxRows) return pairs
  return pairs.map((pair, i) => {
    if (!isPair(pair)) throw invalidField(`pairs[${i}]`, 'must be an object with q and a')
    if (pair.q === undefined) throw invalidField(`pairs[${i}].q`, 'is required')
    if (pair.a === undefined) throw invalidField(`pairs[${i}].a`, 'is required')
    return { input: pair.q, output: pair.a }
  })
}

function isPair(value: unknown): value is { readonly q?: unknown; readonly a?: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

async function* replay(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}
