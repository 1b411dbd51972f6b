import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from '../../../config/logger.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { answerSocket, render } from '../protocol-errors.ts'
import { countedAddress, forwardedAddress } from '../request/client-ip.ts'

const RETRY_AFTER_S = 5

/** Caps what one address has open at once. */
export interface ConnectionCaps {
  /** Watches the connections of a server that is about to listen. */
  watch(server: Server): void
  /** False when the request was answered with 429, because its client has too many under way behind the proxy. */
  admits(request: IncomingMessage, response: ServerResponse): boolean
}

/**
 * The caps of a server: `most` connections per address; behind trusted proxies, whose connections carry the requests of
 * many, `most` requests under way of each client that a proxy names.
 */
export function createConnectionCaps(options: {
  readonly most: number
  readonly trustedProxyHops: number
  readonly log: Logger
}): ConnectionCaps {
  const { most, trustedProxyHops, log } = options
  const open = new Map<string, number>()
  const enter = (address: string): boolean => {
    const count = open.get(address) ?? 0
    if (count >= most) return false
    open.set(address, count + 1)
    return true
  }
  const leave = (address: string) => {
    const count = (open.get(address) ?? 1) - 1
    if (count === 0) open.delete(address)
    else open.set(address, count)
  }
  const refusal = () => {
    return KERNEL_ERRORS.rate_limited(`this address has ${most} connections open; close some`, {
      retryAfterS: RETRY_AFTER_S,
    })
  }
  return {
    watch(server) {
      if (trustedProxyHops > 0) return
      server.prependListener('connection', (socket: Socket) => {
        const address = countedAddress(socket.remoteAddress ?? 'unknown')
        if (enter(address)) socket.once('close', () => leave(address))
        else answerSocket(socket, refusal(), log)
      })
    },
    admits(request, response) {
      if (trustedProxyHops === 0) return true
      const address = forwardedAddress(request, trustedProxyHops)
      // A request that no proxy names a client of is the proxy's own.
      if (address === undefined) return true
      if (enter(address)) {
        response.once('close', () => leave(address))
        return true
      }
      const { status, head, body } = render(refusal(), log)
      response.writeHead(status, head).end(body)
      return false
    },
  }
}
