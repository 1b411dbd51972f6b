import { z } from 'zod'
import { NAMESPACE_NAME } from '../../../gateway/record/asked.ts'
import { DatasetId, JobId } from '../../../kernel/wire/ids.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { MeasuredCheckpoint, RunCheckpoint } from './checkpoints.ts'
import { HeldOutLabels } from './held-out-labels.ts'
import { RUN_KINDS, RUN_STAGES, RUN_STATES } from '../../distill/run.ts'

/** The namespace of a run: the same names as those of captures. */
export const RunNamespace = z
  .string()
  .regex(NAMESPACE_NAME, { error: 'must be lower-case letters, digits and dashes, at most 63' })
  .meta({ description: 'Namespace of the run', example: 'support' })

const Count = z.int().min(0)

const RunFields = {
  run_id: z.string().meta({ description: 'Id of the run', example: 'run_0123456789abcdefghjkmnpqrs' }),
  id: z.string().meta({ description: 'The same id' }),
  kind: z.enum(RUN_KINDS).meta({ description: 'What started the run' }),
  namespace: z.string(),
  state: z.enum(RUN_STATES).meta({
    description: 'A run is `completed` only when something was trained and measured',
  }),
  stage: z.enum(RUN_STAGES).meta({ description: 'The stage that the run is in, or in which it ended' }),
  job_id: JobId.nullable().meta({ description: 'The compile that trains, gates and signs; null before it exists' }),
  artifact_id: z.string().nullable().meta({ description: 'The signed artifact; null without one' }),
  adapter_url: z.string().nullable().meta({
    description: 'Files of the fitted adapter, signed or not; null where none was fitted',
  }),
  unsigned_reason: z.enum(['no_task_holdout']).nullable().meta({
    description: 'Why a completed run has no signed artifact: `no_task_holdout`, pairs alone do not say what is right',
  }),
  dataset_id: DatasetId.nullable().meta({ description: 'The dataset of its rows; null before it exists' }),
  dataset_version: z.int().nullable(),
  student_base: z.string().nullable().meta({
    description: 'Base or artifact that is trained; null where the compile chooses',
  }),
  teacher: z.string().nullable().meta({ description: 'The model that the run may ask, as its request names it' }),
  teacher_asked: z.boolean().meta({
    description:
      'True once the teacher was asked about a row, or scored a step. It stays false where no label is doubtful',
  }),
  pair_count: Count.meta({ description: 'Rows that the student learns from' }),
  counts: z.object({
    rows: Count.meta({ description: 'Rows of the dataset' }),
    train: Count,
    held_out: Count.meta({ description: 'Rows that no student learns from and no teacher sees' }),
    put_aside: Count.meta({ description: 'Rows whose label is probably wrong, which the student does not learn from' }),
    relabelled: Count.meta({ description: 'Rows whose label the teacher corrected' }),
    teacher_samples: Count.meta({ description: 'Answers that the teacher was paid for' }),
  }),
  doubtful_held_out: Count.nullable().meta({
    description: 'Held-out rows whose label is probably wrong; null where labels were not checked',
  }),
  spend_usd: z.number().nullable().meta({
    description: 'Paid to providers; null when the price of a model that was asked, or its use of tokens, is unknown',
  }),
  step_count: Count.meta({ description: 'The last training step that was reported' }),
  loss_final: z.number().nullable().meta({ description: 'The last measured loss; null where none was measured' }),
  loss_source: z.enum(['measured', 'unavailable']),
  k_final: z.number().nullable().meta({ description: 'The measured K-score; null where none was measured' }),
  k_source: z.enum(['measured', 'unavailable']),
  telemetry_source: z.enum(['measured', 'unavailable']).meta({ description: 'No figure is estimated' }),
  manifest_present: z.boolean(),
  error_code: z.string().nullable(),
  error: z.string().nullable(),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  finished_at: z.iso.datetime().nullable(),
  poll_url: z.string(),
  stream_url: z.string(),
}

/** A run in a list. */
export const RunView = z.object(RunFields).meta({ id: 'DistillRun' })

/** A page of runs. */
export const ListRunsAnswer = z
  .object({ runs: z.array(RunView), count: Count, next_cursor: NextCursor })
  .meta({ id: 'DistillRuns' })

const ProgressEvent = z
  .object({
    step: Count,
    steps: Count.optional(),
    epoch: z.number().optional(),
    loss: z.number().optional(),
    validation_loss: z.number().nullable().optional(),
    reward_margin: z.number().optional(),
    reward_accuracy: z.number().optional(),
    k_score: z.number().optional(),
    bits_per_byte: z.number().optional(),
    on_policy_fraction: z.number().optional(),
    tokens_per_second: z.number().optional(),
    eta_seconds: z.number().optional(),
    checkpoints: z.array(MeasuredCheckpoint).optional(),
    attempt: Count,
    ts: z.iso.datetime(),
  })
  .meta({ id: 'DistillProgress', description: 'Measured figures of a step; what was not measured is absent' })

/** A run in full. */
export const RunDetail = RunView.extend({
  request: z.record(z.string(), JsonValue).meta({ description: 'What was asked for' }),
  progress: z.array(ProgressEvent).meta({ description: 'The newest measured steps, oldest first' }),
  checkpoints: z.array(RunCheckpoint).meta({
    description:
      'Measurements on the rows that the fit sets aside for early stopping, by step. The K-score is measured once, on the held-out rows',
  }),
  stages: z.array(z.object({ stage: z.enum(RUN_STAGES), at: z.iso.datetime() })),
  manifest: z.record(z.string(), JsonValue).nullable().meta({
    description: 'What the stages found out: rows, labels, student, teacher, evaluation; null before the first did',
  }),
  held_out_labels: HeldOutLabels.nullable().meta({
    description: 'Held-out rows whose label is doubtful; null before the rows were looked at',
  }),
  log_tail: z.string().meta({ description: 'The end of the log of the run, at most 4,096 bytes' }),
}).meta({ id: 'DistillRunDetail' })

/** A run by itself. */
export const RunAnswer = z.object({ run: RunDetail }).meta({ id: 'DistillRunAnswer' })
