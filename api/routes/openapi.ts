import { DOCUMENTS } from '../kernel/guard/public-limits.ts'
import { describeApi } from '../kernel/openapi.ts'
import { rawAnswer } from '../kernel/reply/answers.ts'
import { defineRoute, type Route } from '../kernel/route.ts'

/** The route of the machine contract over all routes, its own included. The document is made once, when it is asked for. */
export function openApiRoute(routes: () => readonly Route[]): Route {
  let text: string | undefined
  return defineRoute({
    method: 'get',
    path: '/openapi.json',
    limit: DOCUMENTS,
    keptForS: 3600,
    operationId: 'getOpenApi',
    group: 'health',
    summary: 'The machine contract of this API (OpenAPI 3.1)',
    auth: 'public',
    scope: undefined,
    answers: { 200: rawAnswer('The document', 'application/json; charset=utf-8') },
  }).handle(async ({ services }) => {
    text ??= JSON.stringify(describeApi(routes(), services.settings.publicUrl))
    return { status: 200, raw: { kind: 'bytes', bytes: text }, headers: { 'Cache-Control': 'public, max-age=60' } }
  })
}
