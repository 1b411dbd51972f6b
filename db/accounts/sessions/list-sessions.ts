import type { Operation } from '../../kernel/operation.ts'
import type { AuthMethod } from './session.ts'

/** A live session, as its owner sees it. */
export interface SessionSummary {
  readonly id: string
  readonly memberId: string | null
  readonly authMethod: AuthMethod
  readonly createdAt: Date
  readonly lastSeenAt: Date
  readonly expiresAt: Date
  readonly ip: string | null
  readonly userAgent: string | null
}

/** The live sessions of one member, or of the whole tenant when `memberId` is undefined; last used first. */
export async function listSessions(
  op: Operation,
  input: { readonly memberId: string | null | undefined; readonly limit: number },
): Promise<readonly SessionSummary[]> {
  const now = op.now()
  return await op.db.query<SessionSummary>(
    `select s.id, coalesce(s.member_id, k.member_id) as "memberId", s.auth_method as "authMethod",
       s.created_at as "createdAt", s.last_seen_at as "lastSeenAt", least(s.expires_at, s.ends_at) as "expiresAt", s.ip,
       s.user_agent as "userAgent"
     from sessions s left join api_keys k on k.id = s.source_key_id
     where s.tenant_id = $1 and s.closed_at is null and s.expires_at > $2 and s.ends_at > $2
       and ($3 or coalesce(s.member_id, k.member_id) is not distinct from $4)
     order by s.last_seen_at desc, s.id desc limit $5`,
    [op.tenantId, now, input.memberId === undefined, input.memberId ?? null, input.limit],
  )
}
