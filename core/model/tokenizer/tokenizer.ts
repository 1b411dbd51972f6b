export interface EncodeOptions {
  /** False when absent. */
  readonly addSpecial?: boolean
  /** False when absent. */
  readonly asPlainText?: boolean
}

/** Converts text to token ids and back, by the base's tokenizer.json. */
export interface Tokenizer {
  /** One more than the highest id, special tokens included. */
  readonly vocabSize: number
  /** The text that encoding puts in front of every text: a space with most sentencepiece vocabularies, else empty. */
  readonly lead: string
  /**
   * Returns the ids of a text. Special tokens in the text are recognised, unless `asPlainText`: then they are ordinary
   * characters, so that a caller's text can never end an answer or change a role. `addSpecial` adds bos or eos as the
   * tokenizer's post-processor defines. Throws `invalid_model` when the vocabulary cannot encode the text.
   */
  encode(text: string, options?: EncodeOptions): readonly number[]
  /** Returns the text of ids; special tokens are left out unless `keepSpecial`. Invalid UTF-8 becomes U+FFFD. */
  decode(ids: readonly number[], options?: { readonly keepSpecial?: boolean }): string
  /** The bytes that a token adds to the text, for constrained decoding; null for special and unused ids. */
  tokenBytes(id: number): Uint8Array | null
  /** Returns the id of a token in tokenizer.json's spelling, special or not; null when unknown. */
  tokenId(text: string): number | null
}
