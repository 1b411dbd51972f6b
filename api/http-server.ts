import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Limits } from '../core/limits.ts'
import type { Logger } from '../config/logger.ts'
import { createConnectionCaps } from './kernel/connections/connection-caps.ts'
import { endSlowBodies } from './kernel/connections/slow-bodies.ts'
import { discardUnreadBodies } from './kernel/connections/unread-bodies.ts'
import { answerProtocolErrors } from './kernel/protocol-errors.ts'

/** Bodies have no timeout of their own: they are ended when they come too slowly. */
const REQUEST_TIMEOUT_MS = 0
const HEADERS_TIMEOUT_MS = 15_000
/** Interval at which connections with slow headers are found, milliseconds. */
const CONNECTIONS_CHECK_MS = 5000
const KEEP_ALIVE_MS = 65_000

/** Bounds of the connections of a server. */
export interface HttpServerOptions {
  readonly limits: Limits
  readonly trustedProxyHops: number
  readonly log: Logger
}

/** Returns a server that bounds connections by address and ends slow bodies; it does not listen yet. */
export function createHttpServer(
  answer: (...call: Parameters<RequestListener>) => unknown,
  { limits, trustedProxyHops, log }: HttpServerOptions,
): Server {
  const caps = createConnectionCaps({ most: limits.connections_per_ip, trustedProxyHops, log })
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      // Looked at with the first middleware, which answers in our envelope.
      requireHostHeader: false,
    },
    (request, response) => {
      if (caps.admits(request, response)) void answer(request, response)
    },
  )
  answerProtocolErrors(server, log)
  caps.watch(server)
  endSlowBodies(server, limits)
  discardUnreadBodies(server)
  return server
}

/** Listens; returns the address. Port 0 takes a free one. */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port')
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${shownHost}:${address.port}`
}
