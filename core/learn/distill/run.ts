import type { JsonObject } from '../../kernel/json/json.ts'
import type { MeasuredCheckpoint } from '../wire/distill/checkpoints.ts'

/** Kinds of runs, by their start. */
export const RUN_KINDS = ['from_captures', 'preference', 'onpolicy', 'cloud'] as const

/** States of a run. It completes only when something was trained and measured. */
export const RUN_STATES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const
export type RunState = (typeof RUN_STATES)[number]

/** The stages of a run, in order. */
export const RUN_STAGES = [
  'queued',
  'collect',
  'curate',
  'label',
  'train',
  'evaluate',
  'gate',
  'publish',
  'done',
] as const
export type RunStage = (typeof RUN_STAGES)[number]

/** Kinds of events of a run; `progress` holds measured figures, `end` is the last. */
export const RUN_EVENT_KINDS = ['stage', 'progress', 'spend', 'log', 'end'] as const
export type RunEventKind = (typeof RUN_EVENT_KINDS)[number]

/** Numbers of rows of a run, each counted when its stage is done. */
export interface RunCounts {
  /** Rows of the dataset. */
  readonly rows: number
  /** Rows that the student learns from. */
  readonly train: number
  /** Rows that no student learns from. */
  readonly held_out: number
  /** Rows whose label is probably wrong, which the student does not learn from. */
  readonly put_aside: number
  /** Rows whose label the teacher corrected. */
  readonly relabelled: number
  /** Answers that the teacher was paid for. */
  readonly teacher_samples: number
}

/** A run without any row. */
export const NO_COUNTS: RunCounts = { rows: 0, train: 0, held_out: 0, put_aside: 0, relabelled: 0, teacher_samples: 0 }

/** Returns whether a state is the last of a run. */
export function isOver(state: RunState): boolean {
  return state !== 'queued' && state !== 'running'
}

/** Measured figures of a training step; what was not measured is absent. */
export interface MeasuredStep {
  readonly step: number
  readonly steps?: number
  readonly epoch?: number
  readonly loss?: number
  readonly validation_loss?: number | null
  readonly reward_margin?: number
  readonly reward_accuracy?: number
  readonly k_score?: number
  /** Bits per byte on neutral text. */
  readonly bits_per_byte?: number
  readonly on_policy_fraction?: number
  readonly tokens_per_second?: number
  readonly eta_seconds?: number
  /** Measurements on the rows of early stopping that came with it. */
  readonly checkpoints?: MeasuredCheckpoint[]
}

/** An event of a run before it has a number. */
export interface NewRunEvent {
  readonly kind: RunEventKind
  readonly body: JsonObject
}
