import type { DomainError } from '../../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import { encodeLabelled, encodePairs, encodeRows, type TaskPair } from '../../../model/training/data/encode-rows.ts'
import type { LabelledTaskRow, TaskRow, Truncation } from '../../../model/training/data/encode-rows.ts'
import type { ExampleObjective } from '../../../model/training/objectives/objective.ts'
import type { PromptEncoder } from '../../../model/training/prompt.ts'
import type { FitRow } from '../../../model/training/rows.ts'
import type { NegativeExample } from '../../rows/intake/example.ts'
import { assertNoLeakage } from '../../rows/split/leakage.ts'
import { negativesApartFrom } from '../negatives-apart.ts'
import type { Row } from '../../rows/task.ts'
import type { TeacherRow } from '../teacher/teacher-types.ts'
import { needsNegatives } from './lora-options.ts'

/** Minimum number of pairs, or unwanted answers, for training on preferences. */
export const LEAST_PREFERENCES = 8

/** Sources of an adapter's training rows. */
export interface TrainingSources {
  readonly train: readonly Row[]
  /** Rows held out of this fit: no row with one of their inputs is used for training. */
  readonly held: readonly Row[]
  readonly negatives: readonly NegativeExample[]
  readonly teacherRows: readonly TeacherRow[]
}

/** Rows as token ids, in order, and those whose prompt was cut. */
export interface EncodedTraining {
  readonly rows: readonly FitRow[]
  readonly truncated: readonly Truncation[]
}

/**
 * The rows of a fit: train rows and accepted answers of a teacher, which count by their share of the samples; for
 * preferences the train rows that have a negative of the same input. Throws `train_holdout_leakage` when a held-out
 * input is among them, `too_few_preferences`, and `example_too_large` for an answer without room for a prompt.
 */
export function encodeTraining(
  sources: TrainingSources,
  objective: ExampleObjective,
  encoder: PromptEncoder,
  maxLength: number,
): EncodedTraining {
  const rows = taskRows(sources)
  assertNoLeakage(rows, sources.held)
  if (!needsNegatives(objective)) return encodeRows(rows, encoder, maxLength)
  const negatives = negativesApartFrom(sources.negatives, sources.held)
  if (objective === 'kto') return encodeLabelled(labelledRows(rows, negatives), encoder, maxLength)
  return encodePairs(pairsOf(rows, negatives), encoder, maxLength)
}

function taskRows({ train, teacherRows, held }: TrainingSources): TaskRow[] {
  const heldInputs = new Set(held.map(({ input }) => canonicalJson(input)))
  const taught = teacherRows.filter(({ input }) => !heldInputs.has(canonicalJson(input)))
  return [
    ...train.map(({ id, input, output }) => ({ id, input, output })),
    ...taught.map(({ id, input, output, share }) => ({ id, input, output, weight: share })),
  ]
}

function pairsOf(rows: readonly TaskRow[], negatives: readonly NegativeExample[]): TaskPair[] {
  const byInput = Map.groupBy(negatives, ({ input }) => canonicalJson(input))
  const joined = rows.flatMap((row) =>
    (byInput.get(canonicalJson(row.input)) ?? []).flatMap(({ id, notOutput, chosen, weight = 1 }) =>
      chosen !== undefined
        ? []
        : {
            id: `${row.id}/${id}`,
            input: row.input,
            chosen: row.output,
            rejected: notOutput,
            weight: (row.weight ?? 1) * weight,
          },
    ),
  )
  const given = negatives.flatMap(({ id, input, chosen, notOutput, weight = 1 }) =>
    chosen === undefined ? [] : { id, input, chosen, rejected: notOutput, weight },
  )
  const pairs = [...joined, ...given]
  if (pairs.length < LEAST_PREFERENCES) throw tooFew(pairs.length, 'pairs of an example and a negative with its input')
  return pairs
}

function labelledRows(rows: readonly TaskRow[], negatives: readonly NegativeExample[]): LabelledTaskRow[] {
  if (negatives.length < LEAST_PREFERENCES) throw tooFew(negatives.length, 'negative examples')
  const keyOf = (input: Json, output: Json): string => canonicalJson([input, output])
  const known = new Set(rows.map(({ input, output }) => keyOf(input, output)))
  // An input has one example, and may have several pairs.
  const others = negatives.flatMap(({ id, input, chosen, weight = 1 }) =>
    chosen === undefined || known.has(keyOf(input, chosen))
      ? []
      : { id: `${id}/chosen`, input, output: chosen, isDesirable: true, weight },
  )
  return [
    ...rows.map((row) => ({ ...row, isDesirable: true })),
    ...others,
    ...negatives.map(({ id, input, notOutput, weight = 1 }) => ({
      id,
      input,
      output: notOutput,
      isDesirable: false,
      weight,
    })),
  ]
}

/** `too_few_preferences` with how many there are and how many are needed. */
export function tooFew(found: number, what: string): DomainError {
  return COMPILE_ERRORS.too_few_preferences(
    `the objective learns from ${what}: there are ${found} on the train side, and it needs ${LEAST_PREFERENCES}`,
    { details: { found, needed: LEAST_PREFERENCES } },
  )
}
