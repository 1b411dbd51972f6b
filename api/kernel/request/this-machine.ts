import type { IncomingMessage } from 'node:http'

/** Headers by which proxies say for whom they ask. */
export const FORWARDING = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
] as const

/**
 * True when a process of this machine asks for itself: by the address of the socket, which a caller cannot forge, without a
 * header of a proxy, and under a name of this machine. A proxy on the same machine that adds no header, as nginx
 * does by default, cannot be detected: behind one, `SVC_TRUSTED_PROXY_HOPS` or a token is needed.
 */
export function isFromThisMachine(request: IncomingMessage): boolean {
  const address = request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? ''
  if (address !== '::1' && !address.startsWith('127.')) return false
  if (FORWARDING.some((name) => request.headers[name] !== undefined)) return false
  const host = request.headers.host?.replace(/:\d+$/, '') ?? ''
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
}
