import { DOCUMENTS } from '../kernel/guard/public-limits.ts'
import { describeApi } from '../kernel/openapi/openapi.ts'
import { rawDocument } from '../kernel/reply/answers.ts'
import { GetOpenApiAnswer } from '../../core/overview/wire/openapi.ts'
import { defineRoute, type Route, type OverviewServices } from './services.ts'

/** The route of the machine contract over all routes, its own included. The document is made when it is first asked for. */
export function openApiRoute(routes: () => readonly Route[]): Route {
  const texts = new WeakMap<OverviewServices, string>()
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
    answers: { 200: rawDocument('The document', GetOpenApiAnswer) },
  }).handle(async ({ services }) => {
    const { limits, settings } = services
    const text = texts.get(services) ?? JSON.stringify(describeApi(routes(), { limits, publicUrl: settings.publicUrl }))
    texts.set(services, text)
    return { status: 200, raw: { kind: 'bytes', bytes: text }, headers: { 'Cache-Control': 'public, max-age=60' } }
  })
}
