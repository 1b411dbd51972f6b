import { nameActors } from '../../../db/accounts/actors/name-actors.ts'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import { requireOrgRole } from '../../../db/accounts/orgs/org-access.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import { OrgPath } from './orgs.ts'
import { ListOrgAuditAnswer } from '../../../core/accounts/wire/orgs/audit.ts'
import { defineRoute } from '../services.ts'

export const listOrgAuditRoute = defineRoute({
  method: 'get',
  path: '/v1/orgs/{id}/audit',
  operationId: 'listOrgAudit',
  group: 'orgs',
  summary: 'List the actions in the organisation',
  description: 'For admins of the organisation. The ledger itself, with its chain, is under /v1/account/audit-log.',
  auth: 'key',
  scope: 'audit:read',
  namespace: 'refused',
  params: OrgPath,
  query: pageOf(50),
  answers: { 200: envelope('Entries, newest first', ListOrgAuditAnswer) },
  errors: ['not_found', 'forbidden', 'invalid_cursor'],
}).handle(async ({ op, principal, params, query }) => {
  await requireOrgRole(op, op, { orgId: params.id, callerId: principal.memberId, role: 'admin' })
  const page = await listAudit(op, query)
  const entries = await nameActors(op, page.items)
  return {
    status: 200,
    body: {
      entries: entries.map((entry) => ({
        id: entry.id,
        seq: entry.seq,
        at: entry.at.toISOString(),
        actor: entry.actor,
        by: entry.by,
        action: entry.action,
        target: entry.target ?? null,
        request_id: entry.requestId,
        payload: entry.payload,
      })),
      next_cursor: page.nextCursor,
    },
  }
})
