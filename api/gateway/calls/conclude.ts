import { hash } from 'node:crypto'
import {
  costOf,
  countedUsage,
  frontierCostOf,
  knownCost,
  type CountedUsage,
  type Unanswered,
} from '../../../core/gateway/calls/estimate.ts'
import { isAudioKind } from '../../../core/gateway/calls/providers.ts'
import type { Target } from '../../../core/gateway/calls/target.ts'
import type { MeasuredAudio } from '../../../core/gateway/protocol/audio/meter.ts'
import { fileFacts } from '../../../core/gateway/protocol/audio/write-form.ts'
import { usageOf, type Usage } from '../../../core/gateway/protocol/exchange/answer.ts'
import {
  bytesWithReceipt,
  receiptHeaders,
  streamReceipt,
  type StreamReceipt,
} from '../../../core/gateway/record/receipts/carry-receipt.ts'
import type { AuditReceipt } from '../../../core/gateway/record/receipts/audit-receipt.ts'
import { signReceipt } from '../../../core/gateway/record/receipts/sign-receipt.ts'
import type { LeftOut } from '../../../core/gateway/captures/recording/left-out.ts'
import type { CallRecord, CallResult } from '../../../core/gateway/record/call-record.ts'
import { canonicalHash } from '../../../core/kernel/json/json-pieces.ts'
import { chargedTo } from '../../../db/billing/usage/charged-to.ts'
import type { ReplyHeaders } from '../../kernel/route.ts'
import type { RouteFacts } from '../../../core/gateway/routing/route-facts.ts'
import { extendAnswer } from './extend-answer.ts'
import { routeHeaders, routeOf } from './route-headers.ts'
import { keepInCache } from './ask/keep-in-cache.ts'

/** The target that answered a call: a provider, or an own artifact. */
export interface AnsweringTarget {
  readonly provider: Pick<Target['provider'], 'needsKey'> & { readonly id: string }
  readonly model: string
}
import type { AdmittedCall } from '../gate/admit.ts'
import type { SensitiveClass } from '../../../core/gateway/gate/privacy/classes.ts'
import { hideAnswerId } from '../../../core/gateway/record/hide-ids.ts'
import { redactAnswer } from '../../../core/gateway/gate/privacy/redact-body.ts'
import { keepCall, keptBy, NOT_KEPT } from '../captures/keep-call.ts'
import { settleContent } from '../captures/settle-content.ts'
import { headerText } from './open-call.ts'

const JWKS_PATH = '/.well-known/jwks.json'

/** The end of a call, in the terms of its provider. */
export interface Ended extends Pick<CallResult, 'outcome' | 'status' | 'errorCode' | 'attempts' | 'sent' | 'answer'> {
  /** The bytes of an answer that is sent whole; of any other the SHA-256 of those that the caller got, hexadecimal. */
  readonly output: { readonly bytes: string } | { readonly hash: string }
  /** The target that answered or was asked last. */
  readonly target: AnsweringTarget
  /** The sound that the provider gave. */
  readonly spoken?: MeasuredAudio
  /** The part of an own artifact or the cache in the call. */
  readonly own: Pick<RouteFacts, 'confidence' | 'artifactId' | 'conceptMatch' | 'cache'>
  /** Under which the answer is cached; null where it is not. */
  readonly cacheKey: Buffer | null
  /** Null when the provider did not report it. */
  readonly usage: Usage | null
  readonly inputChars: number
  readonly outputChars: number
  /** Whether the provider's answer came to its end, also after the caller had left. */
  readonly isWhole: boolean
  /** By `performance.now()`. */
  readonly contentAt: number | null
  /** Null for a call of which an answer has begun. */
  readonly unanswered: Unanswered | null
  /** Why the content is not stored, where that was known before the answer began. */
  readonly leftOut?: LeftOut | null
}

/** UTF-8 takes no more for what a text counts as one character. */
const MOST_CHAR_BYTES = 3

/** Of a call that its provider does not bill. */
const UNUSED: CountedUsage = { ...usageOf({}), isEstimated: false }

/** Additions of a concluded call to its answer. */
export interface Concluded {
  /** Headers of an answer that is not streamed. */
  readonly headers: ReplyHeaders
  /** Writes the end of a stream, after that of its dialect; null for none. Whole answers need none. */
  readonly end: () => StreamReceipt | null
  readonly record: CallRecord
  /** The bytes of an answer that is sent whole, with what the call adds to it; empty for any other. */
  readonly bytes: string
  /** Null for a call that nothing answered. */
  readonly receipt: AuditReceipt | null
}

