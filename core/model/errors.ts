import {
  codesAbove,
  defineErrors,
  isErrorCode as isKernelErrorCode,
  type ErrorCode as KernelErrorCode,
} from '../kernel/errors.ts'

/** Codes of base models: their files, training, generation and export. */
export const MODEL_ERRORS = defineErrors({
  unknown_base_model: { status: 400, retryable: false },
  unsupported_architecture: { status: 400, retryable: false },
  invalid_model: { status: 400, retryable: false },
  invalid_adapter: { status: 400, retryable: false },
  example_too_large: { status: 400, retryable: false },
  invalid_constraint: { status: 400, retryable: false },
  context_exceeded: { status: 400, retryable: false },
  unknown_quant: { status: 400, retryable: false },
  export_not_applicable: { status: 400, retryable: false },
  teacher_vocab_mismatch: { status: 400, retryable: false },
  teacher_logits_required: { status: 400, retryable: false },
  base_mismatch: { status: 409, retryable: false },
  compile_cancelled: { status: 409, retryable: false },
  recipe_failed: { status: 422, retryable: false },
  no_training_rows: { status: 422, retryable: false },
  training_diverged: { status: 422, retryable: false },
  base_does_not_fit: { status: 422, retryable: false },
  invalid_checkpoint: { status: 422, retryable: false },
  export_failed: { status: 500, retryable: false },
  model_busy: { status: 503, retryable: true },
})

/** A machine code of this area or of one below it. */
export type ErrorCode = KernelErrorCode | keyof typeof MODEL_ERRORS

/** True for a text that is such a code. */
export const isErrorCode = codesAbove(isKernelErrorCode, MODEL_ERRORS)
