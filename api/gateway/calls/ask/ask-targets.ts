import { callersError } from '../../../../core/gateway/calls/answer-error.ts'
import { charsOfBody, charsOf } from '../../../../core/gateway/calls/estimate.ts'
import { prepareCall, type PreparedCall } from '../../../../core/gateway/calls/prepare.ts'
import { preparePlain } from '../../../../core/gateway/calls/prepare-plain.ts'
import { isAudioKind } from '../../../../core/gateway/calls/providers.ts'
import { refuseKept } from '../../../../core/gateway/calls/refuse-kept.ts'
import { newProgress, relayStream } from '../../../../core/gateway/calls/relay.ts'
import type { Target } from '../../../../core/gateway/calls/target.ts'
import { GATEWAY_ERRORS } from '../../../../core/gateway/errors.ts'
import type { Placeholders } from '../../../../core/gateway/gate/privacy/placeholders.ts'
import { ProviderError } from '../../../../core/gateway/providers/provider-error.ts'
import type { Attempt } from '../../../../core/gateway/record/attempt.ts'
import { gatherAnswer } from '../../../../core/gateway/record/gather-answer.ts'
import { REAL_CLOCK, withRetries, type RetryPolicy } from '../../../../core/gateway/protocol/upstream/retry.ts'
import type { UpstreamReply } from '../../../../core/gateway/protocol/upstream/upstream.ts'
import { DomainError, isOneOf } from '../../../../core/kernel/errors.ts'
import type { ReplyHeaders } from '../../../kernel/route.ts'
import type { AdmittedCall } from '../../gate/admit.ts'
import type { GatedCall } from '../../gate/pass-gate.ts'
import { answerFacts } from '../answer-facts.ts'
import { concludeCall, type Ended } from '../conclude.ts'
import { findReach, type FoundReach } from '../find-reach.ts'
import { leftOutHeaders } from '../left-out-headers.ts'
import type { CallPlan } from '../read-plan.ts'
import { ownFacts, type OwnAttempt } from './ask-own.ts'
import { answerAudio } from './answer-audio.ts'
import { keepWritten, rememberReceived } from './keep-response.ts'
import { pathOf, whyPassedOver } from './pass-over.ts'
import { requireEvents, sendInShape, type OpenBill } from './send-call.ts'
import { startStream, type InferenceReply } from '../start-stream.ts'
import { wholeAnswer } from './whole-answer.ts'

/** Repeats of what a provider has not begun; with the repeats of the caller's SDK they multiply, so they are few. */
const RETRY: RetryPolicy = { attempts: 3, baseMs: 250, maxMs: 4000, repeatsBilled: false }

/** A target that can be asked. */
export interface ReadyCall {
  readonly reach: FoundReach
  readonly prepared: PreparedCall
}

/** Finds the key of a target and writes its request. Throws what refuses the call before it is sent. */
export async function readyCall(call: GatedCall, target: Target, isFirst: boolean): Promise<ReadyCall> {
  const reach = await findReach(call, { target, isFirst })
  if (!reach.isOwnKey) {
    refuseKept(call.body, call.plain, (id) => call.continued?.received.get(id) === target.provider.id)
  }
  const prepared =
    call.plain === undefined
      ? prepareCall(call.dialect, call.body, reach)
      : preparePlain(call.plain, call.dialect, call.body, reach, call.file)
  return { reach, prepared }
}

/**
 * Asks the targets of a plan in order until one answers; each ends up in the attempts of the call's record. Throws the
 * first target's error in the caller's terms, after the call is concluded as failed.
 */
