import { z } from 'zod'
import { Check } from './check.ts'

const MountedRoute = z.object({
  method: z.string(),
  path: z.string(),
  operation_id: z.string(),
  auth: z.string(),
  scope: z.string().nullable(),
})

/** The ledger of mounted routes. */
export const ProductReadinessView = z.object({
  schema: z.literal('svc-product-readiness-1'),
  status: z.enum(['ready', 'not_ready']),
  version: z.string(),
  generated_at: z.iso.datetime(),
  routes_total: z.int(),
  groups: z.array(z.object({ group: z.string(), routes_n: z.int(), routes: z.array(MountedRoute) })),
  integrations: z.array(z.object({ name: z.string(), configured: z.boolean() })),
  checks: z.array(Check),
})
