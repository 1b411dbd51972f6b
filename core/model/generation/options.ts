import { z } from 'zod'
import { KERNEL_ERRORS } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json/json.ts'

/** Texts that an answer can be held to. */
export type Constraint =
  /** One of the labels, in the tokenizer's spelling, and no text after it. */
  | { readonly type: 'labels'; readonly labels: readonly string[] }
  /** A text that matches as a whole; see `readRegex`. */
  | { readonly type: 'regex'; readonly pattern: string }
  /** Compact JSON that validates; see `readJsonSchema`. */
  | { readonly type: 'json-schema'; readonly schema: Json }

/** The request about the experts of a base. */
export interface ExpertOptions {
  /** Experts that take no part, by layer. */
  readonly masked: readonly { readonly layer: number; readonly experts: readonly number[] }[]
}

/** Times that each expert was chosen, token by token, in one layer. */
export interface ExpertCounts {
  readonly layer: number
  readonly counts: readonly number[]
}

/** Options for generating an answer. */
export interface GenerationOptions {
  /** Most tokens of the answer. Labels bound themselves and may be longer. */
  readonly maxNewTokens: number
  /** Divides the logits; 0 always takes the likeliest token. */
  readonly temperature: number
  /** Draws among this many likeliest tokens; 0 is all of them. */
  readonly topK: number
  /** Draws among the fewest tokens whose probabilities sum to this; 1 is all of them. */
  readonly topP: number
  /** Texts that end the answer and are not part of it. */
  readonly stop: readonly string[]
  /** Same seed, same request, same answer. */
  readonly seed: number
  readonly constraint?: Constraint
  /** Present where the experts of a mixture are counted; `Generation.experts` then has the counts. */
  readonly experts?: ExpertOptions
}

/** The likeliest token each time, at most 256 of them. */
export const GREEDY: GenerationOptions = { maxNewTokens: 256, temperature: 0, topK: 0, topP: 1, stop: [], seed: 0 }

const MAX_LABELS = 10_000
/** Half of a surrogate pair cannot be written in UTF-8, so no answer could hold it. */
const Text = z
  .string()
  .min(1)
  .refine((text) => text.isWellFormed(), 'holds half of a surrogate pair')
const Options = z.strictObject({
  maxNewTokens: z.int().min(1).max(1_000_000),
  temperature: z.number().min(0).max(100),
  topK: z.int().min(0).max(10_000_000),
  topP: z.number().gt(0).max(1),
  stop: z.array(Text.max(1000)).max(16),
  seed: z.int().min(0).max(Number.MAX_SAFE_INTEGER),
  constraint: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('labels'), labels: z.array(Text).min(1).max(MAX_LABELS) }),
      z.strictObject({ type: z.literal('regex'), pattern: z.string() }),
      z.strictObject({ type: z.literal('json-schema'), schema: z.json() }),
    ])
    .optional(),
  experts: z
    .strictObject({
      masked: z.array(z.strictObject({ layer: z.int().min(0), experts: z.array(z.int().min(0)).max(4096) })).max(1024),
    })
    .optional(),
})

/** Completes options with those of `GREEDY`. Throws `validation_failed`, which names the fields outside their range. */
export function completeOptions(options: Partial<GenerationOptions>): GenerationOptions {
  const complete = { ...GREEDY, ...options }
  const read = Options.safeParse(complete)
  if (read.success) return complete
  const fields = read.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }))
  throw KERNEL_ERRORS.validation_failed(
    `options of the generation: ${fields.map(({ field, message }) => `${field}: ${message}`).join('; ')}`,
    {
      details: { fields },
    },
  )
}

/**
 * Reason for which an answer ended: the model ended it, a stop text came, or the token budget or the context was used
 * up.
 */
export type Finish = 'end' | 'stop' | 'length'

/** An answer and its token use. */
export interface Generation {
  /** All tokens that were drawn, without the one that ends the answer; the last may reach into a stop text. */
  readonly ids: readonly number[]
  readonly text: string
  readonly finish: Finish
  /**
   * Natural logarithm of the probability of the answer and its end, at temperature 1, among the tokens that the
   * constraint allowed at each position. Without a constraint this is the model's own log-probability.
   */
  readonly logProb: number
  /** The probability itself: e^logProb. With labels it sums to 1 over them. */
  readonly confidence: number
  readonly promptTokens: number
  readonly newTokens: number
  /** Time before the first work on the request. */
  readonly waitMs: number
  /** Time from the request to the first token, the wait included. */
  readonly firstTokenMs: number
  /** Time from the first work on the request to the answer. */
  readonly generationMs: number
  /** New tokens, the one that ends the answer included, per second of `generationMs`. */
  readonly tokensPerSecond: number
  /** Of requests that asked for them. */
  readonly experts?: readonly ExpertCounts[]
}
