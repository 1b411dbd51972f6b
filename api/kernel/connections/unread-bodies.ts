import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** Between two blocks of at most 64 KiB: some 3 MB/s of each connection. */
const PAUSE_MS = 20
/** Time to finish sending for a caller that reads the answer only afterwards. */
const LINGER_MS = 60_000

const discarded = new WeakSet<IncomingMessage>()

/**
 * Reads the rest of a body and drops it, at a bounded rate: a caller who reads the answer only after sending gets it,
 * and large bodies that were refused cost the event loop little. After a minute the connection is closed.
 */
export function discardBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed || discarded.has(request)) return
  discarded.add(request)
  const linger = setTimeout(() => request.socket.destroy(), LINGER_MS)
  linger.unref()
  let pause: NodeJS.Timeout | undefined
  request.on('data', () => {
    request.pause()
    pause = setTimeout(() => request.resume(), PAUSE_MS)
  })
  request.once('close', () => {
    clearTimeout(linger)
    clearTimeout(pause)
  })
  request.resume()
}

/** Discards the body of every request that is answered before its body was read. */
export function discardUnreadBodies(server: Server): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    // Before Node's own listener, which would read the rest as fast as it comes.
    response.prependListener('finish', () => {
      if (request.complete) return
      discardBody(request)
      // Marks the body as being read, synchronously.
      request.read(0)
    })
  })
}
