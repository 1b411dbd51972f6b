import { DomainError } from '../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../model/errors.ts'

/**
 * Why a program has no answer: `no_match` nothing was found or read, `missing` no such member or item, `type_mismatch`
 * a value of another type than the operator takes, `out_of_range` a number or date no operator can give or take,
 * `out_of_fuel` too many steps, `out_of_memory` too much made, `invalid_input` an input that is no bounded JSON value.
 */
export const FAILURE_REASONS = [
  'no_match',
  'missing',
  'type_mismatch',
  'out_of_range',
  'out_of_fuel',
  'out_of_memory',
  'invalid_input',
] as const
export type FailureReason = (typeof FAILURE_REASONS)[number]

/** Thrown when a program has no answer for an input. `operator` names the node that had none. */
export class RecipeError extends DomainError {
  readonly reason: FailureReason
  readonly operator: string

  constructor(reason: FailureReason, operator: string) {
    super(MODEL_ERRORS.recipe_failed, `the program has no answer: ${reason} in ${operator}`, {
      details: { reason, operator },
    })
    this.name = 'RecipeError'
    this.reason = reason
    this.operator = operator
  }
}
