import type { Context, Middleware } from 'koa'
import type { KernelServices } from './services.ts'
import { KERNEL_ERRORS } from '../../core/kernel/errors.ts'
import { RateLimitedError } from './guard/rate-limits.ts'
import { answerTo } from './reply/errors.ts'
import { jsonTypeOf } from './reply/send.ts'
import { clientIp } from './request/client-ip.ts'
import { requireOneHost } from './request/host.ts'
import { requestIdFrom } from './request/request-id.ts'
import { wantsPage } from './request/wants-page.ts'
import type { Route } from './route.ts'

/** The state of a call while it runs; stored in `ctx.state.call`. */
export interface CallState {
  readonly requestId: string
  readonly ip: string
  readonly startedAt: number
  route: Route | undefined
  tenantId: string | undefined
  errorCode: string | undefined
}

/** Groups that probes call every few seconds are logged at the level `debug` only. */
const QUIET_GROUPS = new Set(['health', 'run'])
/** Parts of the service that wait for the end of one answer, at most. */
const MOST_LISTENERS = 20

/**
 * The outermost middleware: gives the call its id, answers errors in the one envelope, and counts and logs the call
 * when its answer is complete. Bodies are never logged.
 */
export function observeCalls(services: KernelServices): Middleware {
  const { log, settings } = services
  return async (ctx, next) => {
    const call: CallState = {
      requestId: requestIdFrom(ctx.req.headers['x-request-id']),
      ip: clientIp(ctx.req, settings.trustedProxyHops),
      startedAt: performance.now(),
      route: undefined,
      tenantId: undefined,
      errorCode: undefined,
    }
    ctx.state['call'] = call
    ctx.res.setHeader('X-Request-Id', call.requestId)
    // What may be kept says so itself: a cache in front knows neither X-API-Key nor the cookie.
    ctx.res.setHeader('Cache-Control', 'no-store')
    // A streamed answer to a large body has eleven, each added once: Node would warn of a leak.
    ctx.res.setMaxListeners(MOST_LISTENERS)
    ctx.res.once('close', () => {
      const durationMs = performance.now() - call.startedAt
      const status = ctx.res.statusCode
      count(services, ctx.method, call, status, durationMs)
      const record = {
        request_id: call.requestId,
        method: ctx.method,
        route: call.route?.path ?? 'unmatched',
        status,
        ms: Math.round(durationMs * 10) / 10,
        ...(call.tenantId !== undefined && { tenant: call.tenantId }),
        ...(call.errorCode !== undefined && { code: call.errorCode }),
        ...(!ctx.res.writableFinished && { hung_up: true }),
      }
      if (status < 400 && call.route && QUIET_GROUPS.has(call.route.group)) log.debug(record, 'request')
      else log.info(record, 'request')
    })
    try {
      requireOneHost(ctx.req)
      await next()
      if (ctx.status === 404 && ctx.body === undefined && call.route === undefined) {
        throw KERNEL_ERRORS.route_not_found('there is no such route')
      }
    } catch (error) {
      answerError(ctx, services, call, error)
    }
  }
}

/** Counts a call. It runs after the answer, where an uncaught error would end the process, so it logs its errors. */
function count({ log, metrics }: KernelServices, method: string, call: CallState, status: number, durationMs: number) {
  try {
    metrics.observeRequest(method, call.route?.path ?? 'unmatched', status, durationMs / 1000)
  } catch (error) {
    log.error({ err: error, request_id: call.requestId }, 'a call could not be counted')
  }
}

/** Writes the error envelope, or the route's page of it; a stream that has begun can only be cut off. */
export function answerError(ctx: Context, services: KernelServices, call: CallState, error: unknown): void {
  const answer = answerTo(error, call.requestId)
  call.errorCode = answer.envelope.code
  const facts = { request_id: call.requestId, route: call.route?.path }
  if (answer.isFault) services.log.error({ err: error, ...facts }, 'request failed')
  else if (answer.isElsewhere) services.log.warn({ code: call.errorCode, ...facts }, answer.logText)
  if (ctx.headerSent) {
    ctx.res.destroy()
    return
  }
  for (const name of ['Content-Type', 'Content-Length', 'ETag', 'Content-Disposition', 'Accept-Ranges'])
    ctx.remove(name)
  ctx.set('Cache-Control', 'no-store')
  if (error instanceof RateLimitedError) ctx.set({ ...error.headers })
  if (answer.status === 401) ctx.set('WWW-Authenticate', 'Bearer')
  if (answer.retryAfterS !== undefined) ctx.set('Retry-After', String(answer.retryAfterS))
  ctx.status = answer.status
  if (call.route?.errorPage) {
    ctx.vary('Accept')
    if (wantsPage(ctx.req)) {
      const page = call.route.errorPage(answer)
      ctx.set({ ...page.headers })
      ctx.type = 'text/html; charset=utf-8'
      ctx.body = page.html
      return
    }
  }
  ctx.type = jsonTypeOf(call.route)
  ctx.body = JSON.stringify(call.route?.errorShape?.write(answer) ?? answer.envelope)
}
