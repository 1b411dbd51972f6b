import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Limits } from '../../../core/kernel/limits.ts'

const SWEEP_MS = 1000

interface ArrivingBody {
  readonly request: IncomingMessage
  bytes: number
  /** Time for which the caller may still send nothing, milliseconds. */
  patienceMs: number
}

/**
 * Ends requests whose body comes too slowly. A caller may be silent for `body_silence_s`; each byte gives back its time at
 * `body_bytes_per_s`, so that a steady upload lasts as long as it needs. Time in which the service does not read is
 * not counted. Waiting calls and streams, whose bodies are read, are not looked at.
 */
export function endSlowBodies(server: Server, limits: Limits): void {
  const mostMs = limits.body_silence_s * 1000
  // By connection, not by request: a connection receives one body at a time, and requests that are done are freed young.
  const arriving = new Map<Socket, ArrivingBody>()
  let sweptAt = performance.now()
  const sweep = () => {
    const now = performance.now()
    // A process that was held up is not the callers' fault.
    const passedMs = Math.min(now - sweptAt, SWEEP_MS * 2)
    sweptAt = now
    for (const [socket, body] of arriving) {
      const { request } = body
      if (request.complete || socket.destroyed) {
        arriving.delete(socket)
        continue
      }
      const cameMs = ((socket.bytesRead - body.bytes) / limits.body_bytes_per_s) * 1000
      body.bytes = socket.bytesRead
      const isOurs = request.readableLength > 0 || request.isPaused()
      if (!isOurs) body.patienceMs = Math.min(mostMs, body.patienceMs - passedMs + cameMs)
      if (body.patienceMs >= 0) continue
      arriving.delete(socket)
      const error = Object.assign(new Error('the body came too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      server.emit('clientError', error, socket)
    }
  }
  const timer = setInterval(sweep, SWEEP_MS)
  timer.unref()
  server.on('close', () => clearInterval(timer))
  server.prependListener('connection', (socket: Socket) => socket.once('close', () => arriving.delete(socket)))
  server.prependListener('request', (request) => {
    // A body that is there already, as most are, is complete before the next sweep.
    if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) return
    if (request.headers['content-length'] === '0') return
    const { socket } = request
    arriving.set(socket, { request, bytes: socket.bytesRead, patienceMs: mostMs })
  })
}
