import { MODEL_ERRORS } from '../../model/errors.ts'
import type { OpenedBase } from '../../model/files/base-model.ts'
import type { LoraBase } from '../stages/lora/lora-recipe.ts'

/** Throws `base_mismatch` when the weights of an open base are others than those that a recipe names. */
export function checkWeights({ name, weights_hash: expected }: LoraBase, base: Pick<OpenedBase, 'model'>): void {
  const found = base.model.weightsHash
  if (found === expected) return
  throw MODEL_ERRORS.base_mismatch(
    `the base ${name} has different weights from the base that the adapter was fitted on`,
    {
      details: { base: name, expected, found },
    },
  )
}