/**
 * Concludes a call, once, when its answer is over and before its last bytes are sent: counts what it used, signs its
 * receipt and captures it. Tokens that the provider did not count are estimated, which the record and the receipt state. Where
 * the provider may bill a call of which it gave nothing, the record has no cost, and the budget is charged the most.
 */
export async function concludeCall(call: AdmittedCall, ended: Ended): Promise<Concluded> {
  try {
    return await conclude(call, ended)
  } catch (error) {
    call.services.captures.room.release(call.facts.captureId)
    throw error
  }
}

async function conclude(call: AdmittedCall, ended: Ended): Promise<Concluded> {
  const { services, principal, facts, startedAt, target: asked, gate, placeholders, terms } = call
  const isVisitor = call.visitor !== undefined
  const {
    target,
    own,
    cacheKey,
    outcome,
    spoken = null,
    output,
    answer: given,
    usage: reported,
    inputChars,
    outputChars,
    isWhole,
    contentAt,
    unanswered,
    leftOut: leftOutBefore,
    ...result
  } = ended
  const answer = hideAnswerId(given, facts)
  const known = knownCost(unanswered, { isWhole, usage: reported, contentAt })
  const usage = known === 'none' ? UNUSED : countedUsage(reported, { inputChars, outputChars, isWhole })
  const keeps = (kind: SensitiveClass): boolean => gate.isRaw && kind !== 'forgotten'
  const seen = answer === null ? null : redactAnswer(answer, placeholders, { terms, keeps })
  const concluded: Omit<CallRecord, 'outputHash'> = {
    ...facts,
    ...result,
    sent: call.file === undefined ? result.sent : { ...result.sent, file: fileFacts(call.file) },
    spoken,
    gate,
    answer: seen?.answer ?? null,
    answerClasses: seen?.classes ?? [],
    outcome,
    provider: target.provider.id,
    model: target.model,
    usage,
    costMicros: known === 'none' || own.cache === 'hit' ? 0 : known === 'open' ? null : costOf(target, usage),
    frontierCostMicros: frontierCostOf(asked, call.settings.route_chain, usage),
    route: routeOf(ended),
    latencyMs: performance.now() - startedAt,
    firstContentMs: contentAt === null ? null : contentAt - startedAt,
  }
  const { costMicros } = concluded
  await (costMicros === null ? call.reservation?.chargeAll() : call.reservation?.settle(costMicros))
  const bytes = 'bytes' in output ? extendAnswer(output.bytes, call.extend?.(concluded) ?? {}) : ''
  const answerBytes = 'bytes' in output ? Buffer.byteLength(output.bytes) : outputChars * MOST_CHAR_BYTES
  const leftOut = leftOutBefore ?? (await settleContent(call, concluded, { inputChars, answerBytes }))
  const record = { ...concluded, leftOut, outputHash: 'hash' in output ? output.hash : hash('sha256', bytes) }
  keepInCache(call, record, { key: cacheKey, answer })
  const signed = isVisitor
    ? null
    : signReceipt(record, {
        signingKey: services.signingKeys.current,
        verifyUrl: `${services.publicUrl()}${JWKS_PATH}`,
        keeps: leftOut === null ? keptBy(call.settings, record) : 'hashes',
        ...(call.isLarge && { inputHash: `sha256:${await canonicalHash(record.sent)}` as const }),
      })
  // One without an answer gets its unit of the quota back.
  if (unanswered === null && !isVisitor) {
    services.invocations.recordCall({
      tenantId: facts.tenantId,
      chargedTo: { ...chargedTo(principal), namespace: facts.namespace },
      units: services.limits.quota_units_per_gateway_call,
      latencyUs: record.latencyMs * 1000,
      promptTokens: usage.inputTokens,
      newTokens: usage.outputTokens,
      isEstimated: usage.isEstimated,
      ranHere: own.artifactId !== null,
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
  services.callWatch.callEnded(record, headerText(call.request, 'traceparent'))
  const captured = isVisitor
    ? NOT_KEPT
    : await keepCall(services, record, {
        settings: call.settings,
        receipt: signed?.receipt ?? null,
        isLarge: call.isLarge,
      })
  const headers = { ...routeHeaders(record), ...captured }
  if (signed === null) return { headers, end: () => null, record, bytes, receipt: null }
  const end = (): StreamReceipt => {
    const { text, trailers } = streamReceipt(facts.dialect, signed, leftOut)
    // Sounds and their transcripts have no end that readers know: the receipt comes behind the body.
    return { text: isAudioKind(facts.plain) ? '' : text, trailers }
  }
  return {
    headers: { ...headers, ...receiptHeaders(signed) },
    end,
    record,
    bytes: call.showsReceipt === true ? bytesWithReceipt(bytes, signed) : bytes,
    receipt: signed.receipt,
  }
}
