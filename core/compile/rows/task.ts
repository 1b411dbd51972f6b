import type { Json } from '../../kernel/json/json.ts'

/** One example: an input and its expected output. `id` is the caller's, or `row_<position from 1>`. */
export interface Row {
  readonly id: string
  readonly input: Json
  readonly output: Json
  /** `test`: the caller set this row aside to score with; no recipe is fitted on it. */
  readonly kind?: 'test'
}

/** The kinds of recipe, cheapest first. */
export const RECIPE_KINDS = ['program', 'classifier', 'tabular', 'composite', 'lora'] as const
export type RecipeKind = (typeof RECIPE_KINDS)[number]

/** Returns a kind as a noun for texts: "a tabular model". */
export function nounOf(kind: RecipeKind): string {
  if (kind === 'tabular') return 'tabular model'
  if (kind === 'lora') return 'LoRA adapter'
  return kind === 'composite' ? 'composite recipe' : kind
}

/** The stages of a compile, in order. */
export const STAGES = ['queued', 'k-sample', 'verify', 'lora-fit', 'bundle', 'sign', 'ready'] as const
export type Stage = (typeof STAGES)[number]

/** The stages in words, the same in the console, the CLI and Temporal's pages. JSON has the machine names. */
export const STAGE_LABELS = {
  queued: 'Waiting to start',
  'k-sample': 'Searching',
  verify: 'Verifying',
  'lora-fit': 'Fitting an adapter',
  bundle: 'Bundling',
  sign: 'Signing',
  ready: 'Ready',
} as const satisfies Readonly<Record<Stage, string>>

/** Returns the stage in words; a name that is not a stage of this version is returned as it is. */
export function stageLabel(name: string): string {
  return Object.entries(STAGE_LABELS).find(([stage]) => stage === name)?.[1] ?? name
}

/** The stages that are an activity of the compile workflow. */
export const WORK_STAGES = ['k-sample', 'verify', 'lora-fit', 'bundle', 'sign'] as const
export type WorkStage = (typeof WORK_STAGES)[number]

/** State of a job. `ready` is written `completed` in the detail document of a job. */
export const JOB_STATUSES = ['queued', 'running', 'ready', 'gated', 'failed', 'cancelled'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** Statuses as details of a job and answers of calls name them: `completed` where lists and streams say `ready`. */
export const STATUSES_IN_FULL = ['queued', 'running', 'completed', 'gated', 'failed', 'cancelled'] as const

/** Returns a status as details of a job name it. */
export function statusInFull(status: JobStatus): (typeof STATUSES_IN_FULL)[number] {
  return status === 'ready' ? 'completed' : status
}

/** Returns true when a job's status is final. */
export function isFinal(status: JobStatus): boolean {
  return status !== 'queued' && status !== 'running'
}

/** Returns the end status of a step that was running when its job ended. */
export function endOfOpenStep(status: JobStatus): 'cancelled' | 'failed' {
  return status === 'cancelled' ? 'cancelled' : 'failed'
}

/** States of an export. */
export const EXPORT_STATES = ['queued', 'running', 'succeeded', 'failed'] as const
/** A state of an export. */
export type ExportState = (typeof EXPORT_STATES)[number]
