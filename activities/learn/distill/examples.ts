import type { ExampleBounds } from '../../../core/gateway/captures/learning/capture-example.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import type { Example } from '../../../core/compile/rows/intake/example.ts'
import { answerForm } from '../../../core/compile/stages/lora/answer-form.ts'
import { canonicalJson, type Json } from '../../../core/kernel/json/json.ts'
import { preferenceOf } from '../../../core/learn/distill/pairs.ts'
import { pairOf } from '../../../core/learn/datasets/rows/row-content.ts'
import { valueText } from '../../../core/model/training/prompt.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { pendingForgets } from '../../../db/learn/datasets/forget/pending-forgets.ts'
import type { ReadyVersion } from '../../../db/learn/datasets/find-dataset.ts'
import { streamRows } from '../../../db/learn/datasets/read-rows.ts'
import type { ShownRun } from '../../../db/learn/distill/find-run.ts'
import { listRunSamples } from '../../../db/learn/distill/teacher-samples.ts'
import { readRejected } from '../../../db/learn/distill/read-corrections.ts'
import { correctionsOf } from './corrections.ts'
import { readSides } from './label-rows.ts'

/** A pair of a version, with its side. */
export interface VersionPair {
  readonly id: string
  readonly isHeld: boolean
  readonly preference: NonNullable<ReturnType<typeof preferenceOf>>
}

/**
 * Yields the rows of the compile of a run. An adapter is trained on answers of one form: where no form fits those to learn from, all are
 * given as texts. A run that may end with a program keeps each answer as it is.
 */
export async function* compileExamples(
  op: Operation,
  run: ShownRun,
  read: { readonly version: ReadyVersion; readonly limits: Limits; readonly progress: () => void },
): AsyncGenerator<Example> {
  const { kind } = run.request
  const examples = () => (kind === 'preference' ? pairExamples(op, run, read) : taskExamples(op, run, read.version))
  const isOneForm = kind === 'from_captures' || (await haveOneForm(examples(), read.progress))
  for await (const example of examples()) yield isOneForm ? example : withTexts(example)
}

/** Returns false when no form of answers fits the rows to learn from: some are texts, others are not, and they are no labels. */
async function haveOneForm(examples: AsyncIterable<Example>, progress: () => void): Promise<boolean> {
  const outputs: Json[] = []
  for await (const example of examples) {
    progress()
    if (example.kind === 'positive' && example.row.kind !== 'test') outputs.push(example.row.output)
  }
  return answerForm(outputs) !== null
}

function withTexts(example: Example): Example {
  switch (example.kind) {
    case 'positive':
      return { ...example, row: { ...example.row, output: valueText(example.row.output) } }
    case 'negative': {
      const { chosen, notOutput } = example.negative
      const texts = { notOutput: valueText(notOutput), ...(chosen !== undefined && { chosen: valueText(chosen) }) }
      return { ...example, negative: { ...example.negative, ...texts } }
    }
    case 'unlabelled':
      return example
  }
}

/**
 * Yields the rows of a task: rows to learn from, those put aside only with the answer on which the teacher agreed, and held-out rows as
 * test rows.
 */
async function* taskExamples(op: Operation, run: ShownRun, version: ReadyVersion): AsyncGenerator<Example> {
  const aside = new Set(run.putAside)
  const corrected = await readCorrections(op, run)
  const { hashes } = await pendingForgets(op, version.datasetId)
  for await (const { record, stored } of streamRows(op.db, version, hashes)) {
    const { input, output: given } = pairOf(stored.row)
    const output = aside.has(stored.id) ? (corrected.get(stored.id) ?? null) : given
    if (output === null) continue
    const row = { id: stored.id, input, output }
    yield { kind: 'positive', row: record.isHeld ? { ...row, kind: 'test' } : row }
  }
}

async function readCorrections(op: Operation, run: ShownRun): Promise<ReadonlyMap<string, Json>> {
  const samples = await listRunSamples(op, run.id)
  return samples.length === 0 ? new Map() : correctionsOf(samples, await readSides(op, run))
}

/**
 * Yields preferences as a compile takes them: rejected answers as negatives with the chosen answer and the weight of their
 * pair, and of each input the first chosen answer as an example. Of held-out pairs only the chosen answer goes along, as a
 * test row.
 */
async function* pairExamples(
  op: Operation,
  run: ShownRun,
  read: { readonly version: ReadyVersion; readonly limits: Limits },
): AsyncGenerator<Example> {
  const answered = new Set<string>()
  for await (const { id, isHeld, preference } of pairsOfVersion(op, run, read)) {
    const { input, chosen, rejected, weight } = preference
    const key = canonicalJson(input)
    if (chosen !== null && !answered.has(key)) {
      answered.add(key)
      const row = { id, input, output: chosen }
      yield { kind: 'positive', row: isHeld ? { ...row, kind: 'test' } : row }
    }
    if (rejected === null || isHeld) continue
    const pair = { ...(chosen !== null && { chosen }), ...(weight !== 1 && { weight }) }
    yield { kind: 'negative', negative: { id, input, notOutput: rejected, ...pair } }
  }
}

/** Yields the pairs of a version; those of captures are a reviewer's correction with what was answered. */
export async function* pairsOfVersion(
  op: Operation,
  { request }: Pick<ShownRun, 'request'>,
  { version, limits }: { readonly version: ReadyVersion; readonly limits: Limits },
): AsyncGenerator<VersionPair> {
  const isReview = request.kind === 'preference' && request.pairs.from === 'review'
  const bounds: ExampleBounds = { exampleBytes: limits.example_bytes, jsonDepth: limits.json_depth }
  const { hashes } = await pendingForgets(op, version.datasetId)
  for await (const { record, stored } of streamRows(op.db, version, hashes)) {
    const { id, row } = stored
    const { isHeld } = record
    if (!isReview) {
      const preference = preferenceOf(row)
      if (preference !== null) yield { id, isHeld, preference }
      continue
    }
    const { input, output } = pairOf(row)
    const rejected = output === null ? null : await readRejected(op, { id, corrected: output, bounds })
    if (rejected !== null) yield { id, isHeld, preference: { input, chosen: output, rejected, weight: 1 } }
  }
}
