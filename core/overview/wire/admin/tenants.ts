import { z } from 'zod'
import { TENANT_KINDS } from '../../../kernel/tenant/tenant-kinds.ts'
import { Plan } from '../../../kernel/wire/tenant.ts'
import { BILLING_STATUSES } from '../../../kernel/tenant/billing-status.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'
import { textUpTo } from '../../../kernel/wire/text.ts'
import { Email } from '../../../accounts/wire/email.ts'

/** A tenant as administrators of the service see it. */
export const TenantOverviewView = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(TENANT_KINDS),
    email: z.string().nullable(),
    email_verified: z.boolean(),
    plan: Plan,
    quota: z.int(),
    used: z.int().meta({ description: 'Units of the current month (UTC)' }),
    remaining: z.int(),
    seats: z.int().meta({ description: 'Members that are active' }),
    seats_max: z.int(),
    auth_provider: z.string().nullable(),
    billing_status: z.enum(BILLING_STATUSES),
    api_key_prefix: z.string().nullable().meta({ description: 'Public half of the primary key' }),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
    expires_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'TenantOverview' })

/** Answer of `GET /v1/admin/tenants`. */
export const AdminListTenantsAnswer = z.object({
  total: z.int(),
  tenants: z.array(TenantOverviewView),
  next_cursor: NextCursor,
})

/** Body of `POST /v1/admin/tenant`. */
export const AdminCreateTenantBody = z.object({
  name: textUpTo(100)
    .refine((text) => /[A-Za-z0-9]/.test(text.normalize('NFKD')), { error: 'must have a Latin letter or a digit' })
    .meta({
      description: 'Converted to lower-case letters, digits and hyphens',
      example: 'acme',
      override: { pattern: '[A-Za-z0-9]' },
    }),
  email: Email.optional(),
  quota: z.int().min(0).max(1_000_000_000).default(10_000).meta({ description: 'Units per month' }),
})

/** Answer of `POST /v1/admin/tenant`. */
export const AdminCreateTenantAnswer = z.object({
  tenant: z.object({
    id: z.string(),
    name: z.string(),
    email: z.string().nullable(),
    plan: Plan,
    quota: z.int(),
    seats: z.int(),
    created_at: z.iso.datetime(),
  }),
  api_key: z.string().meta({ description: 'Shown only once' }),
})
