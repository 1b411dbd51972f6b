import { LRUCache } from 'lru-cache'
import { boundedBy } from '../../../core/kernel/storage/cache-entries.ts'
import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { tenantOf } from '../../kernel/operation.ts'
import type { Notifications } from '../../kernel/notifications.ts'
import { receiptScope } from '../receipt-secrets/add-secret.ts'

/** A tenant's secret, opened for use. */
export interface LiveReceiptSecret {
  readonly keyId: string
  readonly tenantId: string
  readonly secret: KeyObject
}

/** State of a receipt secret, by its id. */
export type FoundReceiptSecret =
  | { readonly state: 'live'; readonly tenantId: string; readonly secret: KeyObject }
  | { readonly state: 'pruned'; readonly tenantId: string }
  | { readonly state: 'unknown' }

/** The receipt secrets of all tenants, opened on demand and cached. */
export interface ReceiptSecrets {
  /** Returns the secret for a tenant's new receipts. Throws an `Error` for a tenant without one. */
  current(tenantId: string): Promise<LiveReceiptSecret>
  /** Returns the secret that a receipt names. */
  find(keyId: string): Promise<FoundReceiptSecret>
  /** Drops the cached ring of a tenant after a change; other processes are notified a moment later. */
  forget(tenantId: string): void
  close(): void
}

interface SecretRow {
  readonly id: string
  readonly tenantId: string
  readonly state: 'current' | 'previous' | 'pruned'
  readonly sealed: Uint8Array | null
}

const SECRET = ['id', 'tenant_id as tenantId', 'state', 'sealed_secret as sealed'] as const

const MOST = 10_000
/** A lost notification would otherwise leave a rotated secret in use forever. */
const TTL_MS = 300_000

/** Opens the ring. A rotation or a pruning anywhere drops that tenant's cached ring on every process. */
export function createReceiptSecrets(deps: {
  readonly db: Database
  readonly notifications: Notifications
}): ReceiptSecrets {
  const { db, notifications } = deps
  const currents = new LRUCache<string, LiveReceiptSecret>({ ...boundedBy(MOST), ttl: TTL_MS })
  const found = new LRUCache<string, Exclude<FoundReceiptSecret, { state: 'unknown' }>>({
    ...boundedBy(MOST),
    ttl: TTL_MS,
  })
  let generation = 0
  const forget = (tenantId: string) => {
    generation++
    currents.delete(tenantId)
    for (const [keyId, secret] of found.entries()) if (secret.tenantId === tenantId) found.delete(keyId)
  }
  const stops = [
    notifications.on('svc_receipt_secrets', forget),
    notifications.onReconnect(() => {
      generation++
      currents.clear()
      found.clear()
    }),
  ]
  const openRow = (row: SecretRow): KeyObject | null =>
    row.sealed === null ? null : createSecretKey(db.secrets.open(row.sealed, receiptScope(row.tenantId, row.id)))
  return {
    async current(tenantId) {
      const known = currents.get(tenantId)
      if (known !== undefined) return known
      const seen = generation
      const [row] = await tenantOf(db, tenantId).read((q) =>
        q.selectFrom('receipt_secrets').select(SECRET).where('tenant_id', '=', tenantId).where('state', '=', 'current'),
      )
      const secret = row === undefined ? null : openRow(row)
      if (row === undefined || secret === null) throw new Error(`tenant ${tenantId} has no receipt secret`)
      const live = { keyId: row.id, tenantId, secret }
      if (seen === generation) currents.set(tenantId, live)
      return live
    },
    async find(keyId) {
      const known = found.get(keyId)
      if (known !== undefined) return known
      const seen = generation
      const [row] = await service.read(db, 'a receipt names its secret, and that its tenant', (q) =>
        q.selectFrom('receipt_secrets').select(SECRET).where('id', '=', keyId),
      )
      if (row === undefined) return { state: 'unknown' }
      const secret = openRow(row)
      const { tenantId } = row
      const answer =
        secret === null ? ({ state: 'pruned', tenantId } as const) : ({ state: 'live', tenantId, secret } as const)
      if (seen === generation) found.set(keyId, answer)
      return answer
    },
    forget,
    close() {
      for (const stop of stops) stop()
      currents.clear()
      found.clear()
    },
  }
}
