import type { ModelConfig } from '../../config/model-config.ts'
import type { TensorData } from '../../files/tensors.ts'
import type { Batch } from '../batch.ts'
import type { Parameter, Trainable } from '../parameters.ts'
import type { Scoring } from '../scoring.ts'

export interface EngineOptions {
  readonly config: ModelConfig
  /** Every weight of the base by its Hugging Face name. Read in place, never copied, except into `values` in full mode. */
  readonly weights: ReadonlyMap<string, TensorData>
  readonly trainable: Trainable
  readonly threads: number
  /** By the log-probabilities of targets when absent. */
  readonly scoring?: Scoring
  /** The head of a teacher whose hidden states batches bring, [vocabulary, hidden size of the teacher]. */
  readonly teacherHead?: TensorData
}

export interface StepResult {
  /** −Σ weightᵢ·scoreᵢ of the batch. */
  readonly loss: number
  /** Of each answer token, [answers]: log p of the target, or minus its divergence. */
  readonly scores: Float32Array
}

/**
 * Runs the forward and backward pass of a base with trainable tensors. A pass blocks the calling thread while it
 * computes. Results are bit-identical for equal inputs, machine and number of threads.
 */
export interface TrainingEngine {
  /** Layout of `values` and `gradients`. */
  readonly parameters: readonly Parameter[]
  /**
   * The trainable numbers. In lora mode all zero at first, to be filled by the caller; in full mode a copy of the
   * weights. Changes take effect with the next pass.
   */
  readonly values: Float32Array
  /** Gradient of the last step's loss, overwritten by each step. */
  readonly gradients: Float32Array
  /** Scores of the batch's answer tokens, [answers]; with other trainable numbers when `values` is given. */
  forward(batch: Batch, values?: Float32Array): Promise<Float32Array>
  /** One forward and backward pass. */
  step(batch: Batch): Promise<StepResult>
  /** Frees the sessions; the engine must not be used afterwards. */
  release(): Promise<void>
}
