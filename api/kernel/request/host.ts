import type { IncomingMessage } from 'node:http'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'

/** Throws `invalid_http` for a request without `Host` or with two (RFC 9112, 3.2); HTTP/1.0 knows none. */
export function requireOneHost(request: IncomingMessage): void {
  const { rawHeaders } = request
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts === 1 || (hosts === 0 && request.httpVersion === '1.0')) return
  throw KERNEL_ERRORS.invalid_http(hosts === 0 ? 'the request has no Host header' : 'the Host header is sent twice')
}
