import type { IncomingMessage } from 'node:http'
import { DomainError } from '../../../core/errors.ts'
import { announcesBody, mediaType } from '../request/read-body.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses an unsafe call that only the session cookie authenticates unless the browser says that it comes from the
 * same origin (`Sec-Fetch-Site`), or its `Origin` is the service's own, and its body is JSON, which a foreign form
 * cannot send. Callers outside browsers use a key. Throws `csrf_rejected`.
 */
export function checkSameOrigin(request: IncomingMessage, publicUrl: string | undefined): void {
  if (SAFE_METHODS.has(request.method ?? 'GET')) return
  if (!comesFromOwnOrigin(request, publicUrl)) {
    throw new DomainError('csrf_rejected', 'a call with the session cookie must come from the same origin')
  }
  if (announcesBody(request) && mediaType(request) !== 'application/json') {
    throw new DomainError('csrf_rejected', 'a call with the session cookie must carry JSON')
  }
}

/**
 * Refuses a call that a browser makes for a page of another origin, on a route that sets or clears the session cookie:
 * another site must not sign anybody in or out. Callers outside browsers name no origin and pass. Throws
 * `csrf_rejected`.
 */
export function refuseForeignOrigin(request: IncomingMessage, publicUrl: string | undefined): void {
  const isBrowser = request.headers['sec-fetch-site'] !== undefined || request.headers.origin !== undefined
  if (!isBrowser || comesFromOwnOrigin(request, publicUrl)) return
  throw new DomainError('csrf_rejected', 'a session is opened and closed from the same origin only')
}

function comesFromOwnOrigin(request: IncomingMessage, publicUrl: string | undefined): boolean {
  const site = request.headers['sec-fetch-site']
  if (typeof site === 'string') return site === 'same-origin' || site === 'none'
  const origin = request.headers.origin
  if (origin === undefined) return false
  if (publicUrl !== undefined) return URL.canParse(publicUrl) && origin === new URL(publicUrl).origin
  return URL.canParse(origin) && new URL(origin).host === request.headers.host
}
