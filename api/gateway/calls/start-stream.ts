import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Progress } from '../../../core/gateway/calls/relay.ts'
import {
  KEY_ID_HEADER,
  LEFT_OUT_HEADER,
  RECEIPT_TRAILERS,
  type StreamReceipt,
} from '../../../core/gateway/record/receipts/carry-receipt.ts'
import type { LeftOut } from '../../../core/gateway/captures/recording/left-out.ts'
import type { Outcome } from '../../../core/gateway/record/call-record.ts'
import type { AnswerGatherer } from '../../../core/gateway/record/gather-answer.ts'
import type { AudioMeter } from '../../../core/gateway/protocol/audio/meter.ts'
import type { UpstreamReply } from '../../../core/gateway/protocol/upstream/upstream.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { timerMs } from '../../../core/kernel/threads/timers.ts'
import type { RawBody } from '../../kernel/reply/raw-reply.ts'
import type { ReplyHeaders } from '../../kernel/route.ts'
import { captureHeaders, NOT_KEPT } from '../captures/keep-call.ts'
import { settleContent } from '../captures/settle-content.ts'
import { concludeCall, type Ended } from './conclude.ts'
import { streamError } from './error-shapes.ts'
import { routeHeaders, routeOf } from './route-headers.ts'
import type { AdmittedCall } from '../gate/admit.ts'

/** The answer of a route. */
export interface InferenceReply {
  readonly status: 200
  readonly raw: RawBody
  readonly headers: ReplyHeaders
  /** Resolved when the call is concluded, which for a stream may be after its caller has left. Never rejected. */
  readonly over: Promise<void>
}

/** Events without a part of the answer after which a stream begins all the same. */
const MOST_HELD = 100
/** Ends an event of a stream. */
const EVENT_END = '\n\n'

/** An answer that has begun to stream. */
interface StreamedAnswer {
  readonly call: AdmittedCall
  readonly answered: Pick<
    Ended,
    'target' | 'own' | 'cacheKey' | 'status' | 'attempts' | 'inputChars' | 'sent' | 'unanswered'
  >
  readonly reply: Pick<UpstreamReply, 'cancel'>
  /** The events in the caller's dialect. */
  readonly texts: AsyncGenerator<string>
  readonly progress: Progress
  readonly gatherer: AnswerGatherer
  /** Measures the sound that events carry. */
  readonly meter?: AudioMeter
  readonly headers: ReplyHeaders
  /** Puts a provider's error into the caller's terms. */
  readonly explain: (error: unknown) => unknown
  /** Aborted when the caller leaves. */
  readonly left: AbortSignal
  /** True while another target can take over: events are then held until the first part of the answer. */
  readonly hasNext: boolean
}

/**
 * Starts a reply that passes events on as they come and no faster than they are read. A stream that breaks off ends with
 * an error event of the caller's dialect. A caller that leaves ends the provider's work, or has it read to its end where the
 * namespace drains. However it ends, the call is concluded once.
 */
