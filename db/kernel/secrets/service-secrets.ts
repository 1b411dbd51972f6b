import { randomBytes } from 'node:crypto'
import { openMacKey, type MacKey } from '../../../core/kernel/mac.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { rootOf, type Database, type SqlRunner } from '../database.ts'
import type { SecretScope } from './secret-box.ts'

/** Keys that the service makes for itself, one of each; the ledger has a file of its own, see `audit-key.ts`. */
export const SERVICE_PURPOSES = ['fingerprint', 'share'] as const
/** What one of them is for. */
export type ServicePurpose = (typeof SERVICE_PURPOSES)[number]

const keysOf = new WeakMap<Database, Map<ServicePurpose, MacKey>>()

/** A key of the service, opened once per open database, through the caller's transaction where there is one. */
export async function serviceKey(given: Database, purpose: ServicePurpose, sql: SqlRunner): Promise<MacKey> {
  const db = rootOf(given)
  const known = keysOf.get(db) ?? new Map<ServicePurpose, MacKey>()
  keysOf.set(db, known)
  const opened = known.get(purpose)
  if (opened !== undefined) return opened
  const [row] = await sql.query<{ id: string; sealed: Uint8Array }>(
    `select id, sealed_secret as sealed from service_secrets where purpose = $1 order by created_at, id limit 1`,
    [purpose],
  )
  if (row === undefined) throw new Error(`the database has no ${purpose} key: it was not migrated`)
  const key = openMacKey(row.id, db.secrets.open(row.sealed, scopeOf(purpose, row.id)))
  known.set(purpose, key)
  return key
}

/** Makes those that are not there yet. Part of bringing the schema up to date, one process at a time. */
export async function ensureServiceKeys(db: Database): Promise<void> {
  for (const purpose of SERVICE_PURPOSES) {
    const [known] = await db.query('select 1 from service_secrets where purpose = $1 limit 1', [purpose])
    if (known !== undefined) continue
    const id = newId('key')
    await db.query('insert into service_secrets (id, purpose, sealed_secret, created_at) values ($1, $2, $3, now())', [
      id,
      purpose,
      db.secrets.seal(randomBytes(32), scopeOf(purpose, id)),
    ])
  }
}

function scopeOf(purpose: ServicePurpose, id: string): SecretScope {
  return { owner: 'service', id, purpose }
}
