import { PROBES } from '../kernel/guard/public-limits.ts'
import { RUNTIME_VERSION } from '../../core/kernel/version.ts'
import { loadGateway } from './gateway-module.ts'
import { bareDocument } from '../kernel/reply/answers.ts'
import { GatewayView } from '../../core/gateway/wire/gateway.ts'
import type { OperatorUpstreams } from '../../core/gateway/calls/providers.ts'
import { defineRoute } from './services.ts'

export const getGatewayHealthRoute = defineRoute({
  method: 'get',
  path: '/v1/gateway/health',
  limit: PROBES,
  operationId: 'getGatewayHealth',
  group: 'health',
  summary: 'Show whether the gateway to model providers is loaded',
  auth: 'public',
  scope: undefined,
  answers: {
    200: bareDocument('The module is loaded', GatewayView),
    503: bareDocument('The module cannot be loaded', GatewayView),
  },
}).handle(async ({ services }) => {
  const { isLoaded, dialects } = await loadGateway()
  const body = {
    ok: isLoaded,
    version: RUNTIME_VERSION,
    gateway: isLoaded ? ('ready' as const) : ('unavailable' as const),
    module_loaded: isLoaded,
    dialects: [...dialects],
    provider_configured: services.settings.teacher !== undefined || hasKey(services.settings.upstreams),
    uptime_s: Math.floor(process.uptime()),
  }
  return isLoaded ? { status: 200, body } : { status: 503, body }
})

function hasKey(upstreams: OperatorUpstreams): boolean {
  return Object.values(upstreams).some((upstream) => upstream?.apiKey !== undefined)
}
