import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { KERNEL_ERRORS } from '../../core/kernel/errors.ts'
import type { Json, JsonObject } from '../../core/kernel/json/json.ts'
import type { Principal } from '../../db/kernel/tenant/principal.ts'
import type { Operation } from '../../db/kernel/operation.ts'
import type { KernelServices } from './services.ts'
import { adminOperationOf, createGuard, operationOf, type Caller } from './guard/authenticate.ts'
import {
  answerOnce,
  claimantOf,
  idempotencyKeyFrom,
  keepsNothing,
  type ClaimedWork,
  type KeptCall,
} from './guard/idempotency.ts'
import type { RateLimitRule, RateLimits } from './guard/rate-limits.ts'
import type { CallState } from './observe.ts'
import { createKeptAnswers } from './reply/kept-answers.ts'
import type { RawReply } from './reply/raw-reply.ts'
import { renderJson, sendJson, sendRaw, setHeaders } from './reply/send.ts'
import { announcesBody, mediaType, readFormBody, readJsonBody, readRawBody } from './request/read-body.ts'
import { requireModestQuery } from './request/query.ts'
import { nameUnstorableText } from './request/unstorable-text.ts'
import type { Bound, CallFactsOf, RawInput } from './request/call.ts'
import type { Route, RouteOf } from './route.ts'

/** The parts of a path that a route names. */
type PathParams = Readonly<Record<string, string>>
type Serve = (ctx: Context, params: PathParams) => Promise<void>

const NO_QUERY: RawInput['query'] = Object.freeze({})
const UNSAFE = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Answers paths that hide a slash, which a router or a proxy might see differently than a guard. */
export function refuseHiddenSlashes(): Middleware {
  return async (ctx, next) => {
    if (/%2f|%5c|\/\/|\\/i.test(ctx.path)) throw KERNEL_ERRORS.route_not_found('there is no such route')
    await next()
  }
}

/**
 * Returns the middleware that serves the routes. A path matches exactly or not at all: other letter case, a slash at the end,
 * an encoded slash or a doubled one are unknown routes, so nothing can be reached around its guard. A path without
 * parameters is looked up. For the others there is a router for each method and number of slashes, since a router tries
 * the patterns of all its routes, and a parameter holds no slash.
 */
export function bindRoutes<S extends Bound<KernelServices>>(
  routes: readonly RouteOf<S>[],
  services: S,
  rateLimits: RateLimits,
  drain: AbortSignal,
): Middleware {
  const routers = new Map<string, Router>()
  const byPath = new Map<string, Serve>()
  const guard = createGuard(services)
  const kept = createKeptAnswers()
  for (const route of routes) {
    // A schema that cannot be built under these limits ends the start, not the first call.
    route.schemas(services.limits)
    const path = route.path.replaceAll(':', '\\:').replaceAll(/\{(\w+)\}/g, ':$1')
    const serve: Serve = async (ctx, params) => {
      const state: CallState = ctx.state['call']
      state.route = route
      requireModestQuery(ctx.querystring)
      const arrivedAt = performance.now()
      const caller = await guard.check(route, ctx.req, state.ip).finally(() => {
        services.metrics.observeGuard((performance.now() - arrivedAt) / 1000)
      })
      setHeaders(ctx.res, caller.headers)
      const { principal, admin } = caller
      state.tenantId = principal?.tenantId
      const facts: CallFactsOf<S> = {
        services,
        requestId: state.requestId,
        ip: state.ip,
        caller: callerOf(principal, state.ip),
        endOfCall: endOfCall(ctx, drain),
        hangUp: hangUp(ctx),
        request: ctx.req,
        principal,
        admin,
        op: operationFor(services, caller, state.requestId),
        whenKept: keepsNothing,
      }
      // Here and not in the handlers, so that no admin route can omit it.
      if (admin && facts.op) {
        const { operationId } = route
        await services.ports.recordAdminAction(facts.op, {
          route: operationId,
          params,
          query: queryOf(ctx),
        })
      }
      if (route.keptForS === undefined) await answer(ctx, route, { facts, params, rateLimits })
      else {
        if (route.limit) await takePoint(ctx, rateLimits, route.limit, facts.ip)
        const input = { params: {}, query: {}, body: undefined }
        await kept.send(ctx, route, state.requestId, async () => await route.invoke(facts, input))
      }
    }
    const group = groupOf(route.method.toUpperCase(), path)
    const router = routers.get(group) ?? new Router({ sensitive: true, strict: true })
    routers.set(group, router)
    const layer = router.register(path, [route.method], async (ctx) => await serve(ctx, ctx.params), {
      name: route.operationId,
    })
    // Not where an earlier pattern takes the path.
    const [first] = path === route.path ? router.match(path, route.method).pathAndMethod : []
    if (first !== undefined && first === layer) byPath.set(`${route.method.toUpperCase()} ${path}`, serve)
  }
  const searches = new Map([...routers].map(([group, router]) => [group, router.routes()]))
  return async (ctx, next) => {
    const serve = byPath.get(`${ctx.method} ${ctx.path}`)
    if (serve !== undefined) return await serve(ctx, {})
    // A router answers HEAD by the routes of GET.
    const search = searches.get(groupOf(ctx.method === 'HEAD' ? 'GET' : ctx.method, ctx.path))
    if (search === undefined) await next()
    else await search(ctx as Parameters<typeof search>[0], next)
  }
}

/** The routes among which a path is searched: those of its method with as many slashes. */
function groupOf(method: string, path: string): string {
  return `${method} ${path.split('/').length}`
}