export async function askTargets(
  call: AdmittedCall,
  plan: CallPlan,
  first: ReadyCall,
  { before, cacheKey }: { readonly before: OwnAttempt | null; readonly cacheKey: Buffer | null },
): Promise<InferenceReply> {
  const left = call.hangUp()
  // A provider whose answer is drained does not notice that the caller leaves.
  const signal = call.settings.when_left === 'drain' ? new AbortController().signal : left
  const attempts: Attempt[] = before === null ? [] : [before.attempt]
  const own = {
    ...ownFacts(before),
    cache: cacheKey === null ? ('off' as const) : ('miss' as const),
  }
  let failure: unknown
  let asked = first.reach.target
  const bill: OpenBill = { isOpen: false }
  for (const [i, target] of plan.targets.entries()) {
    const startedAt = performance.now()
    try {
      const ready = i === 0 ? first : await readyCall(call, target, false)
      asked = target
      const hasNext = i + 1 < plan.targets.length
      const passed = await whyPassedOver(call, plan, ready.reach, hasNext)
      if (passed !== null) {
        attempts.push({ ...attemptOf(target, startedAt), failure: passed, status: null })
        continue
      }
      return await askTarget(call, ready, {
        timeoutMs: plan.timeoutMs,
        signal,
        left,
        hasNext,
        before: attempts,
        own,
        cacheKey,
        bill,
      })
    } catch (error) {
      failure ??= error
      const of = causeOf(error)
      if (of) attempts.push({ ...attemptOf(target, startedAt), failure: of.failure, status: of.status ?? null })
      if (left.aborted || !mayFallBack(error, i > 0) || i + 1 === plan.targets.length) break
      if (bill.isOpen && !(await isRenewed(call))) break
      bill.isOpen = false
    }
  }
  if (attempts.length > (before === null ? 0 : 1) || left.aborted || bill.isOpen) {
    const code = failure instanceof DomainError ? failure : null
    await concludeCall(call, {
      target: asked,
      own,
      cacheKey: null,
      outcome: left.aborted ? 'left' : 'failed',
      isWhole: false,
      status: code?.facts.status ?? 500,
      errorCode: code?.code ?? null,
      attempts,
      usage: null,
      inputChars: charsOfBody(call.body),
      outputChars: 0,
      contentAt: null,
      sent: call.kept,
      answer: null,
      output: { bytes: '' },
      unanswered: { mayBeBilled: bill.isOpen },
    })
  }
  throw failure
}

/** Charges what the last target may bill, and sets the same aside for the next; false when the budget does not hold both. */
async function isRenewed({ reservation }: AdmittedCall): Promise<boolean> {
  try {
    await reservation?.renew()
    return true
  } catch (error) {
    if (isOneOf(error, [GATEWAY_ERRORS.budget_exceeded])) return false
    throw error
  }
}

function attemptOf({ provider, model }: Target, startedAt: number) {
  return { provider: provider.id, model, ms: Math.round(performance.now() - startedAt) }
}

function causeOf(error: unknown): ProviderError | null {
  return error instanceof Error && error.cause instanceof ProviderError ? error.cause : null
}

