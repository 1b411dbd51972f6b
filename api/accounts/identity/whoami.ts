import { envelope } from '../../kernel/reply/answers.ts'
import { WhoAmIAnswer } from '../../../core/accounts/wire/identity/whoami.ts'
import { defineRoute } from '../services.ts'

export const whoAmIRoute = defineRoute({
  method: 'get',
  path: '/v1/whoami',
  operationId: 'whoAmI',
  group: 'accounts',
  summary: 'Show the owner of the credential',
  description: 'Answered from memory, without reading the database.',
  auth: 'key',
  scope: 'account:read',
  namespace: 'none: it names the caller, and nothing else of the tenant',
  answers: {
    200: envelope('The caller', WhoAmIAnswer),
  },
}).handle(async ({ principal }) => ({
  status: 200,
  body: {
    tenant_id: principal.tenantId,
    plan: principal.plan,
    kind: principal.kind,
    key_id: principal.keyId,
    member_id: principal.memberId,
    team_id: principal.teamId,
    session_id: principal.sessionId ?? null,
    scopes: [...principal.scopes],
  },
}))