function operationFor(services: KernelServices, caller: Caller, requestId: string): Operation | undefined {
  if (caller.admin) return adminOperationOf(services, caller.admin, requestId)
  return caller.principal && operationOf(services, caller.principal, requestId)
}

async function answer<S extends Bound<KernelServices>>(
  ctx: Context,
  route: RouteOf<S>,
  {
    facts,
    params,
    rateLimits,
  }: { readonly facts: CallFactsOf<S>; readonly params: PathParams; readonly rateLimits: RateLimits },
) {
  if (route.limit) await takePoint(ctx, rateLimits, route.limit, facts.ip)
  // After the guard and before the body: a refused caller learns nothing, and no byte is read in vain.
  if (route.stores !== undefined) facts.services.storage.requireRoom()
  // Checked before the body is read, so that a wrong key is refused before the upload.
  const key = route.idempotency && idempotencyKeyFrom(ctx.req.headers['idempotency-key'])
  const isMultipart = route.invokeMultipart !== undefined && mediaType(ctx.req) === 'multipart/form-data'
  const body = isMultipart ? undefined : await bodyOf(ctx, route, facts)
  // Most calls have no query, and parsing none takes as long as parsing a short one.
  const input: RawInput = { params, query: ctx.querystring === '' ? NO_QUERY : ctx.query, body }
  const handle = isMultipart && route.invokeMultipart ? route.invokeMultipart : route.invoke
  const invoke = async (claimed?: ClaimedWork): Promise<RawReply> => {
    try {
      return await handle(claimed ? { ...facts, ...claimed } : facts, input)
    } catch (error) {
      throw nameUnstorableText(error, input)
    }
  }
  if (route.idempotency === 'kernel' && key !== undefined && facts.op) {
    if (Buffer.isBuffer(body)) throw new Error(`${route.operationId}: raw bytes have no form that a key can name`)
    // The route's own authorization runs before a stored answer is repeated.
    await route.authorize?.(facts, input)
    const kept: KeptCall = {
      op: facts.op,
      route: route.operationId,
      key,
      credential: claimantOf(facts.principal, facts.admin),
      asked: { params: { ...input.params }, query: queryOf(ctx), body: body ?? null },
      limits: facts.services.limits,
    }
    const { principal } = facts
    const answer = await answerOnce(kept, async (claimed) => {
      if (principal) rateLimits.keptBytes.requireRoom(principal)
      const reply = await invoke(claimed)
      const rendered = renderJson(route, reply, facts.requestId)
      if (principal) rateLimits.keptBytes.add(principal, rendered.text)
      return { ...rendered, headers: reply.headers ?? {} }
    })
    sendJson(ctx, route, answer, answer.headers)
    return
  }
  const reply = await invoke()
  if (reply.raw) sendRaw(ctx, route, reply)
  else sendJson(ctx, route, renderJson(route, reply, facts.requestId), reply.headers)
}

/** Returns the query as JSON, without absent parameters. */
function queryOf(ctx: Context): JsonObject {
  const given = Object.entries(ctx.query)
  return Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** Reads the body. A route without a body still refuses a broken one, since the caller sent it on purpose. */
async function bodyOf(
  { req: request, res: response }: Context,
  route: Route,
  { services, caller }: CallFactsOf<Bound<KernelServices>>,
): Promise<Json | Buffer | undefined> {
  if (!UNSAFE.has(request.method ?? 'GET')) return undefined
  const { limits, intake } = services
  const { longLists } = route
  const restParts = limits[route.partsLimit]
  const reading = {
    maxBytes: limits[route.rawBody ?? route.bodyLimit],
    maxDepth: limits.json_depth,
    maxParts: longLists.length > 0 ? limits.inline_body_parts : restParts,
    restParts,
    longLists,
    caller,
    intake,
    whenOver: (act: () => void) => void response.once('close', act),
  }
  if (route.rawBody !== undefined) return await readRawBody(request, reading)
  if (!announcesBody(request)) return undefined
  if (route.form && mediaType(request) === 'application/x-www-form-urlencoded') {
    return await readFormBody(request, reading)
  }
  return await readJsonBody(request, reading)
}

/** Anonymous workspaces are free to make in any number, so their calls count for their address. */
function callerOf(principal: Principal | undefined, ip: string): string {
  return principal === undefined || principal.kind === 'anonymous' ? ip : principal.tenantId
}

async function takePoint(ctx: Context, rateLimits: RateLimits, rule: RateLimitRule, ip: string): Promise<void> {
  setHeaders(ctx.res, await rateLimits.take(rule, ip))
}

/** Creates the signal only when a handler asks for it: most calls end before the caller could disconnect. */
function endOfCall(ctx: Context, drain: AbortSignal): () => AbortSignal {
  let made: AbortSignal | undefined
  return () => {
    if (made) return made
    const controller = new AbortController()
    const end = () => controller.abort()
    drain.addEventListener('abort', end)
    ctx.res.once('close', () => {
      drain.removeEventListener('abort', end)
      end()
    })
    if (drain.aborted || ctx.res.destroyed) end()
    made = controller.signal
    return made
  }
}

/** Returns a signal that aborts with `request_timeout` when the caller disconnects; only the log shows the error. */
function hangUp(ctx: Context): () => AbortSignal {
  let made: AbortSignal | undefined
  return () => {
    if (made) return made
    const controller = new AbortController()
    const end = () => controller.abort(KERNEL_ERRORS.request_timeout('the client disconnected before the answer'))
    ctx.res.once('close', () => {
      // A caller that has the whole answer did not hang up.
      if (!ctx.res.writableFinished) end()
    })
    if (ctx.res.destroyed) end()
    made = controller.signal
    return made
  }
}
