import type { PlanId } from '../../../../core/kernel/tenant/plans.ts'
import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'
import type { KeyKind, ScryptParameters } from '../../keys/api-key.ts'

/** A key in force, with the data to check its secret. */
export interface StoredKey {
  readonly keyId: string
  readonly tenantId: string
  readonly plan: PlanId
  /** Overrides the plan's units per month. */
  readonly quota: number | null
  readonly kind: KeyKind
  readonly memberId: string | null
  readonly teamId: string | null
  readonly scopes: readonly string[]
  readonly salt: Uint8Array
  readonly hash: Uint8Array
  readonly scrypt: ScryptParameters
  /** When it ends: at its own end or at that of an anonymous workspace. */
  readonly expiresAt: Date | null
}

/** Looks up a key by its public part. Keys of deleted tenants and of deactivated members do not count. */
export async function findStoredKey(db: Database, lookupId: string): Promise<StoredKey | null> {
  const [row] = await service.read(db, 'a key says which tenant calls', (q) =>
    q
      .selectFrom('api_keys as k')
      .innerJoin('tenants as t', 't.id', 'k.tenant_id')
      .leftJoin('members as m', 'm.id', 'k.member_id')
      .select((of) => [
        'k.id as keyId',
        'k.tenant_id as tenantId',
        't.plan',
        't.quota_override as quota',
        'k.kind',
        'k.member_id as memberId',
        'k.team_id as teamId',
        'k.scopes',
        'k.salt',
        'k.hash',
        'k.scrypt',
        of.fn<Date | null>('least', ['k.expires_at', 't.expires_at']).as('expiresAt'),
      ])
      .where('k.lookup_id', '=', lookupId)
      .where('k.revoked_at', 'is', null)
      .where((of) =>
        of.or([
          of('t.deleted_at', 'is', null),
          // The token of an expired workspace still resolves, for its own error.
          of.and([
            of('t.kind', '=', 'anonymous'),
            of('t.claimed_into', 'is', null),
            of('t.expires_at', 'is not', null),
          ]),
        ]),
      )
      .where((of) => of.or([of('m.id', 'is', null), of('m.state', '=', 'active')])),
  )
  return row ?? null
}
