import { z } from 'zod'

/** State of the gateway. */
export const GatewayView = z.object({
  ok: z.boolean(),
  version: z.string(),
  gateway: z.enum(['ready', 'unavailable']),
  module_loaded: z.boolean(),
  dialects: z.array(z.string()).meta({ description: 'Protocols of model providers that it speaks' }),
  provider_configured: z.boolean().meta({ description: 'Whether the operator has configured a model' }),
  uptime_s: z.int(),
})
