import { z } from 'zod'
import { Plan } from '../../kernel/wire/tenant.ts'

/** Body of `PUT /v1/admin/tenants/{tenant_id}/plan`. */
export const AdminGrantPlanBody = z
  .object({ plan: Plan.nullable().meta({ description: 'Null or `free` removes it' }) })
  .meta({ example: { plan: 'pro' } })

/** Answer of `PUT /v1/admin/tenants/{tenant_id}/plan`. */
export const AdminGrantPlanAnswer = z.object({ tenant_id: z.string(), granted_plan: Plan.nullable(), plan: Plan })
