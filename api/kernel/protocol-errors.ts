import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from '../../config/logger.ts'
import { KERNEL_ERRORS, type DomainError } from '../../core/kernel/errors.ts'
import { newId } from '../../core/kernel/ids.ts'
import { answerTo } from './reply/errors.ts'

/**
 * Answers what never becomes a call in the envelope of all errors: requests that are not HTTP, whose headers are too
 * large or come too slowly, and expectations that are not known. The connection ends with the answer.
 */
export function answerProtocolErrors(server: Server, log: Logger): void {
  const answering = new WeakMap<Socket, ServerResponse>()
  server.prependListener('request', ({ socket }, response) => answering.set(socket, response))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Bytes in the middle of an answer that has begun would only break it.
    if (error.code === 'ECONNRESET' || !socket.writable || answering.get(socket)?.headersSent === true) {
      socket.destroy()
      return
    }
    answerSocket(socket, explain(error), log)
  })
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const error = KERNEL_ERRORS.unmet_expectation('the only supported expectation is 100-continue')
    const { status, head, body } = render(error, log)
    response.writeHead(status, head).end(body)
  })
}

/** Answers a connection on which no call is, and ends it. */
export function answerSocket(socket: Socket, error: DomainError, log: Logger): void {
  const { status, head, body } = render(error, log)
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
  // A caller that has disconnected needs no answer, and its error no separate handler.
  socket.on('error', () => undefined)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  socket.destroySoon()
}

function explain(error: NodeJS.ErrnoException): DomainError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return KERNEL_ERRORS.headers_too_large('the headers are too large', { cause: error })
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return KERNEL_ERRORS.request_timeout('the request took too long to arrive', { cause: error })
    default:
      return KERNEL_ERRORS.invalid_http('the request is not valid HTTP', { cause: error })
  }
}

/** Head and body of an answer that ends its connection. */
export function render(error: DomainError, log: Logger) {
  const requestId = newId('req')
  const { status, envelope } = answerTo(error, requestId)
  log.info({ request_id: requestId, route: 'unmatched', status, code: error.code }, 'request')
  const body = JSON.stringify(envelope)
  const head = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'Access-Control-Allow-Origin': '*',
    Connection: 'close',
    ...(error.retryAfterS !== undefined && { 'Retry-After': String(error.retryAfterS) }),
  }
  return { status, head, body }
}
