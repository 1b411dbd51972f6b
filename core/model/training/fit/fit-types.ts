import type { BaseModel } from '../../files/base-model.ts'
import type { LoraAdapter } from '../../files/lora-adapter.ts'
import type { EngineVariant } from '../../llama/engine/training-engine.ts'
import type { Sha256 } from '../../../kernel/json/json.ts'
import type { Hyperparameters } from '../hyperparameters.ts'
import type { FitProgress } from '../loop/history.ts'
import type { TrainingOutcome } from '../loop/train.ts'
import type { FitRow } from '../rows.ts'

/** A model that scores the answers of a student, on the same vocabulary. */
export interface FitTeacher extends Pick<BaseModel, 'name' | 'config' | 'weights' | 'weightsHash'> {
  /** Null: the base alone. */
  readonly adapter: LoraAdapter | null
}

/** An adapter to fit. */
export interface FitInput {
  readonly base: Pick<BaseModel, 'name' | 'config' | 'weights' | 'weightsHash'>
  readonly rows: readonly FitRow[]
  /** Rows for early stopping; when absent they are set aside from `rows` by `validationShare`. */
  readonly validation?: readonly FitRow[]
  readonly hyperparameters: Hyperparameters
  /** Needed by `gkd`. */
  readonly teacher?: FitTeacher
  /** An adapter to continue from, with the rank, alpha and modules of the hyper-parameters; a new one when absent. */
  readonly start?: LoraAdapter
  /** Memory limit of training, weights of the base included. */
  readonly memoryBudgetBytes: number
  readonly threads: number
  /** Checkpoint to resume from, of the same base, rows and hyper-parameters. */
  readonly checkpoint?: Uint8Array
  /** 30 when absent. */
  readonly checkpointEverySeconds?: number
  /** Checkpoints at every multiple of this step as well. */
  readonly checkpointEverySteps?: number
}

/** Callbacks of a fit. */
export interface FitHooks {
  readonly onStep?: (progress: FitProgress) => void
  readonly onCheckpoint?: (bytes: Uint8Array<ArrayBuffer>, step: number) => void
  /** Ends the fit after the run of the graph that is on its way, with a last checkpoint. */
  readonly signal?: AbortSignal
}

/** A fitted adapter and its training. */
export interface FittedAdapter extends TrainingOutcome {
  readonly adapter: LoraAdapter
  /** As they were used. */
  readonly hyperparameters: Hyperparameters
  readonly rows: { readonly train: number; readonly validation: number; readonly hash: Sha256 }
  /** `layers` computes each layer's activations twice, because the budget is too small to keep them. */
  readonly variant: EngineVariant
  readonly memory: { readonly estimatedBytes: number; readonly budgetBytes: number }
}

/** Reports of a running fit. */
export type FitReport =
  | { readonly kind: 'step'; readonly progress: FitProgress }
  | { readonly kind: 'checkpoint'; readonly bytes: Uint8Array<ArrayBuffer>; readonly step: number }

/** The task of the thread of a fit. */
export interface FitTasks {
  readonly fit: { readonly input: FitInput; readonly output: FittedAdapter; readonly progress: FitReport }
}
