import { costOf, countedUsage } from '../../../core/gateway/calls/estimate.ts'
import type { Target } from '../../../core/gateway/calls/target.ts'
import type { Usage } from '../../../core/gateway/exchange/answer.ts'
import type { SentEvent } from '../../../core/gateway/exchange/stream.ts'
import { redactAnswer } from '../../../core/gateway/privacy/redact-body.ts'
import type { CallRecord, CallResult } from '../../../core/gateway/record/call-record.ts'
import { chargedTo } from '../../../db/billing/usage/charged-to.ts'
import type { ReplyHeaders } from '../../kernel/route.ts'
import type { AdmittedCall } from '../gate/admit.ts'
import { keepCall, NO_FINDINGS } from '../captures/keep-call.ts'

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
  /** Whether the provider's answer came to its end, also after the caller had left. */
  readonly isWhole: boolean
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
 * Concludes a call, once, when its answer is over and before its last bytes are sent: counts what it used, and captures it.
 * Tokens that the provider did not count are estimated, which the record states.
 */
export async function concludeCall(call: AdmittedCall, ended: Ended): Promise<Concluded> {
  const { services, principal, facts, startedAt, gate, placeholders, terms } = call
  const { target, outcome, answer, usage: reported, inputChars, outputChars, isWhole, contentAt, ...result } = ended
  const usage = countedUsage(reported, { inputChars, outputChars, isWhole })
  const record: CallRecord = {
    ...facts,
    ...result,
    gate,
    answer: answer === null || gate.isRaw ? answer : redactAnswer(answer, placeholders, terms),
    outcome,
    provider: target.provider.id,
    model: target.model,
    usage,
    costMicros: costOf(target, usage),
    latencyMs: performance.now() - startedAt,
    firstContentMs: contentAt === null ? null : contentAt - startedAt,
  }
  // A call that nothing answered is not charged.
  await call.reservation?.settle(outcome === 'failed' ? 0 : (record.costMicros ?? 0))
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
  const captured = await keepCall(services, record, NO_FINDINGS, 'grouped')
  return { headers: { 'x-svc-namespace': facts.namespace, ...captured }, lastEvent: null }
}
