import type { z } from 'zod'
import type { AssistantChatAnswer } from '../../../../core/gateway/wire/assist/assistant.ts'
import type { Answered } from './answer-question.ts'

type Chat = z.input<typeof AssistantChatAnswer>
type Made = Pick<
  Chat,
  'known' | 'sources' | 'provider_used' | 'model_used' | 'cost_usd' | 'latency_ms' | 'fallback_chain'
>

const MICROS_PER_USD = 1_000_000

/** Returns the facts about the making of an answer; `startedAt` by `performance.now()`. */
export function presentMade(
  { isKnown, sources, steps, reply, isByModel }: Omit<Answered, 'text'>,
  startedAt: number,
): Made {
  const micros = reply === null ? 0 : reply.record.costMicros
  return {
    known: isKnown,
    sources: sources.map((source) => ({ ...source })),
    provider_used: isByModel ? (reply?.record.provider ?? null) : null,
    model_used: isByModel ? (reply?.record.model ?? null) : null,
    // Also for an answer that was not used: it was paid for.
    cost_usd: micros === null ? null : micros / MICROS_PER_USD,
    latency_ms: Math.round(performance.now() - startedAt),
    fallback_chain: steps.map((step) => ({ ...step })),
  }
}

/** The answer of a chat. */
export function presentChat(answered: Answered, turnId: string, startedAt: number): Chat {
  const { text, reply } = answered
  const made = presentMade(answered, startedAt)
  const first = reply?.record.firstContentMs ?? null
  return {
    response: text,
    ...made,
    turn_id: turnId,
    passport_hash: reply?.receiptHash ?? null,
    capture_id: reply?.record.captureId ?? null,
    first_token_ms: first === null ? null : Math.round(first),
    total_ms: made.latency_ms,
  }
}
