import { sql } from 'kysely'
import { randomBytes } from 'node:crypto'
import { openMacKey, type MacKey } from '../../../core/kernel/json/mac.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { rootOf, type Database } from '../../kernel/database.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import { service } from '../../kernel/queries/service.ts'
import type { SecretScope } from '../../kernel/secrets/secret-box.ts'

/** The keys of the audit ledger: the current one, and all by id. */
export interface AuditKeys {
  readonly current: MacKey
  readonly all: ReadonlyMap<string, MacKey>
}

const keysOf = new WeakMap<Database, AuditKeys>()

/**
 * Returns the cached keys of the ledger. An entry under an unknown key makes it read them again: another process may
 * have begun to use a new one.
 */
export async function auditKeys(db: Database, from: Reader): Promise<AuditKeys> {
  return keysOf.get(rootOf(db)) ?? (await readAuditKeys(db, from))
}

/** Reads the ledger's keys, through the caller's transaction: the pool might have no second connection. */
export async function readAuditKeys(db: Database, from: Reader): Promise<AuditKeys> {
  const rows = await from.read((q) =>
    q
      .selectFrom('service_secrets')
      .select(['id', 'sealed_secret as sealed'])
      .where('purpose', '=', 'audit')
      .orderBy('created_at')
      .orderBy('id'),
  )
  const keys = rows.map(({ id, sealed }) => openMacKey(id, db.secrets.open(sealed, scopeOf(id))))
  const current = keys.at(-1)
  if (current === undefined) throw new Error('the database has no audit key: it was not migrated')
  const opened = { current, all: new Map(keys.map((key) => [key.keyId, key])) }
  keysOf.set(rootOf(db), opened)
  return opened
}

/** Makes the ledger's first key when there is none. Part of bringing the schema up to date, one process at a time. */
export async function ensureAuditKey(db: Database): Promise<void> {
  const why = 'the ledger of every tenant is chained under it'
  const known = await service.read(db, why, (q) =>
    q.selectFrom('service_secrets').select('id').where('purpose', '=', 'audit').limit(1),
  )
  if (known.length > 0) return
  const id = newId('aud')
  const sealed = db.secrets.seal(randomBytes(32), scopeOf(id))
  await service.write(db, why, async (tx) => {
    await tx.q
      .insertInto('service_secrets')
      .values({ id, purpose: 'audit', sealed_secret: Buffer.from(sealed), created_at: sql<Date>`now()` })
      .execute()
  })
}

function scopeOf(id: string): SecretScope {
  return { owner: 'service', id, purpose: 'audit' }
}
