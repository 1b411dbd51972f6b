import type { IncomingMessage, Server } from 'node:http'
import type { Limits } from '../../../core/kernel/limits.ts'

const SWEEP_MS = 1000

interface ArrivingBody {
  readonly request: IncomingMessage
  bytes: number
  /** How long the caller may still send nothing, milliseconds. */
  patienceMs: number
}

/**
 * Ends requests whose body comes too slowly. A caller may be silent for `body_silence_s`; each byte gives back its time at
 * `body_bytes_per_s`, so that a steady upload lasts as long as it needs. Time in which the service does not read counts
 * for nobody. Waiting calls and streams, whose bodies are read, are not looked at.
 */
export function endSlowBodies(server: Server, limits: Limits): void {
  const mostMs = limits.body_silence_s * 1000
  const arriving = new Set<ArrivingBody>()
  let sweptAt = performance.now()
  const sweep = () => {
    const now = performance.now()
    // A process that was held up is not the callers' fault.
    const passedMs = Math.min(now - sweptAt, SWEEP_MS * 2)
    sweptAt = now
    for (const body of arriving) {
      const { request } = body
      const { socket } = request
      if (request.complete || socket.destroyed) {
        arriving.delete(body)
        continue
      }
      const cameMs = ((socket.bytesRead - body.bytes) / limits.body_bytes_per_s) * 1000
      body.bytes = socket.bytesRead
      const isOurs = request.readableLength > 0 || request.isPaused()
      if (!isOurs) body.patienceMs = Math.min(mostMs, body.patienceMs - passedMs + cameMs)
      if (body.patienceMs >= 0) continue
      arriving.delete(body)
      const error = Object.assign(new Error('the body came too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      server.emit('clientError', error, socket)
    }
  }
  const timer = setInterval(sweep, SWEEP_MS)
  timer.unref()
  server.on('close', () => clearInterval(timer))
  server.prependListener('request', (request) => {
    // A body that is there already, as most are, is complete before the next sweep.
    if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) return
    if (request.headers['content-length'] === '0') return
    arriving.add({ request, bytes: request.socket.bytesRead, patienceMs: mostMs })
  })
}
