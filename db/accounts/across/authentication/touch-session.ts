import { sql } from 'kysely'
import type { Role } from '../../../../core/accounts/roles.ts'
import type { PlanId } from '../../../../core/kernel/tenant/plans.ts'
import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'
import type { KeyKind } from '../../keys/api-key.ts'

/** The end of a session moves at most this often, milliseconds. */
export const TOUCH_MS = 3_600_000

/** A live session, with the source of its rights. */
export interface LiveSession {
  readonly sessionId: string
  readonly tenantId: string
  readonly plan: PlanId
  /** Overrides the plan's units per month. */
  readonly quota: number | null
  readonly keyId: string | null
  readonly kind: KeyKind | null
  readonly memberId: string | null
  readonly role: Role | null
  readonly teamId: string | null
  readonly scopes: readonly string[] | null
  readonly expiresAt: Date
  readonly lastSeenAt: Date
  /** This call moved its end. */
  readonly isExtended: boolean
}

/**
 * Finds the live session of a token's hash, and moves its end to `days` from now when its last move is at least
 * `TOUCH_MS` ago. Null when the session, its tenant, its key or its member has ended. It reads and writes in one statement,
 * since every call of a browser may need it.
 */
export async function touchSession(
  db: Database,
  { hash, at, days }: { readonly hash: Buffer; readonly at: Date; readonly days: number },
): Promise<LiveSession | null> {
  const movedBefore = new Date(at.getTime() - TOUCH_MS)
  const [row] = await service.read(db, 'a session says which tenant calls', (q) =>
    q
      .with('live', (each) =>
        each
          .selectFrom('sessions as s')
          .innerJoin('tenants as t', 't.id', 's.tenant_id')
          .leftJoin('api_keys as k', 'k.id', 's.source_key_id')
          .leftJoin('members as m', (on) => on.on('m.id', '=', (of) => of.fn.coalesce('s.member_id', 'k.member_id')))
          .select((of) => [
            's.id',
            's.tenant_id',
            't.plan',
            't.quota_override',
            'k.id as key_id',
            'k.kind',
            'k.scopes',
            'k.team_id',
            'm.id as member_id',
            'm.role',
            's.expires_at',
            's.last_seen_at',
            of.fn<Date | null>('least', ['k.expires_at', 't.expires_at']).as('others_end'),
          ])
          .where('s.token_hash', '=', hash)
          .where('s.closed_at', 'is', null)
          .where('s.expires_at', '>', at)
          .where('s.ends_at', '>', at)
          .where('t.deleted_at', 'is', null)
          .where((of) => of.or([of('t.expires_at', 'is', null), of('t.expires_at', '>', at)]))
          .where((of) =>
            of.or([
              of('s.source_key_id', 'is', null),
              of.and([
                of('k.revoked_at', 'is', null),
                of.or([of('k.expires_at', 'is', null), of('k.expires_at', '>', at)]),
              ]),
            ]),
          )
          .where((of) =>
            of.or([
              of('m.state', '=', 'active'),
              of.and([of('m.id', 'is', null), of('s.source_key_id', 'is not', null)]),
            ]),
          ),
      )
      .with('extended', (each) =>
        each
          .updateTable('sessions as s')
          .from('live')
          .set({
            last_seen_at: at,
            expires_at: sql<Date>`least(${at}::timestamptz + make_interval(days => ${days}), s.ends_at)`,
          })
          .whereRef('s.id', '=', 'live.id')
          .where('live.last_seen_at', '<=', movedBefore)
          .returning(['s.id', 's.expires_at', 's.last_seen_at']),
      )
      .selectFrom('live')
      .leftJoin('extended', 'extended.id', 'live.id')
      .select([
        'live.id as sessionId',
        'live.tenant_id as tenantId',
        'live.plan',
        'live.quota_override as quota',
        'live.key_id as keyId',
        'live.kind',
        'live.member_id as memberId',
        'live.role',
        'live.team_id as teamId',
        'live.scopes',
        sql<Date>`least(coalesce(extended.expires_at, live.expires_at), live.others_end)`.as('expiresAt'),
        sql<Date>`coalesce(extended.last_seen_at, live.last_seen_at)`.as('lastSeenAt'),
        sql<boolean>`extended.id is not null`.as('isExtended'),
      ]),
  )
  return row ?? null
}
