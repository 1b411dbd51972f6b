import { costOf, countedUsage } from '../../../core/gateway/calls/estimate.ts'
import type { Target } from '../../../core/gateway/calls/target.ts'
import type { Usage } from '../../../core/gateway/exchange/answer.ts'
import type { SentEvent } from '../../../core/gateway/exchange/stream.ts'
import type { CallRecord, CallResult } from '../../../core/gateway/record/call-record.ts'
import { chargedTo } from '../../../db/billing/usage/charged-to.ts'
import type { ReplyHeaders } from '../../kernel/route.ts'
import type { OpenCall } from './open-call.ts'

/** How a call ended, in the terms of its provider. */
export interface Ended extends Pick<
  CallResult,
  'outcome' | 'status' | 'errorCode' | 'attempts' | 'sent' | 'answer' | 'outputHash'
> {
  /** The target that answered or was asked last. */
  readonly target: Target
  /** Null when the provider did not report it. */
  readonly usage: Usage | null
  readonly inputChars: number
  readonly outputChars: number
  /** By `performance.now()`. */
  readonly contentAt: number | null
}

/** What a concluded call adds to its answer. */
export interface Concluded {
  /** Headers of an answer that is not streamed. */
  readonly headers: ReplyHeaders
  /** The last event of a stream, after the end of its dialect; null for none. */
  readonly lastEvent: SentEvent | null
}

/**
 * Concludes a call, once, when its answer is over and before its last bytes are sent: counts what it used. Tokens that
 * the provider did not count are estimated, which the record states.
 */
export async function concludeCall(
  { services, principal, facts, startedAt }: OpenCall,
  ended: Ended,
): Promise<Concluded> {
  const { target, outcome, usage: reported, inputChars, outputChars, contentAt, ...result } = ended
  const usage = countedUsage(reported, { inputChars, outputChars, isWhole: outcome === 'whole' })
  const record: CallRecord = {
    ...facts,
    ...result,
    outcome,
    provider: target.provider.id,
    model: target.model,
    usage,
    costMicros: costOf(target, usage),
    latencyMs: performance.now() - startedAt,
    firstContentMs: contentAt === null ? null : contentAt - startedAt,
  }
  // A call that nothing answered is not charged.
  if (outcome !== 'failed') {
    services.invocations.recordCall({
      tenantId: facts.tenantId,
      chargedTo: { ...chargedTo(principal), namespace: facts.namespace },
      units: services.limits.quota_units_per_gateway_call,
      latencyUs: record.latencyMs * 1000,
      promptTokens: usage.inputTokens,
      newTokens: usage.outputTokens,
      ranHere: false,
      costUsdMicros: record.costMicros ?? 0,
    })
  }
  services.log[outcome === 'interrupted' ? 'warn' : 'info'](
    {
      request_id: facts.requestId,
      provider: target.provider.id,
      outcome,
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      estimated: usage.isEstimated,
      ms: Math.round(record.latencyMs),
    },
    'model call',
  )
  return await Promise.resolve({ headers: { 'x-svc-namespace': facts.namespace }, lastEvent: null })
}
