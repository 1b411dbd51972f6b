import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'
import type { AuthMethod } from '../../../core/accounts/auth-methods.ts'

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

/** Lists the live sessions of one member, or of the whole tenant when `memberId` is undefined; last used first. */
export async function listSessions(
  op: Operation,
  input: { readonly memberId: string | null | undefined; readonly limit: number },
): Promise<readonly SessionSummary[]> {
  const now = op.now()
  const { memberId } = input
  return await op.read((q) =>
    q
      .selectFrom('sessions as s')
      .leftJoin('api_keys as k', 'k.id', 's.source_key_id')
      .select((of) => [
        's.id',
        of.fn.coalesce('s.member_id', 'k.member_id').as('memberId'),
        's.auth_method as authMethod',
        's.created_at as createdAt',
        's.last_seen_at as lastSeenAt',
        of.fn<Date>('least', ['s.expires_at', 's.ends_at']).as('expiresAt'),
        's.ip',
        's.user_agent as userAgent',
      ])
      .where('s.tenant_id', '=', op.tenantId)
      .where('s.closed_at', 'is', null)
      .where('s.expires_at', '>', now)
      .where('s.ends_at', '>', now)
      .$if(memberId !== undefined, (all) =>
        all.where(sql<boolean>`coalesce(s.member_id, k.member_id) is not distinct from ${memberId}`),
      )
      .orderBy('s.last_seen_at', 'desc')
      .orderBy('s.id', 'desc')
      .limit(input.limit),
  )
}
