import { z } from 'zod'
import { Check } from './check.ts'

const Stats = z.object({
  concepts: z.int(),
  versions: z.int(),
  syntheses: z.int(),
  invocations: z.int(),
  tenants: z.int(),
})

/** Answer of `GET /health`. */
export const LivenessView = z.object({
  ok: z.literal(true),
  status: z.literal('ok'),
  version: z.string().meta({ description: 'Version of the runtime for recipes; part of every receipt' }),
  library_version: z.string(),
  region: z.string(),
  uptime_s: z.int(),
  git: z.string(),
  gateway: z.enum(['ok', 'unavailable']),
  capture_store: z.enum(['ok', 'full', 'unavailable']).meta({
    description: 'Whether new data can be stored; `full` while storage is low and intake is stopped',
  }),
  signing_key: z.enum(['loaded', 'missing']),
  stats: Stats,
})

/** Answer of `GET /v1/health`. */
export const GetHealthAnswer = LivenessView.extend({
  production_like: z.boolean(),
  backends: z.record(z.string(), z.boolean()).meta({ description: 'Availability, by name of the check' }),
  readiness: z.object({ status: z.enum(['ready', 'not_ready']), checks: z.array(Check) }),
})
