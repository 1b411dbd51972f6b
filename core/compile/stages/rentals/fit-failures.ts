/** Codes with which a machine may give a fit up: they say something about rows, base or settings, or `internal`. */
export const FIT_FAILURES = [
  'no_training_rows',
  'training_diverged',
  'base_does_not_fit',
  'base_mismatch',
  'unknown_base_model',
  'example_too_large',
  'validation_failed',
  'invalid_checkpoint',
  'internal',
] as const
