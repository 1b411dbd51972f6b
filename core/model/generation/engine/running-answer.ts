import { MODEL_ERRORS } from '../../errors.ts'
import type { PreparedAdapter } from '../../llama/inference/adapter-rows.ts'
import type { RowExperts } from '../../llama/inference/row-tokens.ts'
import { createRandom } from '../../random.ts'
import { AnswerText } from '../answer-text.ts'
import type { TokenConstraint } from '../constraints/token-constraint.ts'
import type { TokenBytes } from '../constraints/token-trie.ts'
import type { Finish, Generation, GenerationOptions } from '../options.ts'
import { chooseToken } from '../sampling.ts'

/** Inputs of an answer. */
export interface AnswerInput {
  readonly promptIds: readonly number[]
  readonly adapter: PreparedAdapter | null
  readonly options: GenerationOptions
  readonly constraint: TokenConstraint | null
  readonly endTokens: readonly number[]
  readonly vocabulary: TokenBytes
  /** Most tokens of the answer that budget and context leave. */
  readonly maxTokens: number
  /** Milliseconds since some fixed moment. */
  readonly askedAtMs: number
}

/** An answer in progress, token by token; `unread` tokens wait for the model to read them. */
export class RunningAnswer {
  readonly input: AnswerInput
  unread: readonly number[]
  readonly #random
  readonly #text: AnswerText
  readonly #ids: number[] = []
  readonly #startedAtMs: number
  #firstTokenAtMs: number | undefined
  readonly #counts = new Map<number, number[]>()
  /** The request about the experts for this answer's tokens. */
  readonly experts: RowExperts | undefined
  #state: number
  #logProb = 0
  #hasEndToken = false

  constructor(input: AnswerInput, nowMs: number) {
    this.input = input
    this.unread = input.promptIds
    this.#random = createRandom(input.options.seed, 'sampling')
    this.#text = new AnswerText(input.vocabulary, input.options.stop)
    this.#state = input.constraint?.start ?? 0
    this.#startedAtMs = nowMs
    const { experts } = input.options
    this.experts = experts && {
      masked: new Map(experts.masked.map(({ layer, experts: masked }) => [layer, masked])),
      onChosen: (layer, chosen) => this.#count(layer, chosen),
    }
  }

  /**
   * Adds the token chosen from the last logits, and the tokens that the constraint then forces. Returns the finish
   * reason when the answer is complete; otherwise `unread` holds the new tokens. Throws `invalid_constraint` when the
   * vocabulary cannot spell the constraint, `invalid_model` for logits that are not numbers.
   */
  advance(logits: Float32Array): Finish | null {
    this.#firstTokenAtMs ??= performance.now()
    const added: number[] = []
    for (;;) {
      const candidates = this.#candidates()
      if (candidates !== null && candidates.length === 0) return this.#ended()
      // A forced token needs no logits, and has probability 1 among the allowed ones.
      const isForced = candidates?.length === 1
      if (added.length > 0 && !isForced) break
      const token = isForced ? (candidates[0] ?? 0) : this.#choose(logits, candidates)
      if (this.input.endTokens.includes(token)) {
        this.#hasEndToken = true
        return 'end'
      }
      added.push(token)
      this.#ids.push(token)
      this.#state = this.input.constraint?.next(this.#state, token) ?? 0
      if (this.#text.add(token)) return 'stop'
      if (this.#ids.length >= this.input.maxTokens) return this.#mayEnd() ? 'end' : 'length'
    }
    this.unread = added
    return null
  }

  /** The answer so far. */
  result(finish: Finish, nowMs: number): Generation {
    const generationMs = nowMs - this.#startedAtMs
    const newTokens = this.#ids.length + Number(this.#hasEndToken)
    return {
      ids: this.#ids,
      text: this.#text.toString(),
      finish,
      logProb: this.#logProb,
      confidence: Math.exp(this.#logProb),
      promptTokens: this.input.promptIds.length,
      newTokens,
      waitMs: this.#startedAtMs - this.input.askedAtMs,
      firstTokenMs: (this.#firstTokenAtMs ?? nowMs) - this.input.askedAtMs,
      generationMs,
      tokensPerSecond: generationMs > 0 ? (newTokens * 1000) / generationMs : 0,
      ...(this.experts && { experts: [...this.#counts].map(([layer, counts]) => ({ layer, counts })) }),
    }
  }

  #choose(logits: Float32Array, candidates: Int32Array | null): number {
    const { token, logProb } = chooseToken(logits, candidates, this.input.options, this.#random)
    if (!Number.isFinite(logProb)) {
      throw MODEL_ERRORS.invalid_model('the base gives no probability to any token that may come next')
    }
    this.#logProb += logProb
    return token
  }

  #count(layer: number, chosen: BigInt64Array): void {
    const counts = this.#counts.get(layer) ?? []
    this.#counts.set(layer, counts)
    for (const expert of chosen) counts[Number(expert)] = (counts[Number(expert)] ?? 0) + 1
  }

  #mayEnd(): boolean {
    return this.input.constraint?.mayEnd(this.#state) ?? false
  }

  /** The tokens that may come next, the end included; all when null. */
  #candidates(): Int32Array | null {
    const { constraint, endTokens, maxTokens } = this.input
    if (constraint === null) return null
    const allowed = constraint.allowedWithin(this.#state, maxTokens - this.#ids.length - 1)
    if (!constraint.mayEnd(this.#state)) return allowed
    const both = new Int32Array(allowed.length + endTokens.length)
    both.set(allowed)
    both.set(endTokens, allowed.length)
    return both
  }

  #ended(): Finish {
    if (this.#mayEnd()) return 'end'
    throw MODEL_ERRORS.invalid_constraint('the vocabulary of the base cannot express the constraint')
  }
}
