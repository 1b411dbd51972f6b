import { Readable } from 'node:stream'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { RawBody } from './raw-reply.ts'

/** Pause of a client before it connects again, milliseconds. */
const RETRY_MS = 1000
/** Interval of keep-alives on an idle stream, milliseconds; proxies close connections that are silent for longer. */
const KEEP_ALIVE_MS = 15_000

/** One server-sent event. `id` is what a client sends back as `Last-Event-ID`. */
export interface StreamEvent {
  readonly id: number
  readonly event: string
  readonly data: JsonObject
}

/** Lets a source wait for news without holding the stream open forever or missing any. */
export interface EventWait {
  /** Wakes the waiting source. A call without a waiting source counts for the next wait. */
  wake(): void
  /** Resolves on `wake`, on the keep-alive interval, or on the end of the stream. */
  next(): Promise<'woken' | 'idle' | 'ended'>
}

/** The waiting half of a stream that ends with `signal`. */
export function createEventWait(signal: AbortSignal): EventWait {
  let isWoken = false
  let resume: (() => void) | undefined
  const stir = () => resume?.()
  signal.addEventListener('abort', stir)
  return {
    wake() {
      isWoken = true
      stir()
    },
    async next() {
      if (!isWoken && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, KEEP_ALIVE_MS)
          resume = () => {
            clearTimeout(timer)
            resolve()
          }
        })
        resume = undefined
      }
      if (signal.aborted) return 'ended'
      if (!isWoken) return 'idle'
      isWoken = false
      return 'woken'
    },
  }
}

/**
 * A reply that streams server-sent events (HTML Living Standard, 9.2) as fast as the caller reads them. The retry hint
 * goes out first, so a client that is cut off by a restart comes back and resumes by its last id. `idle` from the
 * source becomes a comment line.
 */
export function eventReply(source: AsyncIterable<StreamEvent | 'idle'>): {
  readonly raw: RawBody
  readonly headers: Readonly<Record<string, string>>
} {
  return {
    raw: { kind: 'stream', stream: Readable.from(eventLines(source), { objectMode: false }) },
    headers: { 'Cache-Control': 'private, no-cache, no-transform', 'X-Accel-Buffering': 'no' },
  }
}

async function* eventLines(source: AsyncIterable<StreamEvent | 'idle'>): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n\n`
  for await (const item of source) {
    // JSON has no line breaks outside of texts, and those are escaped inside them: one data line always suffices.
    yield item === 'idle'
      ? ': keep-alive\n\n'
      : `id: ${item.id}\nevent: ${item.event}\ndata: ${JSON.stringify(item.data)}\n\n`
  }
}
