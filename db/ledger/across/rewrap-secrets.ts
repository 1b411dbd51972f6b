import { newId } from '../../../core/kernel/ids.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Database } from '../../kernel/database.ts'
import { OPERATOR_TENANT_ID, systemOperation } from '../../kernel/operation.ts'
import { service } from '../../kernel/queries/service.ts'
import { raw } from '../../kernel/queries/typed.ts'
import { SEALED_COLUMNS, type SealedColumn, type SealedRow } from './sealed-columns.ts'

/** Result of a rotation of the master key. */
export interface Rewrapped {
  /** Secrets now under the current master key. */
  readonly rewrapped: number
  /** Secrets that no known master key opens; they stay unchanged. */
  readonly unreadable: number
  /** False when it was stopped before the end. */
  readonly isComplete: boolean
}

const BATCH = 200
const WHY = 'one master key seals the secrets of all tenants'

/** The first bytes of a value sealed under the current key: format 2 and the id of the key. */
const UNDER_OTHER_KEY = (column: string): string =>
  `${column} is not null and substring(${column} from 1 for 9) <> '\\x02'::bytea || $1::bytea`

/**
 * Seals every lasting secret at rest under the current master key, batch by batch. A secret that changes meanwhile is
 * skipped: the change sealed it under the current key. It may be stopped between any two batches, by `signal` or by a
 * kill, and resumes from there; two concurrent runs are harmless. The operator's ledger records its completion.
 */
export async function rewrapSecrets(
  db: Database,
  options: { readonly signal: AbortSignal; readonly now: () => Date; readonly batch?: number },
): Promise<Rewrapped> {
  let rewrapped = 0
  let unreadable = 0
  for (const column of SEALED_COLUMNS.filter(({ isPassing }) => !isPassing)) {
    for (let after = ''; ;) {
      if (options.signal.aborted) return { rewrapped, unreadable, isComplete: false }
      const rows = await readBatch(db, column, after, options.batch ?? BATCH)
      for (const row of rows) {
        const outcome = await rewrapRow(db, column, row)
        if (outcome === 'unreadable') unreadable++
        if (outcome === 'rewrapped') rewrapped++
      }
      const last = rows.at(-1)
      if (last === undefined) break
      after = last.key
    }
  }
  if (rewrapped > 0) await recordRotation(db, { rewrapped, unreadable }, options.now)
  return { rewrapped, unreadable, isComplete: true }
}

/** Counts the secrets at rest that are not under the current master key. */
export async function countSealedUnderOldKey(db: Database): Promise<number> {
  const counts = SEALED_COLUMNS.map(
    ({ table, column }) => `(select count(*) from ${table} where ${UNDER_OTHER_KEY(column)})`,
  )
  const [row] = await service.read(db, WHY, () =>
    raw<{ old: number }>(`select ${counts.join(' + ')} as old`, [db.secrets.keyId]),
  )
  return row?.old ?? 0
}

async function readBatch(
  db: Database,
  { table, key, column, owner, id, purpose }: SealedColumn,
  after: string,
  limit: number,
): Promise<readonly SealedRow[]> {
  return await service.read(db, WHY, () =>
    raw<SealedRow>(
      `select ${key} as key, ${owner} as owner, ${id} as id, ${purpose} as purpose, ${column} as sealed from ${table}
     where ${UNDER_OTHER_KEY(column)} and ${key} > $2 order by ${key} limit $3`,
      [db.secrets.keyId, after, limit],
    ),
  )
}

async function rewrapRow(
  db: Database,
  { table, key, column }: SealedColumn,
  row: SealedRow,
): Promise<'rewrapped' | 'unreadable' | 'unchanged'> {
  let sealed: Uint8Array | null
  try {
    sealed = db.secrets.rewrap(row.sealed, row)
  } catch {
    db.warn(`a secret in ${table}.${column} opens under no known master key`)
    return 'unreadable'
  }
  if (sealed === null) return 'unchanged'
  const value = sealed
  const changed = await service.write(
    db,
    WHY,
    async (tx) =>
      await tx.query(`update ${table} set ${column} = $3 where ${key} = $1 and ${column} = $2 returning 1`, [
        row.key,
        row.sealed,
        value,
      ]),
  )
  return changed.length === 1 ? 'rewrapped' : 'unchanged'
}

async function recordRotation(
  db: Database,
  payload: { readonly rewrapped: number; readonly unreadable: number },
  now: () => Date,
): Promise<void> {
  const op = systemOperation(db, { tenantId: OPERATOR_TENANT_ID, name: 'housekeeping', requestId: newId('req'), now })
  await op.write(async (tx) => {
    await recordAudit(tx, op, {
      action: 'master_key.rotated',
      target: Buffer.from(db.secrets.keyId).toString('hex'),
      payload: { ...payload },
    })
  })
}
