import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import type { OpenedBase } from '../../../core/model/files/base-model.ts'
import { createPromptEncoder } from '../../../core/model/training/prompt.ts'

/**
 * Returns the encoder of a text for a base: as a user's turn in its chat template where it has one, else as it stands. The text never
 * encodes to special tokens. Throws `invalid_model`.
 */
export function plainOrChat({ model, tokenizer, chatTemplate }: OpenedBase): (text: string) => readonly number[] {
  if (chatTemplate === null) return (text) => tokenizer.encode(text, { addSpecial: true, asPlainText: true })
  const [endTokenId] = model.config.eosTokenIds
  if (endTokenId === undefined) throw MODEL_ERRORS.invalid_model('the base defines no token that ends an answer')
  const encoder = createPromptEncoder({ template: 'chat', instruction: null }, { tokenizer, chatTemplate, endTokenId })
  return (text) => encoder.prompt(text)
}