export async function startStream(stream: StreamedAnswer): Promise<InferenceReply> {
  const { call, reply, texts, progress, headers, left } = stream
  const held: string[] = []
  try {
    while (stream.hasNext && progress.contentAt === null && held.length < MOST_HELD) {
      const next = await texts.next()
      if (next.done === true) break
      held.push(next.value)
    }
  } catch (error) {
    reply.cancel()
    throw error
  }
  // What is known now is in the headers, and the rest in the end of the stream.
  const leftOut = await leftOutOf(call, stream.answered)
  const conclude = concluder(stream, leftOut)
  const silenceMs = call.services.limits.gateway_silence_s * 1000
  const texted = unlessUnread(events(stream, held, conclude), silenceMs, () =>
    readable.destroy(new Error('no event is taken')),
  )
  const readable: Readable = Readable.from(texted, { objectMode: false })
  // Also for a reply that is never read: its caller left before it began.
  const over = new Promise<void>((resolve) => {
    readable.once('close', () => {
      const hasLeft = left.aborted || readable.errored !== null
      const outcome = progress.isWhole ? 'whole' : hasLeft ? 'left' : 'interrupted'
      const drained = outcome === 'left' && call.settings.when_left === 'drain' ? readOn(stream) : Promise.resolve()
      drained
        .then(async () => {
          reply.cancel()
          await conclude.end(outcome, null)
        })
        .catch((error: unknown) => call.services.log.error({ err: error, request_id: call.requestId }, 'not concluded'))
        .finally(resolve)
    })
  })
  return {
    status: 200,
    over,
    raw: { kind: 'stream', stream: readable, trailers: () => conclude.trailers() },
    headers: {
      ...headers,
      ...routeHeaders({
        namespace: call.facts.namespace,
        route: routeOf(stream.answered),
        attempts: stream.answered.attempts,
      }),
      ...(call.visitor === undefined ? signedHeaders(call, leftOut) : NOT_KEPT),
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'private, no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    },
  }
}

/** Takes the room of what was sent, before the answer to it begins; returns why the content is not stored. */
export async function leftOutOf(
  call: AdmittedCall,
  { sent, inputChars }: Pick<Ended, 'sent' | 'inputChars'>,
): Promise<LeftOut | null> {
  return await settleContent(call, { ...call.facts, sent }, { inputChars, answerBytes: 0 })
}

/** Headers that announce the receipt and the capture of a stream. */
export function signedHeaders(
  { services, request, facts, settings }: AdmittedCall,
  leftOut: LeftOut | null,
): ReplyHeaders {
  return {
    ...(leftOut !== null && { [LEFT_OUT_HEADER]: leftOut }),
    [KEY_ID_HEADER]: services.signingKeys.current.kid,
    // HTTP/1.0 has none.
    ...(request.httpVersion !== '1.0' && { Trailer: RECEIPT_TRAILERS }),
    ...captureHeaders(settings, facts),
  }
}

/** Reads an answer that its caller has left on to its end, within the time of a call; what ends it early is no error. */
async function readOn({ call, reply, texts }: StreamedAnswer): Promise<void> {
  const timer = setTimeout(() => reply.cancel(), timerMs(call.services.limits.gateway_timeout_s * 1000))
  try {
    while ((await texts.next()).done !== true);
  } catch {
    // The record says that the answer is not whole.
  } finally {
    clearTimeout(timer)
  }
}

/** Hashes what the caller gets, and concludes the call once; the text behind the end of its dialect comes back. */
interface Concluder {
  readonly pass: (text: string) => string
  /** Events that were passed on. */
  readonly passed: () => number
  readonly end: (outcome: Outcome, errorCode: string | null) => Promise<string>
  /** Headers after the body; none before the call is concluded. */
  readonly trailers: () => Readonly<Record<string, string>>
}

function concluder({ call, answered, progress, gatherer, meter }: StreamedAnswer, leftOut: LeftOut | null): Concluder {
  const hash = createHash('sha256')
  let passed = 0
  let concluded: Promise<string> | undefined
  let ending: StreamReceipt | null = null
  const close = async (outcome: Outcome, errorCode: string | null): Promise<string> => {
    const { usage, outputChars, contentAt } = progress
    const { end } = await concludeCall(call, {
      ...answered,
      leftOut,
      outcome,
      isWhole: progress.isWhole,
      errorCode,
      usage,
      outputChars,
      contentAt,
      answer: gatherer.answer(),
      ...(meter !== undefined && { spoken: meter.measured() }),
      output: { hash: hash.digest('hex') },
    })
    ending = end()
    return ending?.text ?? ''
  }
  return {
    pass(text) {
      hash.update(text)
      passed += text.split(EVENT_END).length - 1
      return text
    },
    passed: () => passed,
    end: async (outcome, errorCode) => await (concluded ??= close(outcome, errorCode)),
    trailers: () => ending?.trailers ?? {},
  }
}

async function* events(
  { call, texts, progress, explain, left }: StreamedAnswer,
  held: readonly string[],
  { pass, passed, end }: Concluder,
): AsyncGenerator<string> {
  try {
    let isEnded = false
    for (const text of held) yield pass(text)
    // By hand: a reader that leaves must not end what may be drained.
    for (let next = await texts.next(); next.done !== true; next = await texts.next()) {
      const text = pass(next.value)
      if (!progress.isWhole) yield text
      else {
        // With the end of its dialect a reader may hang up: the receipt comes with it.
        isEnded = true
        yield `${text}${await end('whole', null)}`
      }
    }
    const last = isEnded ? '' : await end('whole', null)
    if (last !== '') yield last
  } catch (error) {
    if (left.aborted) return
    const explained = explain(error)
    const { services, requestId, dialect } = call
    if (!(explained instanceof DomainError))
      services.log.error({ err: error, request_id: requestId }, 'a stream failed')
    yield pass(streamError(dialect.name, explained, { requestId, eventsBefore: passed() }))
    const last = await end('interrupted', explained instanceof DomainError ? explained.code : null)
    if (last !== '') yield last
  }
}

/** Passes events on, and ends the call of a reader who takes none for too long: it would hold a connection for nothing. */
export async function* unlessUnread<T>(
  texts: AsyncGenerator<T>,
  silenceMs: number,
  disconnect: () => void,
): AsyncGenerator<T> {
  for await (const text of texts) {
    const timer = setTimeout(disconnect, timerMs(silenceMs)).unref()
    try {
      yield text
    } finally {
      clearTimeout(timer)
    }
  }
}
