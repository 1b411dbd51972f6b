import { KERNEL_ERRORS } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../errors.ts'
import type { Bucket } from '../../llama/batch.ts'
import { estimateTeachingBytes } from '../../llama/memory-estimate.ts'
import { LOG_PROBS, type Scoring } from '../../llama/scoring.ts'
import { studentCacheBytes } from '../onpolicy/student.ts'
import { withRoomFor } from '../data/buckets.ts'
import type { Hyperparameters } from '../hyperparameters.ts'
import type { ObjectiveSettings } from '../objectives/objective.ts'
import type { FitRow, Unit } from '../rows.ts'
import type { FitInput } from './fit-types.ts'

/**
 * Decides how the answers of a fit are scored. Throws `validation_failed` when an objective has no teacher, when the
 * distributions of rows differ in form, or when a temperature cannot be applied to them; `teacher_vocab_mismatch` when a
 * teacher has another number of tokens than the base.
 */
export function scoringOf(
  { base, teacher }: Pick<FitInput, 'base' | 'teacher'>,
  objective: ObjectiveSettings,
  rows: readonly FitRow[],
): Scoring {
  const { vocabSize } = base.config
  if (objective.kind === 'gkd') {
    if (teacher === undefined) throw KERNEL_ERRORS.validation_failed('the objective gkd needs a teacher')
    const { hiddenSize, vocabSize: tokens } = teacher.config
    if (tokens !== vocabSize) {
      throw MODEL_ERRORS.teacher_vocab_mismatch(
        `the vocabulary of the teacher ${teacher.name} has ${tokens} tokens, that of ${base.name} ${vocabSize}`,
      )
    }
    return {
      kind: 'divergence',
      beta: objective.beta,
      // As in trl's GKDTrainer, the temperature is that of sampling.
      temperature: 1,
      teacher: { form: 'hidden', hiddenSize },
    }
  }
  if (objective.kind !== 'kd') return LOG_PROBS
  const { beta, temperature } = objective
  return { kind: 'divergence', beta, temperature, teacher: formOf(rows, vocabSize, temperature) }
}

function formOf(rows: readonly FitRow[], vocabSize: number, temperature: number) {
  const [first] = rows.flatMap((row) => ('teacher' in row ? row.teacher : []))
  const k = first?.k ?? vocabSize
  const isWhole = first === undefined || first.ids === null
  for (const row of rows) {
    if (!('teacher' in row)) continue
    const { teacher } = row
    const problem = (text: string) => KERNEL_ERRORS.validation_failed(`row ${row.id} ${text}`)
    if (teacher.k !== k || (teacher.ids === null) !== isWhole) {
      throw problem('has distributions of another form than the rows before it')
    }
    if (Array.from(teacher.ids ?? []).some((id) => !(id >= 0 && id < vocabSize))) {
      throw problem(`has distributions over tokens that the base does not have: it has ${vocabSize}`)
    }
  }
  if (isWhole) {
    if (k === vocabSize) return { form: 'logits' } as const
    throw KERNEL_ERRORS.validation_failed(`the teacher's distributions name ${k} tokens, and the base has ${vocabSize}`)
  }
  if (k >= vocabSize) {
    throw KERNEL_ERRORS.validation_failed(`the likeliest ${k} tokens are not fewer than all ${vocabSize}`)
  }
  if (temperature !== 1) {
    throw KERNEL_ERRORS.validation_failed(
      'temperature: only 1 can be applied to the likeliest tokens, since the logits of the others are unknown',
    )
  }
  return { form: 'top', k } as const
}

/** Returns the buckets with one for the longest answers that the student may write. */
export function roomForAnswers(
  buckets: readonly Bucket[],
  units: readonly Unit[],
  { objective, batchTokens }: Hyperparameters,
  maxLength: number,
): readonly Bucket[] {
  if (objective.kind !== 'gkd' || objective.lmbda === 0) return buckets
  const longest = units.reduce((most, { sequences }) => {
    const prompt = sequences[0]?.prompt.length ?? 0
    return Math.max(most, Math.min(prompt + objective.maxNewTokens, maxLength) - 1)
  }, 1)
  return withRoomFor(buckets, longest, { batchTokens })
}

/** Returns the memory that a teacher and the student's own answers take beside training, bytes. */
export function teachingBytes(
  { base, teacher }: Pick<FitInput, 'base' | 'teacher'>,
  objective: ObjectiveSettings,
  scoring: Scoring,
  buckets: readonly Bucket[],
  maxLength: number,
): number {
  const answers = objective.kind === 'gkd' && objective.lmbda > 0 ? studentCacheBytes(base.config, maxLength) : null
  return estimateTeachingBytes(base.config, scoring, buckets, {
    teacher: teacher && {
      config: teacher.config,
      adapter: teacher.adapter,
      isSameBase: teacher.weightsHash === base.weightsHash,
    },
    studentCacheBytes: answers,
  })
}
