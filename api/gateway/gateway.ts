import { PROBES } from '../kernel/guard/public-limits.ts'
import { z } from 'zod'
import { RUNTIME_VERSION } from '../../core/kernel/version.ts'
import { loadGateway } from './gateway-module.ts'
import { bareDocument } from '../kernel/reply/answers.ts'
import { defineRoute } from './services.ts'

const GatewayView = z.object({
  ok: z.boolean(),
  version: z.string(),
  gateway: z.enum(['ready', 'unavailable']),
  module_loaded: z.boolean(),
  dialects: z.array(z.string()).meta({ description: 'Protocols of model providers that it speaks' }),
  provider_configured: z.boolean().meta({ description: 'Whether the operator has configured a model' }),
  uptime_s: z.int(),
})

export const getGatewayHealthRoute = defineRoute({
  method: 'get',
  path: '/v1/gateway/health',
  limit: PROBES,
  operationId: 'getGatewayHealth',
  group: 'health',
  summary: 'Whether the gateway to model providers is there',
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
    provider_configured: services.settings.teacher !== undefined,
    uptime_s: Math.floor(process.uptime()),
  }
  return isLoaded ? { status: 200, body } : { status: 503, body }
})
