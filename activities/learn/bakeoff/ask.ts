import { costMicros } from '../../../core/gateway/providers/prices.ts'
import type { OpenModel } from '../../../core/gateway/ports.ts'
import type { ProviderRequest } from '../../../core/gateway/providers/provider.ts'
import { ProviderError } from '../../../core/gateway/providers/provider-error.ts'
import { REAL_CLOCK, withRetries, type RetryPolicy } from '../../../core/gateway/protocol/upstream/retry.ts'
import type { AnswerCost } from '../../../core/learn/evals/bakeoff/answer.ts'

/** Calls of one question in all; what a provider may have billed is asked again, as its answer was never seen. */
const RETRY: RetryPolicy = { attempts: 4, baseMs: 500, maxMs: 20_000, repeatsBilled: true }
const MICROS = 1_000_000

/** The answer of a model. */
export interface ModelAnswer {
  /** Null where it declined, or where its provider sent none. */
  readonly text: string | null
  readonly cost: AnswerCost
}

/**
 * Asks one question. The cost follows from the tokens that the provider counted and the price table; null where either is missing.
 * Throws `ProviderError` but for refusals, and what the port throws.
 */
export async function ask(
  { provider, identity }: OpenModel,
  request: Omit<ProviderRequest, 'n'>,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const startedAt = performance.now()
  const nothing = { cpuMs: null, inputTokens: null, outputTokens: null, usd: null }
  try {
    const { samples, usage, latencyMs } = await withRetries(
      async () => await provider.ask({ ...request, n: 1 }, signal),
      RETRY,
      REAL_CLOCK,
      signal,
    )
    const [sample] = samples
    const text = sample === undefined || sample.finish === 'refusal' ? null : sample.text
    if (usage === null) return { text, cost: { ...nothing, latencyMs } }
    const { inputTokens, outputTokens } = usage
    const usd = identity.prices === null ? null : costMicros(identity.prices, usage) / MICROS
    return { text, cost: { latencyMs, cpuMs: null, inputTokens, outputTokens, usd } }
  } catch (error) {
    const isAnswer = error instanceof ProviderError && ['refused', 'invalid_response'].includes(error.failure)
    if (!isAnswer) throw error
    return { text: null, cost: { ...nothing, latencyMs: performance.now() - startedAt } }
  }
}
