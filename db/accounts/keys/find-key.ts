import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Operation } from '../../kernel/operation.ts'
import { KEY_COLUMNS, type ApiKey } from './api-key.ts'

/** Beginning of a key's public part, far enough that it says something. */
const PREFIX = /^ks_([0-9a-hjkmnp-tv-z]{1,12})$/

/** Returns the tenant's newest live primary key, or null. */
export async function findPrimaryKey(op: Operation): Promise<ApiKey | null> {
  const [key] = await op.read((q) =>
    q
      .selectFrom('api_keys')
      .select(KEY_COLUMNS)
      .where('tenant_id', '=', op.tenantId)
      .where('kind', '=', 'primary')
      .where('revoked_at', 'is', null)
      .orderBy('created_at', 'desc')
      .limit(1),
  )
  return key ?? null
}

/** Returns the visible form of a key: its public part, which identifies it and grants nothing. */
export function shownPrefix(key: Pick<ApiKey, 'lookupId'>): string {
  return `ks_${key.lookupId}`
}

/** Returns the tenant's live key whose public part begins like this. Throws `not_found` and `ambiguous_prefix`. */
export async function findByPrefix(op: Operation, prefix: string): Promise<ApiKey> {
  const [, lookup] = PREFIX.exec(prefix) ?? []
  if (lookup === undefined) throw KERNEL_ERRORS.not_found('no such key')
  const [first, second] = await op.read((q) =>
    q
      .selectFrom('api_keys')
      .select(KEY_COLUMNS)
      .where('tenant_id', '=', op.tenantId)
      .where('lookup_id', 'like', `${lookup}%`)
      .where('kind', 'in', ['primary', 'scoped'])
      .where('revoked_at', 'is', null)
      .where((of) => of.or([of('expires_at', 'is', null), of('expires_at', '>', op.now())]))
      .orderBy('lookup_id')
      .limit(2),
  )
  if (first === undefined) throw KERNEL_ERRORS.not_found('no such key')
  if (second !== undefined)
    throw ACCOUNTS_ERRORS.ambiguous_prefix('several keys have this prefix; give more characters')
  return first
}
