import type { IncomingMessage } from 'node:http'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { KernelSettings } from '../services.ts'
import { announcesBody, mediaType } from '../request/read-body.ts'

/** The settings that determine the service's own origin. */
type OriginSettings = Pick<KernelSettings, 'publicUrl' | 'trustedProxyHops'>

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Media types that the console sends. A plain form or plain text comes from another page. */
const BODIES = new Set(['application/json', 'multipart/form-data'])

/**
 * Refuses an unsafe call that only the session cookie authenticates, unless two conditions hold. The browser states the
 * same origin (`Sec-Fetch-Site`), or `Origin` is the service's own; and the body is JSON, or an upload of the console.
 * Callers outside browsers use a key. Throws `csrf_rejected`.
 */
export function checkSameOrigin(request: IncomingMessage, settings: OriginSettings): void {
  if (SAFE_METHODS.has(request.method ?? 'GET')) return
  if (!comesFromOwnOrigin(request, settings)) {
    throw KERNEL_ERRORS.csrf_rejected('a call with the session cookie must come from the same origin')
  }
  if (announcesBody(request) && !BODIES.has(mediaType(request) ?? '')) {
    throw KERNEL_ERRORS.csrf_rejected('a call with the session cookie must carry JSON')
  }
}

/**
 * Refuses a call that a browser makes for a page of another origin, on a route that sets or clears the session cookie:
 * another site must not sign a person in or out. Callers outside browsers name no origin and pass. Throws
 * `csrf_rejected`.
 */
export function refuseForeignOrigin(request: IncomingMessage, settings: OriginSettings): void {
  const isBrowser = request.headers['sec-fetch-site'] !== undefined || request.headers.origin !== undefined
  if (!isBrowser || comesFromOwnOrigin(request, settings)) return
  throw KERNEL_ERRORS.csrf_rejected('sessions can be opened and closed from the same origin only')
}

function comesFromOwnOrigin(request: IncomingMessage, settings: OriginSettings): boolean {
  const site = request.headers['sec-fetch-site']
  if (typeof site === 'string') return site === 'same-origin' || site === 'none'
  const origin = request.headers.origin
  if (origin === undefined) return false
  const { publicUrl, trustedProxyHops } = settings
  if (publicUrl !== undefined) return URL.canParse(publicUrl) && origin === new URL(publicUrl).origin
  // Without a configured name the service uses the one of the call. It speaks plain http; a proxy may add https.
  const schemes = trustedProxyHops === 0 ? ['http'] : ['http', 'https']
  return schemes.some((scheme) => origin === `${scheme}://${request.headers.host}`)
}
