import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { openMacKey, type MacKey } from '../../../core/kernel/json/mac.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { rootOf, type Database } from '../database.ts'
import type { Reader } from '../queries/read.ts'
import { service } from '../queries/service.ts'
import type { SecretScope } from './secret-box.ts'

/** Keys that the service makes for itself, one per purpose; the ledger has its own file, see `audit-key.ts`. */
export const SERVICE_PURPOSES = ['fingerprint', 'share'] as const
/** Purpose of a service secret. */
export type ServicePurpose = (typeof SERVICE_PURPOSES)[number]

const WHY = 'keys of the service belong to no tenant'

const keysOf = new WeakMap<Database, Map<ServicePurpose, MacKey>>()

/** Returns a key of the service, opened once per open database, through the caller's transaction if there is one. */
export async function serviceKey(given: Database, purpose: ServicePurpose, from: Database | Reader): Promise<MacKey> {
  const db = rootOf(given)
  const known = keysOf.get(db) ?? new Map<ServicePurpose, MacKey>()
  keysOf.set(db, known)
  const opened = known.get(purpose)
  if (opened !== undefined) return opened
  const reader = 'read' in from ? from : service.reader(from, WHY)
  const [row] = await reader.read((q) =>
    q
      .selectFrom('service_secrets')
      .select(['id', 'sealed_secret as sealed'])
      .where('purpose', '=', purpose)
      .orderBy('created_at')
      .orderBy('id')
      .limit(1),
  )
  if (row === undefined) throw new Error(`the database has no ${purpose} key: it was not migrated`)
  const key = openMacKey(row.id, db.secrets.open(row.sealed, scopeOf(purpose, row.id)))
  known.set(purpose, key)
  return key
}

/** Makes missing keys. Part of bringing the schema up to date, one process at a time. */
export async function ensureServiceKeys(db: Database): Promise<void> {
  for (const purpose of SERVICE_PURPOSES) {
    const [known] = await service.read(db, WHY, (q) =>
      q.selectFrom('service_secrets').select('id').where('purpose', '=', purpose).limit(1),
    )
    if (known !== undefined) continue
    const id = newId('key')
    const sealed = Buffer.from(db.secrets.seal(randomBytes(32), scopeOf(purpose, id)))
    await service.send(db, WHY, (q) =>
      q.insertInto('service_secrets').values({ id, purpose, sealed_secret: sealed, created_at: sql<Date>`now()` }),
    )
  }
}

function scopeOf(purpose: ServicePurpose, id: string): SecretScope {
  return { owner: 'service', id, purpose }
}
