import { z } from 'zod'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { requireScope } from '../../../db/kernel/operation.ts'
import { listSessions } from '../../../db/accounts/sessions/list-sessions.ts'
import { revokeSession } from '../../../db/accounts/sessions/revoke-session.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import {
  ListSessionsAnswer,
  RevokeSessionAnswer,
  SessionId,
} from '../../../core/accounts/wire/identity/session-list.ts'
import { defineRoute } from '../services.ts'

export const listSessionsRoute = defineRoute({
  method: 'get',
  path: '/v1/account/sessions',
  operationId: 'listSessions',
  group: 'accounts',
  summary: 'List the active browser sessions',
  description:
    'The sessions of the caller; for callers with every permission, the sessions of all members. Last used first.',
  auth: 'key',
  scope: 'account:read',
  namespace: 'refused',
  answers: {
    200: envelope('The sessions', ListSessionsAnswer),
  },
}).handle(async ({ services, op, principal }) => {
  const sessions = await listSessions(op, { memberId: reachOf(principal), limit: services.limits.sessions_listed })
  return {
    status: 200,
    body: {
      sessions: sessions.map((session) => ({
        id: session.id,
        member_id: session.memberId,
        auth_method: session.authMethod,
        created_at: session.createdAt.toISOString(),
        last_seen_at: session.lastSeenAt.toISOString(),
        expires_at: session.expiresAt.toISOString(),
        ip: session.ip,
        user_agent: session.userAgent,
        is_current: session.id === principal.sessionId,
      })),
    },
  }
})

export const revokeSessionRoute = defineRoute({
  method: 'delete',
  path: '/v1/account/sessions/{id}',
  operationId: 'revokeSession',
  group: 'accounts',
  summary: 'End a browser session',
  description:
    'The session ends immediately, on every process. Ending it twice changes nothing. Members can end their own sessions from any of their sessions; a key needs the scope `account:write`.',
  auth: 'key',
  scope: 'account:read',
  namespace: 'refused',
  params: z.object({ id: SessionId }),
  answers: { 200: envelope('The session has ended', RevokeSessionAnswer) },
}).handle(async ({ services, op, params, principal }) => {
  // A member may end their own sessions whatever their role, for example after losing a laptop.
  if (principal.kind !== 'member') requireScope(op, 'account:write')
  await revokeSession(op, { sessionId: params.id, memberId: reachOf(principal) })
  services.sessions.forget(params.id)
  return { status: 200, body: { id: params.id } }
})

/** The member whose sessions a caller reaches; undefined for those of all members. */
function reachOf({ scopes, memberId }: Principal): string | null | undefined {
  return scopes.includes('*') ? undefined : memberId
}
