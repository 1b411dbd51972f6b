import { TextDecoder } from 'node:util'
import { createParser } from 'eventsource-parser'
import type { SentEvent } from '../exchange/stream.ts'
import { ProviderError } from '../../providers/provider-error.ts'

/** Characters of one event at most; those of image models carry whole pictures. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024

/**
 * Reads server-sent events out of bytes, each as soon as it is complete; a comment is an empty list, so that what
 * keeps a connection alive can continue. Throws `ProviderError` `invalid_response` for bytes that are no UTF-8 and for an
 * event without end.
 */
export async function* readSentEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly SentEvent[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let events: SentEvent[] = []
  let fault: ProviderError | null = null
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: ({ event, data }) => events.push({ event, data }),
    onError: (error) => {
      // Unknown fields are to be ignored (HTML Living Standard, 9.2.6).
      if (error.type === 'max-buffer-size-exceeded')
        fault = new ProviderError('invalid_response', 'an event is too large')
    },
  })
  const feed = (text: string): void => {
    parser.feed(text)
    if (fault !== null) throw fault
  }
  for await (const chunk of chunks) {
    feed(decode(decoder, chunk))
    const ready = events
    events = []
    yield ready
  }
  feed(`${decode(decoder)}\n\n`)
  if (events.length > 0) yield events
}

function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
  } catch {
    throw new ProviderError('invalid_response', "the provider's stream is no UTF-8")
  }
}
