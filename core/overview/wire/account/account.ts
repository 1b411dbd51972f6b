import { z } from 'zod'
import { Plan, TenantView } from '../../../kernel/wire/tenant.ts'
import { TENANT_KINDS } from '../../../kernel/tenant/tenant-kinds.ts'
import { BILLING_STATUSES } from '../../../kernel/tenant/billing-status.ts'

/** Answer of `GET /v1/account`. */
export const GetAccountAnswer = TenantView.extend({
  kind: z.enum(TENANT_KINDS),
  email: z.string().nullable(),
  email_verified: z.boolean(),
  usage: z.object({ compiles_30d: z.int(), calls_30d: z.int() }),
  period: z.object({
    used: z.int().meta({ description: 'Units used in this calendar month (UTC)' }),
    remaining: z.int(),
    resets_at: z.iso.datetime(),
  }),
  seats_used: z.int().meta({ description: 'Active members and open invitations' }),
  pending_plan: Plan.nullable().meta({ description: 'A requested plan that is not paid yet' }),
  billing_status: z.enum(BILLING_STATUSES),
  company_name: z.string().nullable(),
  country_code: z.string().nullable(),
  vat_number: z.string().nullable(),
  tax_id: z.string().nullable(),
  expires_at: z.iso.datetime().nullable().meta({ description: 'When an anonymous workspace is removed' }),
  created_at: z.iso.datetime(),
})
