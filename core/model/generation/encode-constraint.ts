import { MODEL_ERRORS } from '../errors.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'
import type { EncodedConstraint } from './constraints/compile-constraint.ts'
import type { Constraint } from './options.ts'

/**
 * The constraint as the engine takes it: labels as the tokens that the tokenizer makes of them. As in the answers of
 * training, what looks like a special token in a label is plain characters. Throws `invalid_constraint`.
 */
export function encodeConstraint(constraint: Constraint | undefined, tokenizer: Tokenizer): EncodedConstraint | null {
  if (constraint === undefined) return null
  if (constraint.type !== 'labels') return constraint
  const sequences = constraint.labels.map((label) => tokenizer.encode(label, { asPlainText: true }))
  if (sequences.some(({ length }) => length === 0)) {
    throw MODEL_ERRORS.invalid_constraint('the tokenizer leaves nothing of one of the labels')
  }
  return { type: 'labels', sequences }
}
