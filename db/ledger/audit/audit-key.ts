import { randomBytes } from 'node:crypto'
import { openMacKey, type MacKey } from '../../../core/kernel/mac.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { rootOf, type Database, type SqlRunner } from '../../kernel/database.ts'
import type { SecretScope } from '../../kernel/secrets/secret-box.ts'

/** The keys of the audit ledger: the one that new entries are chained with, and all by id. */
export interface AuditKeys {
  readonly current: MacKey
  readonly all: ReadonlyMap<string, MacKey>
}

const keysOf = new WeakMap<Database, AuditKeys>()

/**
 * The ledger's keys, kept once they were read. Whoever meets an entry under a key that is not among them reads them
 * again: another process may have begun to use a new one.
 */
export async function auditKeys(db: Database, sql: SqlRunner): Promise<AuditKeys> {
  return keysOf.get(rootOf(db)) ?? (await readAuditKeys(db, sql))
}

/**
 * Reads the ledger's keys, through the caller's transaction: a second connection could be one that the pool does not
 * have.
 */
export async function readAuditKeys(db: Database, sql: SqlRunner): Promise<AuditKeys> {
  const rows = await sql.query<{ id: string; sealed: Uint8Array }>(
    `select id, sealed_secret as sealed from service_secrets where purpose = 'audit' order by created_at, id`,
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
  const [known] = await db.query(`select 1 from service_secrets where purpose = 'audit' limit 1`)
  if (known !== undefined) return
  const id = newId('aud')
  await db.query(
    `insert into service_secrets (id, purpose, sealed_secret, created_at) values ($1, 'audit', $2, now())`,
    [id, db.secrets.seal(randomBytes(32), scopeOf(id))],
  )
}

function scopeOf(id: string): SecretScope {
  return { owner: 'service', id, purpose: 'audit' }
}
