import type { z } from 'zod'
import { PLANS } from '../../../core/kernel/tenant/plans.ts'
import { createTenantFor } from '../../../db/overview/across/admin/create-tenant-for.ts'
import { countTenants, listTenants, type TenantOverview } from '../../../db/overview/across/admin/list-tenants.ts'
import { quotaOf } from '../../../core/kernel/tenant/quota-of.ts'
import { normalizeEmail } from '../../../db/accounts/tenants/verification/email-address.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { pageQuery } from '../../../core/kernel/wire/page.ts'
import { textUpTo } from '../../../core/kernel/wire/text.ts'
import {
  AdminCreateTenantAnswer,
  AdminCreateTenantBody,
  AdminListTenantsAnswer,
  type TenantOverviewView,
} from '../../../core/overview/wire/admin/tenants.ts'
import { defineRoute, type OverviewServices } from '../services.ts'

function presentOverview(tenant: TenantOverview, { limits }: OverviewServices): z.input<typeof TenantOverviewView> {
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
  summary: 'List the tenants, newest first',
  auth: 'admin',
  scope: undefined,
  query: pageQuery(200, 1000).extend({
    q: textUpTo(200).optional().meta({ description: 'Part of a name or address, or a whole id' }),
  }),
  answers: {
    200: envelope('One page; `total` counts all that were found', AdminListTenantsAnswer),
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
  description: 'The answer shows the key once; only a hash of it is kept. A taken name or address answers 409.',
  auth: 'admin',
  scope: undefined,
  stores: 'bounded',
  body: AdminCreateTenantBody,
  answers: {
    201: envelope('The tenant and its key', AdminCreateTenantAnswer),
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