async function askTarget(
  call: AdmittedCall,
  { reach, prepared }: ReadyCall,
  how: {
    readonly timeoutMs: number
    /** Ends the provider's work. */
    readonly signal: AbortSignal
    /** Aborted when the caller leaves. */
    readonly left: AbortSignal
    readonly hasNext: boolean
    readonly before: readonly Attempt[]
    readonly own: Ended['own']
    readonly cacheKey: Buffer | null
    readonly bill: OpenBill
  },
): Promise<InferenceReply> {
  const { services, dialect } = call
  const { target, isOwnKey } = reach
  const startedAt = performance.now()
  const path = pathOf(reach)
  const explain = (error: unknown): unknown => {
    if (how.left.aborted) {
      services.breakers.undecided(path)
      return how.left.reason
    }
    if (!(error instanceof ProviderError)) return error
    // A caller who waits for less time than the operator does learns nothing about the server, which others ask too.
    const isImpatient = error.failure === 'timeout' && how.timeoutMs < services.limits.gateway_timeout_s * 1000
    if (isImpatient) services.breakers.undecided(path)
    else services.breakers.failed(path, error)
    const isTranslated = prepared.request !== null
    return restoredError(
      callersError(error, { provider: target.provider.id, isOwnKey, isTranslated }),
      call.placeholders,
    )
  }
  try {
    const reply = await withRetries(async () => await sendInShape(call, prepared, how), RETRY, REAL_CLOCK, how.signal)
    services.breakers.succeeded(path)
    const facts = answerFacts(call, target.model)
    const headers = { ...headersOf(reply, reach), ...call.gateHeaders, ...leftOutHeaders(prepared.leftOut) }
    const answered = {
      target,
      own: how.own,
      cacheKey: how.cacheKey,
      status: 200,
      attempts: [...how.before, { ...attemptOf(target, startedAt), failure: null, status: reply.status }],
      inputChars: charsOfBody(call.body),
      sent: call.kept,
      unanswered: null,
    }
    if (isAudioKind(call.plain)) {
      return await answerAudio({ call, prepared, reply, answered, headers, explain, ...how })
    }
    if (prepared.isStreamed) {
      requireEvents(reply)
      const progress = newProgress()
      const gatherer = gatherAnswer()
      const keep = async (): Promise<boolean> => {
        if (prepared.request !== null) return await keepWritten(call, gatherer.answer(), facts)
        return await rememberReceived(call, reach, progress.ids)
      }
      const { placeholders } = call
      const texts = relayStream(reply, prepared, dialect, facts, { progress, gatherer, placeholders, keep })
      return await startStream({ call, answered, reply, texts, progress, gatherer, headers, explain, ...how })
    }
    const text = await reply.text()
    const whole = await wholeAnswer(call, prepared, text, facts)
    const ended: Ended = {
      ...answered,
      outcome: how.left.aborted ? 'left' : 'whole',
      isWhole: true,
      errorCode: null,
      usage: whole.usage,
      outputChars: whole.answer === null ? 0 : charsOf(whole.answer),
      contentAt: performance.now(),
      answer: whole.answer,
      output: { bytes: whole.bytes },
    }
    await rememberReceived(call, reach, whole.ids)
    const concluded = await concludeCall(call, ended)
    call.onAnswered?.(concluded)
    return {
      status: 200,
      over: Promise.resolve(),
      raw: { kind: 'bytes', bytes: concluded.bytes },
      headers: { ...headers, ...concluded.headers },
    }
  } catch (error) {
    throw explain(error)
  }
}

/** An error whose message quotes the call, with the caller's own values. */
function restoredError(error: DomainError, placeholders: Placeholders): DomainError {
  const message = placeholders.restore(error.message)
  if (message === error.message) return error
  const { details, retryAfterS, cause } = error
  return new DomainError(error, message, {
    ...(details && { details }),
    ...(retryAfterS !== undefined && { retryAfterS }),
    cause,
  })
}

/** Errors after which another target may answer. */
function mayFallBack(error: unknown, isFallback: boolean): boolean {
  if (isOneOf(error, [GATEWAY_ERRORS.provider_rejected_request])) return error.facts.status === 404
  if (isOneOf(error, [GATEWAY_ERRORS.provider_refused])) return false
  if (isOneOf(error, [GATEWAY_ERRORS.no_provider_key, GATEWAY_ERRORS.not_translatable])) return isFallback
  return causeOf(error) !== null
}

/** Headers of providers that their SDKs read. */
const PASSED_ON = /^(request-id|openai-(processing-ms|version))$/
/** The same that tell what is left of a key's limits: those of the operator's key stay with the operator. */
const OF_OWN_KEYS = /^(x-ratelimit-.*|anthropic-ratelimit-.*)$/

function headersOf(reply: UpstreamReply, { target: { provider, model }, isOwnKey }: FoundReach): ReplyHeaders {
  const passed = Object.entries(reply.headers).filter(
    ([name]) => PASSED_ON.test(name) || (isOwnKey && OF_OWN_KEYS.test(name)),
  )
  return { ...Object.fromEntries(passed), 'x-svc-provider': provider.id, 'x-svc-model': encodeURI(model) }
}
