import { DomainError } from '../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../model/errors.ts'

/**
 * Reasons why a program has no answer: `no_match` no match or not readable, `missing` no such member or item,
 * `type_mismatch` a value of another type than the operator takes, `out_of_range` a number or date outside every
 * operator's range, `out_of_fuel` too many steps, `out_of_memory` too much output, `invalid_input` an input that is not
 * a bounded JSON value.
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
