import { z } from 'zod'
import { PLANS } from '../../../core/kernel/tenant/plans.ts'
import { seatsUsed } from '../../../db/accounts/members/seats.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { listOrgs } from '../../../db/accounts/across/list-orgs.ts'
import { requireOrgRole, type OrgAccess } from '../../../db/accounts/orgs/org-access.ts'
import { renameOrg } from '../../../db/accounts/orgs/rename-org.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { TenantId } from '../../../core/kernel/wire/ids.ts'
import {
  ChangeOrgAnswer,
  ChangeOrgBody,
  GetOrgAnswer,
  ListOrgsAnswer,
  type OrgView,
} from '../../../core/accounts/wire/orgs/orgs.ts'
import { defineRoute } from '../services.ts'

/** The path of an organisation. */
export const OrgPath = z.object({ id: TenantId })

async function presentOrg(op: Operation, org: OrgAccess): Promise<z.input<typeof OrgView>> {
  return {
    id: org.id,
    name: org.name,
    plan: org.plan,
    seats_max: PLANS[org.plan].seats,
    seats_used: await seatsUsed(op, op.tenantId, op.now()),
    role: org.role,
    created_at: org.createdAt.toISOString(),
  }
}

export const listOrgsRoute = defineRoute({
  method: 'get',
  path: '/v1/orgs',
  operationId: 'listOrgs',
  group: 'orgs',
  summary: 'List the organisations of the caller',
  description:
    'The organisation of the call. Its owner, and a session that began with a proof of the address (mail, invitation, OAuth), also see the other organisations of that address, without details: sign in there to see more.',
  auth: 'key',
  scope: 'team:read',
  namespace: 'refused',
  answers: {
    200: envelope('Organisations, the current one first', ListOrgsAnswer),
  },
}).handle(async ({ op, principal }) => {
  const orgs = await listOrgs(op, { memberId: principal.memberId, sessionId: principal.sessionId ?? null })
  return {
    status: 200,
    body: {
      orgs: orgs.map(({ id, name, plan, role, isCurrent }) => ({ id, name, plan, role, is_current: isCurrent })),
    },
  }
})

export const getOrgRoute = defineRoute({
  method: 'get',
  path: '/v1/orgs/{id}',
  operationId: 'getOrg',
  group: 'orgs',
  summary: 'Show an organisation',
  auth: 'key',
  scope: 'team:read',
  namespace: 'refused',
  params: OrgPath,
  answers: { 200: envelope('The organisation', GetOrgAnswer) },
  errors: ['not_found', 'forbidden'],
}).handle(async ({ op, principal, params }) => {
  const org = await requireOrgRole(op, op, { orgId: params.id, callerId: principal.memberId, role: 'viewer' })
  return { status: 200, body: { org: await presentOrg(op, org) } }
})

export const changeOrgRoute = defineRoute({
  method: 'patch',
  path: '/v1/orgs/{id}',
  operationId: 'changeOrg',
  group: 'orgs',
  summary: 'Rename the organisation',
  description:
    'The name is unique in the service, and deleting the account requires typing it. Plan and seats follow from billing; values in the body are ignored.',
  auth: 'key',
  scope: 'team:admin',
  namespace: 'refused',
  stores: 'bounded',
  params: OrgPath,
  body: ChangeOrgBody,
  answers: { 200: envelope('The organisation', ChangeOrgAnswer) },
  errors: ['no_fields', 'not_found', 'forbidden', 'duplicate'],
}).handle(async ({ op, principal, params, body }) => {
  const caller = { orgId: params.id, callerId: principal.memberId }
  await renameOrg(op, { ...caller, name: body.name })
  const org = await requireOrgRole(op, op, { ...caller, role: 'viewer' })
  return { status: 200, body: { org: await presentOrg(op, org) } }
})
