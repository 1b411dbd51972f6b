import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Progress } from '../../../core/gateway/calls/relay.ts'
import { sentEvent } from '../../../core/gateway/exchange/stream.ts'
import type { Outcome } from '../../../core/gateway/record/call-record.ts'
import type { AnswerGatherer } from '../../../core/gateway/record/gather-answer.ts'
import type { UpstreamReply } from '../../../core/gateway/upstream/upstream.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import type { RawBody } from '../../kernel/reply/raw-reply.ts'
import type { ReplyHeaders } from '../../kernel/route.ts'
import { concludeCall, type Ended } from './conclude.ts'
import { streamError } from './error-shapes.ts'
import type { OpenCall } from './open-call.ts'

/** The answer of a route. */
export interface InferenceReply {
  readonly status: 200
  readonly raw: RawBody
  readonly headers: ReplyHeaders
}

/** Events without a part of the answer after which a stream begins all the same. */
const MOST_HELD = 100

/** An answer that has begun to stream. */
interface StreamedAnswer {
  readonly call: OpenCall
  readonly answered: Pick<Ended, 'target' | 'status' | 'attempts' | 'inputChars' | 'sent'>
  readonly reply: UpstreamReply
  /** The events in the caller's dialect. */
  readonly texts: AsyncGenerator<string>
  readonly progress: Progress
  readonly gatherer: AnswerGatherer
  readonly headers: ReplyHeaders
  /** Puts a provider's error into the caller's terms. */
  readonly explain: (error: unknown) => unknown
  readonly signal: AbortSignal
  /** True while another target can take over: events are then held until the first part of the answer. */
  readonly hasNext: boolean
}

/**
 * Starts a reply that passes events on as they come and no faster than they are read. A stream that breaks off ends with
 * an error event of the caller's dialect, and a caller that leaves ends the provider's work. However it ends, the call is
 * concluded once.
 */
export async function startStream(stream: StreamedAnswer): Promise<InferenceReply> {
  const { call, reply, texts, progress, headers, signal } = stream
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
  const conclude = concluder(stream)
  const silenceMs = call.services.limits.gateway_silence_s * 1000
  const texted = unlessUnread(events(stream, held, conclude), silenceMs, () =>
    readable.destroy(new Error('no event is taken')),
  )
  const readable: Readable = Readable.from(texted, { objectMode: false })
  // Also for a reply that is never read: its caller left before it began.
  readable.once('close', () => {
    reply.cancel()
    const hasLeft = signal.aborted || readable.errored !== null
    conclude
      .end(progress.isWhole ? 'whole' : hasLeft ? 'left' : 'interrupted', null)
      .catch((error: unknown) => call.services.log.error({ err: error, request_id: call.requestId }, 'not concluded'))
  })
  return {
    status: 200,
    raw: { kind: 'stream', stream: readable },
    headers: {
      ...headers,
      'x-svc-namespace': call.facts.namespace,
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'private, no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    },
  }
}

/** Hashes what the caller gets, and concludes the call once; the text of its last event comes back. */
interface Concluder {
  readonly pass: (text: string) => string
  readonly end: (outcome: Outcome, errorCode: string | null) => Promise<string>
}

function concluder({ call, answered, progress, gatherer }: StreamedAnswer): Concluder {
  const hash = createHash('sha256')
  let concluded: Promise<string> | undefined
  const close = async (outcome: Outcome, errorCode: string | null): Promise<string> => {
    const { usage, outputChars, contentAt } = progress
    const { lastEvent } = await concludeCall(call, {
      ...answered,
      outcome,
      errorCode,
      usage,
      outputChars,
      contentAt,
      answer: gatherer.answer(),
      outputHash: hash.digest('hex'),
    })
    return lastEvent === null ? '' : sentEvent(lastEvent)
  }
  return {
    pass(text) {
      hash.update(text)
      return text
    },
    end: async (outcome, errorCode) => await (concluded ??= close(outcome, errorCode)),
  }
}

async function* events(
  { call, texts, explain, signal }: StreamedAnswer,
  held: readonly string[],
  { pass, end }: Concluder,
): AsyncGenerator<string> {
  try {
    for (const text of held) yield pass(text)
    for await (const text of texts) yield pass(text)
    const last = await end('whole', null)
    if (last !== '') yield last
  } catch (error) {
    if (signal.aborted) return
    const explained = explain(error)
    const { services, requestId, dialect } = call
    if (!(explained instanceof DomainError))
      services.log.error({ err: error, request_id: requestId }, 'a stream failed')
    yield pass(streamError(dialect.name, explained, requestId))
    const last = await end('interrupted', explained instanceof DomainError ? explained.code : null)
    if (last !== '') yield last
  }
}

/** Passes events on, and ends the call of a reader who takes none for too long: it would hold a connection for nothing. */
async function* unlessUnread(
  texts: AsyncGenerator<string>,
  silenceMs: number,
  disconnect: () => void,
): AsyncGenerator<string> {
  for await (const text of texts) {
    const timer = setTimeout(disconnect, silenceMs).unref()
    try {
      yield text
    } finally {
      clearTimeout(timer)
    }
  }
}
