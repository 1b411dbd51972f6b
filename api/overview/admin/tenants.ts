import { z } from 'zod'
import { BILLING_STATUSES } from '../../../core/kernel/tenant/billing-status.ts'
import { PLANS } from '../../../core/kernel/tenant/plans.ts'
import { createTenantFor } from '../../../db/overview/across/admin/create-tenant-for.ts'
import { countTenants, listTenants, type TenantOverview } from '../../../db/overview/across/admin/list-tenants.ts'
import { quotaOf } from '../../../core/kernel/tenant/quota-of.ts'
import { normalizeEmail } from '../../../db/accounts/tenants/verification/email-address.ts'
import { TENANT_KINDS } from '../../../db/kernel/tenant/tenant.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../../kernel/route.ts'
import { NextCursor, pageQuery } from '../../kernel/schemas/page.ts'
import { Plan } from '../../kernel/schemas/tenant.ts'
import { textUpTo } from '../../kernel/schemas/text.ts'
import type { ApiServices } from '../../services.ts'
import { Email } from '../../accounts/identity/schemas.ts'

const TenantOverviewView = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(TENANT_KINDS),
    email: z.string().nullable(),
    email_verified: z.boolean(),
    plan: Plan,
    quota: z.int(),
    used: z.int().meta({ description: 'Units of the present month (UTC)' }),
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

function presentOverview(tenant: TenantOverview, { limits }: ApiServices): z.input<typeof TenantOverviewView> {
  const quota = quotaOf({ plan: tenant.plan, quota: tenant.quotaOverride }, limits)
  return {
    id: tenant.id,
    name: tenant.name,
    kind: tenant.kind,
    email: tenant.email,
    email_verified: tenant.isEmailVerified,
    plan: tenant.plan,
    quota,
    used: tenant.used,
    remaining: Math.max(quota - tenant.used, 0),
    seats: tenant.seats,
    seats_max: PLANS[tenant.plan].seats,
    auth_provider: tenant.authProvider,
    billing_status: tenant.billingStatus,
    api_key_prefix: tenant.keyPrefix,
    created_at: tenant.createdAt.toISOString(),
    last_used_at: tenant.lastUsedAt?.toISOString() ?? null,
    expires_at: tenant.expiresAt?.toISOString() ?? null,
  }
}

export const listTenantsRoute = defineRoute({
  method: 'get',
  path: '/v1/admin/tenants',
  operationId: 'adminListTenants',
  group: 'admin',
  summary: 'The tenants of the service, newest first',
  auth: 'admin',
  scope: undefined,
  query: pageQuery(200, 1000).extend({
    q: textUpTo(200).optional().meta({ description: 'Part of a name or address, or a whole id' }),
  }),
  answers: {
    200: envelope(
      'One page; `total` counts all that were found',
      z.object({ total: z.int(), tenants: z.array(TenantOverviewView), next_cursor: NextCursor }),
    ),
  },
  errors: ['invalid_cursor'],
}).handle(async ({ op, services, query }) => {
  const [page, total] = await Promise.all([listTenants(op, query), countTenants(op, query.q)])
  return {
    status: 200,
    body: {
      total,
      tenants: page.items.map((tenant) => presentOverview(tenant, services)),
      next_cursor: page.nextCursor,
    },
  }
})

export const createTenantRoute = defineRoute({
  method: 'post',
  path: '/v1/admin/tenant',
  operationId: 'adminCreateTenant',
  group: 'admin',
  summary: 'Create a tenant with a quota of its own',
  description: 'Answers the key once; only a hash of it is kept. A name or an address that a tenant has answers 409.',
  auth: 'admin',
  scope: undefined,
  stores: 'bounded',
  body: z.object({
    name: textUpTo(100)
      .refine((text) => /[A-Za-z0-9]/.test(text.normalize('NFKD')), { error: 'must hold a Latin letter or a digit' })
      .meta({
        description: 'Becomes lower-case letters, digits and dashes',
        example: 'acme',
        override: { pattern: '[A-Za-z0-9]' },
      }),
    email: Email.optional(),
    quota: z.int().min(0).max(1_000_000_000).default(10_000).meta({ description: 'Units per month' }),
  }),
  answers: {
    201: envelope(
      'The tenant and its key',
      z.object({
        tenant: z.object({
          id: z.string(),
          name: z.string(),
          email: z.string().nullable(),
          plan: Plan,
          quota: z.int(),
          seats: z.int(),
          created_at: z.iso.datetime(),
        }),
        api_key: z.string().meta({ description: 'Shown this once' }),
      }),
    ),
  },
  errors: ['duplicate'],
}).handle(async ({ op, services, body }) => {
  const { name, quota } = body
  const email = body.email === undefined ? undefined : normalizeEmail(body.email)
  const tenant = await createTenantFor(op, { name, email, quota })
  return {
    status: 201,
    body: {
      tenant: {
        id: tenant.id,
        name: tenant.name,
        email: tenant.email,
        plan: tenant.plan,
        quota: quotaOf({ plan: tenant.plan, quota }, services.limits),
        seats: PLANS[tenant.plan].seats,
        created_at: tenant.createdAt.toISOString(),
      },
      api_key: tenant.apiKey,
    },
  }
})
