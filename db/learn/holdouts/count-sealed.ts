import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { SealedRows } from '../../../core/compile/ports.ts'
import { rowKeys, type RowKeying } from '../../../core/learn/holdout/row-key.ts'
import type { Operation } from '../../kernel/operation.ts'
import { serviceKey } from '../../kernel/secrets/service-secrets.ts'
import { rekeyHoldouts } from './rekey-holdouts.ts'

/** Rows that are looked up at once, and hashed in one turn of the event loop. */
const BATCH = 1000

/** The sealed rows of all holdouts, for those who take examples. */
export const sealedRows: SealedRows<Operation> = {
  async count(op, inputs) {
    if (!(await hasSealed(op))) return 0
    await rekeyHoldouts(op)
    const { secret } = await serviceKey(op.db, 'fingerprint', op.db)
    let count = 0
    let keys: (readonly Buffer[])[] = []
    for await (const input of inputs) {
      keys.push(rowKeys(secret, op.tenantId, input))
      if (keys.length < BATCH) continue
      count += await countKeys(op, keys)
      keys = []
      await turn()
    }
    return count + (keys.length === 0 ? 0 : await countKeys(op, keys))
  },
}

/** The means to make keys of rows elsewhere, such as in a thread; null while the tenant has no sealed row. */
export async function sealedKeying(op: Operation): Promise<RowKeying | null> {
  if (!(await hasSealed(op))) return null
  await rekeyHoldouts(op)
  const { secret } = await serviceKey(op.db, 'fingerprint', op.db)
  return { secret, tenantId: op.tenantId }
}

/** Returns how many of some rows are sealed, each by its keys in hexadecimal. */
export async function countSealedKeys(op: Operation, rows: readonly (readonly string[])[]): Promise<number> {
  let count = 0
  for (let from = 0; from < rows.length; from += BATCH) {
    const some = rows.slice(from, from + BATCH).map((keys) => keys.map((key) => Buffer.from(key, 'hex')))
    count += await countKeys(op, some)
  }
  return count
}

/** By the keys, which no namespace hides: a bound key must not train on the sealed rows of another namespace. */
async function hasSealed(op: Operation): Promise<boolean> {
  const found = await op.read((q) =>
    q
      .selectFrom('holdout_rows')
      .select('corpus_id')
      .where('tenant_id', '=', op.tenantId)
      .where('is_sealed', '=', true)
      .limit(1),
  )
  return found.length > 0
}

/** Returns how many of some rows, each by its keys, are sealed. */
async function countKeys(op: Operation, rows: readonly (readonly Buffer[])[]): Promise<number> {
  const found = await op.read((q) =>
    q
      .selectFrom('holdout_rows')
      .select('row_key as key')
      .distinct()
      .where('tenant_id', '=', op.tenantId)
      .where('is_sealed', '=', true)
      .where(sql<boolean>`row_key = any(${rows.flat()}::bytea[])`),
  )
  const known = new Set(found.map(({ key }) => key.toString('hex')))
  return rows.filter((keys) => keys.some((key) => known.has(key.toString('hex')))).length
}
