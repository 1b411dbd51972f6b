import { MODEL_ERRORS } from '../errors.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'
import type { EncodedConstraint } from './constraints/compile-constraint.ts'
import type { Constraint } from './options.ts'

/**
 * Encodes the constraint for the engine: labels become the tokenizer's tokens. As in the answers of training, text in a
 * label that looks like a special token is plain characters. Throws `invalid_constraint`.
 */
export function encodeConstraint(constraint: Constraint | undefined, tokenizer: Tokenizer): EncodedConstraint | null {
  if (constraint === undefined) return null
  if (constraint.type !== 'labels') return constraint
  const sequences = constraint.labels.map((label) => tokenizer.encode(label, { asPlainText: true }))
  if (sequences.some(({ length }) => length === 0)) {
    throw MODEL_ERRORS.invalid_constraint('the tokenizer produces no tokens for one of the labels')
  }
  return { type: 'labels', sequences }
}
