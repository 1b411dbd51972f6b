import { DOCUMENTS } from '../../kernel/guard/public-limits.ts'
import { RUNTIME_VERSION } from '../../../core/kernel/version.ts'
import { bareDocument } from '../../kernel/reply/answers.ts'
import { defineRoute, type Route } from '../services.ts'
import { readProductReadiness } from './facts/product-readiness.ts'
import { ProductReadinessView } from '../../../core/overview/wire/health/product-readiness.ts'

/** The route of the readiness ledger over all routes, its own included. */
export function productReadinessRoute(routes: () => readonly Route[]): Route {
  return defineRoute({
    method: 'get',
    path: '/product-readiness-closeout.json',
    limit: DOCUMENTS,
    keptForS: 5,
    operationId: 'getProductReadiness',
    group: 'health',
    summary: 'Show the mounted routes, configured integrations and passing checks',
    description: 'Computed from the running system; the checks are those of `/ready/deep` and at most 5 s old.',
    auth: 'public',
    scope: undefined,
    answers: { 200: bareDocument('The ledger', ProductReadinessView) },
  }).handle(async ({ services }) => {
    const { groups, integrations, checks, generatedAt } = await readProductReadiness(services, routes())
    return {
      status: 200,
      body: {
        schema: 'svc-product-readiness-1',
        status: checks.every(({ ok, required }) => ok || !required) ? 'ready' : 'not_ready',
        version: RUNTIME_VERSION,
        generated_at: generatedAt.toISOString(),
        routes_total: routes().length,
        groups: groups.map((one) => ({
          group: one.group,
          routes_n: one.routes.length,
          routes: one.routes.map(({ method, path, operationId, auth, scope }) => ({
            method: method.toUpperCase(),
            path,
            operation_id: operationId,
            auth,
            scope: scope ?? null,
          })),
        })),
        integrations: integrations.map(({ name, isConfigured }) => ({ name, configured: isConfigured })),
        checks: checks.map(({ name, ok, required, label }) => ({ name, ok, required, label })),
      },
      headers: { 'Cache-Control': 'no-cache' },
    }
  })
}
