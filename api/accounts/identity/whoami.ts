import { z } from 'zod'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { Plan } from '../../kernel/schemas/tenant.ts'

export const whoAmIRoute = defineRoute({
  method: 'get',
  path: '/v1/whoami',
  operationId: 'whoAmI',
  group: 'accounts',
  summary: 'Who the credential belongs to',
  description: 'Answered from what the guard knows: nothing is read for it.',
  auth: 'key',
  scope: 'account:read',
  namespace: 'none: it names the caller, and nothing else of the tenant',
  answers: {
    200: envelope(
      'The caller',
      z.object({
        tenant_id: z.string(),
        plan: Plan,
        kind: z.enum(['primary', 'scoped', 'anonymous', 'member', 'scim']).meta({
          description:
            'Kind of the key, or of the key that opened the session; `member` for a session that no key opened',
        }),
        key_id: z.string().nullable(),
        member_id: z.string().nullable(),
        team_id: z.string().nullable(),
        session_id: z.string().nullable(),
        scopes: z.array(z.string()),
      }),
    ),
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
