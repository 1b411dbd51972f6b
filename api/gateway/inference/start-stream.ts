import { Readable } from 'node:stream'
import type { Progress } from '../../../core/gateway/calls/relay.ts'
import type { CallerDialectName } from '../../../core/gateway/provider.ts'
import type { UpstreamReply } from '../../../core/gateway/upstream/upstream.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import type { RawBody } from '../../kernel/reply/raw-reply.ts'
import type { ReplyHeaders } from '../../kernel/route.ts'
import { streamError } from './error-shapes.ts'
import { settleCall, type AnsweredCall, type Outcome } from './settle.ts'

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
  readonly answered: AnsweredCall
  readonly dialect: CallerDialectName
  readonly reply: UpstreamReply
  /** The events in the caller's dialect. */
  readonly texts: AsyncGenerator<string>
  readonly progress: Progress
  readonly headers: ReplyHeaders
  /** Puts a provider's error into the caller's terms. */
  readonly explain: (error: unknown) => unknown
  readonly signal: AbortSignal
  /** True while another target can take over: events are then held until the first part of the answer. */
  readonly hasNext: boolean
}

/**
 * Starts a reply that passes events on as they come and no faster than they are read. A stream that breaks off ends with
 * an error event of the caller's dialect, and a caller that leaves ends the provider's work.
 */
export async function startStream(stream: StreamedAnswer): Promise<InferenceReply> {
  const { answered, reply, texts, progress, headers, signal } = stream
  const held: string[] = []
  try {
    while (stream.hasNext && !progress.hasContent && held.length < MOST_HELD) {
      const next = await texts.next()
      if (next.done === true) break
      held.push(next.value)
    }
  } catch (error) {
    reply.cancel()
    throw error
  }
  const silenceMs = answered.services.limits.gateway_silence_s * 1000
  const texted = unlessUnread(events(stream, held), silenceMs, () => readable.destroy(new Error('no event is taken')))
  const readable: Readable = Readable.from(texted, { objectMode: false })
  // Also for a reply that is never read: its caller left before it began.
  readable.once('close', () => {
    reply.cancel()
    const hasLeft = signal.aborted || readable.errored !== null
    const outcome: Outcome = progress.isWhole ? 'whole' : hasLeft ? 'left' : 'interrupted'
    settleCall(answered, { usage: progress.usage, outputChars: progress.outputChars, outcome })
  })
  return {
    status: 200,
    raw: { kind: 'stream', stream: readable },
    headers: {
      ...headers,
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'private, no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    },
  }
}

async function* events(stream: StreamedAnswer, held: readonly string[]): AsyncGenerator<string> {
  const { answered, dialect, texts, explain, signal } = stream
  try {
    yield* held
    yield* texts
  } catch (error) {
    if (signal.aborted) return
    const explained = explain(error)
    const { services, requestId } = answered
    if (!(explained instanceof DomainError))
      services.log.error({ err: error, request_id: requestId }, 'a stream failed')
    yield streamError(dialect, explained, requestId)
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
