import type { Middleware } from 'koa'

const SENT_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'If-Range',
  'Last-Event-ID',
  'Range',
  'X-API-Key',
  'X-Request-Id',
].join(', ')

const SHOWN_HEADERS = [
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'X-Inference-Key-ID',
  'X-Inference-Signature',
  'X-Request-Id',
  'X-Svc-Receipt',
].join(', ')

const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS'
const PREFLIGHT_MAX_AGE_S = '86400'

/**
 * Lets pages of any origin call the service with a key (Fetch Standard, CORS protocol). Credentials are never allowed,
 * so a browser neither sends the session cookie from another origin nor keeps one that it is answered.
 */
export function allowCrossOrigin(): Middleware {
  return async (ctx, next) => {
    ctx.res.setHeader('Access-Control-Allow-Origin', '*')
    if (ctx.method === 'OPTIONS' && ctx.req.headers['access-control-request-method'] !== undefined) {
      ctx.set({
        'Access-Control-Allow-Methods': METHODS,
        'Access-Control-Allow-Headers': SENT_HEADERS,
        'Access-Control-Max-Age': PREFLIGHT_MAX_AGE_S,
      })
      ctx.status = 204
      return
    }
    ctx.res.setHeader('Access-Control-Expose-Headers', SHOWN_HEADERS)
    await next()
  }
}
