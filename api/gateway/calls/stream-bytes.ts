import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Outcome } from '../../../core/gateway/record/call-record.ts'
import { meterAudio } from '../../../core/gateway/protocol/audio/meter.ts'
import type { UpstreamReply } from '../../../core/gateway/protocol/upstream/upstream.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { timerMs } from '../../../core/kernel/threads/timers.ts'
import type { ReplyHeaders } from '../../kernel/route.ts'
import type { AdmittedCall } from '../gate/admit.ts'
import { concludeCall, type Ended } from './conclude.ts'
import { routeHeaders, routeOf } from './route-headers.ts'
import { leftOutOf, signedHeaders, unlessUnread, type InferenceReply } from './start-stream.ts'

/** A sound that a provider has begun to send. */
interface StreamedSound {
  readonly call: AdmittedCall
  readonly answered: Pick<
    Ended,
    'target' | 'own' | 'cacheKey' | 'status' | 'attempts' | 'inputChars' | 'sent' | 'unanswered'
  >
  readonly reply: UpstreamReply
  readonly mediaType: string
  readonly headers: ReplyHeaders
  /** Puts a provider's error into the caller's terms. */
  readonly explain: (error: unknown) => unknown
  /** Aborted when the caller leaves. */
  readonly left: AbortSignal
}

/**
 * Passes bytes on as they come and no faster than they are read. They have no place for an error: where the provider breaks
 * off, the connection is cut, so that no reader takes a part for the whole. However it ends, the call is concluded once,
 * before the end is sent, and its receipt is in the trailers.
 */
export async function streamBytes({
  call,
  answered,
  reply,
  mediaType,
  headers,
  explain,
  left,
}: StreamedSound): Promise<InferenceReply> {
  const { services, requestId, settings } = call
  const leftOut = await leftOutOf(call, answered)
  const hash = createHash('sha256')
  const meter = meterAudio()
  const chunks = reply.chunks()[Symbol.asyncIterator]()
  let contentAt: number | null = null
  let isWhole = false
  let concluded: Promise<void> | undefined
  let trailers: Readonly<Record<string, string>> = {}

  const take = async (): Promise<Uint8Array | null> => {
    const next = await chunks.next()
    if (next.done === true) {
      isWhole = true
      return null
    }
    contentAt ??= performance.now()
    meter.take(next.value)
    return next.value
  }
  const conclude = async (outcome: Outcome, errorCode: string | null): Promise<void> => {
    const concluding = await concludeCall(call, {
      ...answered,
      leftOut,
      outcome,
      isWhole,
      errorCode,
      usage: null,
      outputChars: 0,
      contentAt,
      answer: null,
      spoken: meter.measured(mediaType),
      output: { hash: hash.digest('hex') },
    })
    trailers = concluding.end()?.trailers ?? {}
  }
  const end = async (outcome: Outcome, errorCode: string | null) => await (concluded ??= conclude(outcome, errorCode))

  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      for (let chunk = await take(); chunk !== null; chunk = await take()) {
        hash.update(chunk)
        yield chunk
      }
      await end('whole', null)
    } catch (error) {
      const explained = explain(error)
      if (!(explained instanceof DomainError))
        services.log.error({ err: error, request_id: requestId }, 'a sound failed')
      if (!left.aborted) await end('interrupted', explained instanceof DomainError ? explained.code : null)
      throw explained
    }
  }
  const silenceMs = services.limits.gateway_silence_s * 1000
  const readable: Readable = Readable.from(
    unlessUnread(bytes(), silenceMs, () => readable.destroy(new Error('no byte is taken'))),
    { objectMode: false },
  )
  readable.on('error', () => undefined)
  const readOn = async (): Promise<void> => {
    const timer = setTimeout(() => reply.cancel(), timerMs(services.limits.gateway_timeout_s * 1000))
    try {
      while ((await take()) !== null);
    } catch {
      // The record says that the answer is not whole.
    } finally {
      clearTimeout(timer)
    }
  }
  const over = new Promise<void>((resolve) => {
    readable.once('close', () => {
      const hasLeft = left.aborted || readable.errored !== null
      const drained = !isWhole && hasLeft && concluded === undefined && settings.when_left === 'drain'
      ;(drained ? readOn() : Promise.resolve())
        .then(async () => {
          reply.cancel()
          await end(isWhole && !drained ? 'whole' : 'left', null)
        })
        .catch((error: unknown) => services.log.error({ err: error, request_id: requestId }, 'not concluded'))
        .finally(resolve)
    })
  })
  return {
    status: 200,
    over,
    raw: { kind: 'stream', stream: readable, trailers: () => trailers },
    headers: {
      ...headers,
      ...routeHeaders({ namespace: call.facts.namespace, route: routeOf(answered), attempts: answered.attempts }),
      ...signedHeaders(call, leftOut),
      'Content-Type': mediaType,
      'Cache-Control': 'private, no-cache, no-transform',
    },
  }
}
