import { setMaxListeners } from 'node:events'
import Koa from 'koa'
import { serveDocs } from './overview/docs/serve-docs.ts'
import { serveConsole } from './overview/pages/console-page.ts'
import { bindRoutes, refuseHiddenSlashes } from './kernel/bind.ts'
import { allowCrossOrigin } from './kernel/guard/cross-origin.ts'
import { createRateLimits } from './kernel/guard/rate-limits.ts'
import { observeCalls, type CallState } from './kernel/observe.ts'
import { apiHeaders } from './kernel/security-headers.ts'
import { ROUTES } from './routes.ts'
import type { OverviewServices } from './overview/services.ts'

/**
 * The HTTP application over its services. `drain` is aborted when the process is asked to end. Listens nowhere and
 * opens nothing: `main.ts` and the tests do.
 */
export function createApp(services: OverviewServices, drain: AbortSignal): Koa {
  const app = new Koa()
  setMaxListeners(0, drain)
  app.use(observeCalls(services))
  app.use(allowCrossOrigin())
  app.use(apiHeaders(services.settings.publicUrl?.startsWith('https:') ?? false))
  app.use(refuseHiddenSlashes())
  const rateLimits = createRateLimits(services.db, services.limits)
  // Before the routes, of which a router tries all patterns: a page has some fifty files.
  app.use(serveDocs(rateLimits))
  app.use(serveConsole(rateLimits))
  app.use(bindRoutes(ROUTES, services, rateLimits, drain))
  // Koa's own handler is for what goes wrong after the middleware, such as a stream that breaks while it is sent.
  app.on('error', (error: unknown, ctx?: Koa.Context) => {
    const call: CallState | undefined = ctx?.state['call']
    // A caller that disconnects during an answer is not an error; the request log records it.
    const isHangUp = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
    services.log[isHangUp ? 'debug' : 'warn']({ err: error, request_id: call?.requestId }, 'answer broke off')
  })
  return app
}
