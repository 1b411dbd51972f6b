import { bytesOfToken, type TokenBytes } from './constraints/token-trie.ts'

const INITIAL_BYTES = 256

/** The text of an answer as it grows, watched for stop texts, which may begin in one token and end in another. */
export class AnswerText {
  readonly #vocabulary: TokenBytes
  readonly #stops: readonly Buffer[]
  #bytes = Buffer.alloc(INITIAL_BYTES)
  #length = 0

  constructor(vocabulary: TokenBytes, stops: readonly string[]) {
    this.#vocabulary = vocabulary
    this.#stops = stops.map((stop) => Buffer.from(stop))
  }

  /** Adds a token. Returns true when a stop text is complete: it and the text after it are cut off. */
  add(token: number): boolean {
    const added = bytesOfToken(this.#vocabulary, token)
    const before = this.#length
    this.#append(added)
    const written = this.#bytes.subarray(0, this.#length)
    const starts = this.#stops
      .map((stop) => written.indexOf(stop, Math.max(0, before - stop.length + 1)))
      .filter((at) => at >= 0)
    if (starts.length === 0) return false
    this.#length = Math.min(...starts)
    return true
  }

  /** Returns the text so far, without the tokenizer's lead; an incomplete last character is left out. */
  toString(): string {
    const text = new TextDecoder().decode(this.#bytes.subarray(0, this.#length), { stream: true })
    const { lead } = this.#vocabulary
    return text.startsWith(lead) ? text.slice(lead.length) : text
  }

  #append(added: Uint8Array): void {
    const length = this.#length + added.length
    if (length > this.#bytes.length) {
      const grown = Buffer.alloc(Math.max(length, this.#bytes.length * 2))
      this.#bytes.copy(grown, 0, 0, this.#length)
      this.#bytes = grown
    }
    this.#bytes.set(added, this.#length)
    this.#length = length
  }
}
