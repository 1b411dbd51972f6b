import type { Server } from 'node:http'
import type { Logger } from '../../config/logger.ts'

/** How long calls may take to finish after the process was asked to end, milliseconds. */
const GRACE_MS = 15_000

/** Lets a server end without cutting off anybody. */
export interface Drain {
  /** Aborted when the process is asked to end: long calls finish early, streams say when to come back. */
  readonly signal: AbortSignal
  /** Stops accepting, waits for the calls in progress, closes what is idle. Safe to call twice. */
  finish(server: Server): Promise<void>
}

/** The drain of one server. */
export function createDrain(log: Logger): Drain {
  const controller = new AbortController()
  // One listener per open stream or waiting call: many are no leak.
  const { signal } = controller
  let finished: Promise<void> | undefined
  const finish = async (server: Server) => {
    log.info('draining: no new connections')
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve())
    })
    controller.abort()
    server.closeIdleConnections()
    // A connection that is kept alive turns idle when its call is answered.
    const sweep = setInterval(() => server.closeIdleConnections(), 50)
    const cut = setTimeout(() => {
      log.warn('draining took too long: open connections are cut')
      server.closeAllConnections()
    }, GRACE_MS)
    await closed
    clearInterval(sweep)
    clearTimeout(cut)
  }
  return {
    signal,
    finish: async (server) => {
      finished ??= finish(server)
      await finished
    },
  }
}
