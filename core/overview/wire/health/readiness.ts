import { z } from 'zod'
import { Check } from './check.ts'

/** Answer of `GET /ready`. */
export const ReadinessView = z.object({
  status: z.enum(['ready', 'not_ready']),
  production_like: z.boolean(),
  checks: z.array(Check),
})

/** Answer of the deep readiness check. */
export const DeepReadinessView = z.object({
  ok: z.boolean(),
  status: z.enum(['ready', 'not_ready']),
  checked_at: z.iso.datetime(),
  checks: z.array(Check.extend({ latency_ms: z.number(), detail: z.string() })),
})
