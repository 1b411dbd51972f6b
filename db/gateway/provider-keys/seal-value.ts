import { createHmac } from 'node:crypto'
import type { MacKey } from '../../../core/kernel/json/mac.ts'
import type { SecretScope } from '../../kernel/secrets/secret-box.ts'

const FINGERPRINT_CHARS = 32
const MOST_SHOWN = 7
/** At most one character in this many may be shown. */
const SHOWN_SHARE = 4

/** Returns the associated data of the seal of a stored value: the tenant, the row and the provider. */
export function providerKeyScope(row: {
  readonly tenantId: string
  readonly id: string
  readonly provider: string
}): SecretScope {
  return { owner: row.tenantId, id: `${row.id}|${row.provider}`, purpose: 'provider' }
}

/**
 * Distinguishes two values of a tenant. Keyed, so that the holder of a leaked key cannot ask whether it is stored here,
 * and bound to the tenant, so that equal values of two tenants look different.
 */
export function fingerprintOf(key: MacKey, tenantId: string, value: string): string {
  const mac = createHmac('sha256', key.secret)
    .update(JSON.stringify([tenantId, value]))
    .digest('hex')
  return mac.slice(0, FINGERPRINT_CHARS)
}

/** Returns the part of a value that may be shown: never more than a quarter of it. */
export function shownBeginning(value: string): string {
  return value.slice(0, Math.min(MOST_SHOWN, Math.floor(value.length / SHOWN_SHARE)))
}
