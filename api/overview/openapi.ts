import { DOCUMENTS } from '../kernel/guard/public-limits.ts'
import { describeApi } from '../kernel/openapi/openapi.ts'
import { rawDocument } from '../kernel/reply/answers.ts'
import { GetOpenApiAnswer } from '../../core/overview/wire/openapi.ts'
import { RECORDED_EXAMPLES } from './examples/recorded-examples.ts'
import { defineRoute, type Route, type OverviewServices } from './services.ts'

const texts = new WeakMap<OverviewServices, string>()

/**
 * Returns the OpenAPI document of the routes as JSON text, made once for each set of services. Making it takes the event
 * loop about 80 ms, so a process makes it before its first call.
 */
export function openApiText(routes: readonly Route[], services: OverviewServices): string {
  const { limits, settings } = services
  const text =
    texts.get(services) ??
    JSON.stringify(describeApi(routes, { limits, publicUrl: settings.publicUrl, examples: RECORDED_EXAMPLES }))
  texts.set(services, text)
  return text
}

/** The route of the machine contract over all routes, its own included. */
export function openApiRoute(routes: () => readonly Route[]): Route {
  return defineRoute({
    method: 'get',
    path: '/openapi.json',
    limit: DOCUMENTS,
    keptForS: 3600,
    operationId: 'getOpenApi',
    group: 'health',
    summary: 'Show the OpenAPI 3.1 document of this API',
    auth: 'public',
    scope: undefined,
    answers: { 200: rawDocument('The document', GetOpenApiAnswer) },
  }).handle(async ({ services }) => ({
    status: 200,
    raw: { kind: 'bytes', bytes: openApiText(routes(), services) },
    headers: { 'Cache-Control': 'public, max-age=60' },
  }))
}
