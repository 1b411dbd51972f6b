import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from '../../config/logger.ts'

/** Time that calls in progress have to finish after the process was asked to end, milliseconds. */
const GRACE_MS = 15_000
/** A connection is closed once it was silent for this long, so that a call that is just arriving gets through. */
const SILENT_MS = 250
const SWEEP_MS = 50

/** Shuts a server down without interrupting calls in progress. */
export interface Drain {
  /** Aborted when the process must end: long calls finish early, streams say when to come back. */
  readonly signal: AbortSignal
  /** Starts watching the connections of a server that is about to listen. */
  watch(server: Server): void
  /** Stops accepting, waits for the calls in progress, closes what is idle. */
  finish(server: Server): Promise<void>
}

/** The drain of one server. */
export function createDrain(log: Logger): Drain {
  const controller = new AbortController()
  const sockets = new Set<Socket>()
  /** Connections with calls in progress. Node's own notion of idle leaves out connections that never sent anything. */
  const callsOf = new Map<Socket, number>()

  const closeSilent = () => {
    for (const socket of sockets) if (!callsOf.has(socket)) socket.destroySoon()
  }
  return {
    signal: controller.signal,
    watch(server) {
      server.on('connection', (socket: Socket) => {
        sockets.add(socket)
        socket.once('close', () => {
          sockets.delete(socket)
          callsOf.delete(socket)
        })
      })
      server.on('request', ({ socket }, response) => {
        callsOf.set(socket, (callsOf.get(socket) ?? 0) + 1)
        response.once('close', () => {
          const left = (callsOf.get(socket) ?? 1) - 1
          if (left === 0) callsOf.delete(socket)
          else callsOf.set(socket, left)
        })
      })
    },
    async finish(server) {
      log.info('draining: no new connections')
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      controller.abort()
      server.closeIdleConnections()
      const startedAt = performance.now()
      const sweep = setInterval(() => {
        if (performance.now() - startedAt > SILENT_MS) closeSilent()
        else server.closeIdleConnections()
      }, SWEEP_MS)
      const cut = setTimeout(() => {
        log.warn('draining took too long: open connections are cut')
        server.closeAllConnections()
      }, GRACE_MS)
      await closed
      clearInterval(sweep)
      clearTimeout(cut)
    },
  }
}
