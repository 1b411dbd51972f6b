import { MODEL_ERRORS } from '../../model/errors.ts'
import type { OpenedBase } from '../../model/files/base-model.ts'
import type { Generators, OpenGenerator } from '../../model/generation/generators.ts'
import type { LoraBase } from '../stages/lora/lora-recipe.ts'

/** Opens bases for recipes. */
export interface CheckedBases {
  /**
   * Runs a task with the base that a recipe names. Throws `base_not_installed`, `base_mismatch` when its weights are
   * others than the recipe's, `base_does_not_fit` with the numbers, `model_busy`, `invalid_model`.
   */
  use<T>(base: LoraBase, task: (open: OpenGenerator) => Promise<T>): Promise<T>
}

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

/** Returns the bases of some generators as recipes use them: each with the weights that its recipe names. */
export function checkedBases(generators: Pick<Generators, 'use'>): CheckedBases {
  return {
    use: async (base, task) =>
      await generators.use(base.name, async (open) => {
        checkWeights(base, open.base)
        return await task(open)
      }),
  }
}
