import { sql } from 'kysely'
import { signCaptures } from '../../../core/gateway/captures/check-captures.ts'
import { firstTimedId } from '../../../core/kernel/ids.ts'
import type { SigningKey } from '../../../core/ledger/keys/signing-key.ts'
import type { Database } from '../../kernel/database.ts'
import { service, type ServiceTransaction } from '../../kernel/queries/service.ts'
import { json, raw } from '../../kernel/queries/typed.ts'
import { lockInTransaction } from '../../kernel/transaction.ts'

/** The tables that are partitioned by month; their partitions are in a schema of their own. */
const TABLES = ['captures', 'capture_contents', 'capture_texts'] as const
const SCHEMA = 'svc_months'
/** Months that have their partitions ahead of time, with this one. */
const MONTHS = 3
const DAY_MS = 86_400_000
const LOCK = 'partitions of captures'
/** Time in which a partition waits for others that use its table: calls are captured meanwhile, and the next tick tries again. */
const LOCK_MS = 2000

/** Makes the partitions of this month and the next two. Returns how many were missing. */
export async function makeMonths(db: Database, now: Date): Promise<number> {
  let made = 0
  for (let ahead = 0; ahead < MONTHS; ahead++) {
    const from = monthOf(now, ahead)
    for (const table of TABLES) {
      if (await isThere(db, `${table}_${nameOf(from)}`)) continue
      await makePartition(db, table, from, monthOf(now, ahead + 1))
      made++
    }
  }
  return made
}

/**
 * Makes a partition and moves the rows into it that the default one took in its place. Both happen in one transaction, so
 * that every row is in the table at any time.
 */
async function makePartition(db: Database, table: (typeof TABLES)[number], from: Date, to: Date): Promise<void> {
  const name = `${SCHEMA}."${table}_${nameOf(from)}"`
  const other = `${SCHEMA}."${table}_other"`
  const [first, end] = [firstTimedId('cap', from), firstTimedId('cap', to)]
  await service.write(db, 'partitions belong to no tenant', async (tx) => {
    await lockInTransaction(tx, LOCK)
    const steps = [
      `set local lock_timeout = ${LOCK_MS}`,
      `create table if not exists ${name} (like ${table} including defaults including constraints including storage)`,
      `lock table ${other} in access exclusive mode`,
      `with moved as (delete from ${other} where id >= '${first}' and id < '${end}' returning *) insert into ${name} select * from moved`,
      `alter table ${table} attach partition ${name} for values from ('${first}') to ('${end}')`,
    ]
    for (const step of steps) await tx.send(raw(step))
  })
}

/**
 * Removes the months whose days are over, oldest first. The chains of their rows are signed at the last one that goes, and
 * begin there from then on. Returns how many months went.
 */
export async function removeMonths(
  db: Database,
  options: { readonly now: Date; readonly keptDays: number; readonly signer: SigningKey; readonly signal: AbortSignal },
): Promise<number> {
  const { now, keptDays, signer, signal } = options
  const before = new Date(now.getTime() - keptDays * DAY_MS)
  const over = (await partitionsOf(db, 'captures'))
    .flatMap((name) => {
      const [, year, month] = /^captures_(\d{4})_(\d{2})$/.exec(name) ?? []
      return year === undefined || month === undefined ? [] : [new Date(Date.UTC(Number(year), Number(month) - 1))]
    })
    .filter((from) => monthOf(from, 1) <= before)
    .toSorted((a, b) => a.getTime() - b.getTime())
  let removed = 0
  for (const from of over) {
    if (signal.aborted) break
    await service.write(db, 'partitions belong to no tenant', async (tx) => {
      await lockInTransaction(tx, LOCK)
      await cutChains(tx, { from, to: monthOf(from, 1), now, signer })
      await tx.send(raw(`set local lock_timeout = ${LOCK_MS}`))
      for (const table of TABLES) await tx.send(raw(`drop table if exists ${SCHEMA}."${table}_${nameOf(from)}"`))
    })
    removed++
  }
  return removed
}

/** Signs the chains of a month's rows at the last of them, which their later rows are checked from. */
async function cutChains(
  tx: ServiceTransaction,
  {
    from,
    to,
    now,
    signer,
  }: { readonly from: Date; readonly to: Date; readonly now: Date; readonly signer: SigningKey },
): Promise<void> {
  const [first, end] = [firstTimedId('cap', from), firstTimedId('cap', to)]
  const cuts = await tx.q
    .selectFrom('captures as c')
    .innerJoin('capture_chains as k', 'k.id', 'c.chain_id')
    .distinctOn('c.chain_id')
    .select([
      'k.id',
      'k.tenant_id as tenantId',
      'k.namespace',
      'k.begun_for as begunFor',
      'c.seq',
      'c.chain_hash as hash',
    ])
    .where('c.id', '>=', first)
    .where('c.id', '<', end)
    .whereRef('c.seq', '>', 'k.cut_through')
    .orderBy('c.chain_id')
    .orderBy('c.seq', 'desc')
    .execute()
  for (const { seq, hash, tenantId, ...chain } of cuts) {
    const document = signCaptures(chain, { count: seq, hash }, now, signer)
    tx.post(
      tx.q
        .insertInto('capture_checkpoints')
        .values({
          chain_id: chain.id,
          count: seq,
          tenant_id: tenantId,
          namespace: chain.namespace,
          at: now,
          document: json(document),
        })
        .onConflict((on) => on.doNothing()),
    )
    tx.post(tx.q.deleteFrom('capture_checkpoints').where('chain_id', '=', chain.id).where('count', '<', seq))
    tx.post(
      tx.q
        .updateTable('capture_chains')
        .set({
          cut_through: seq,
          cut_head: Buffer.from(hash),
          signed_through: sql<number>`greatest(signed_through, ${seq})`,
        })
        .where('id', '=', chain.id),
    )
  }
  tx.post(tx.q.deleteFrom('capture_media').where('capture_id', '>=', first).where('capture_id', '<', end))
  tx.post(tx.q.deleteFrom('copyright_flags').where('capture_id', '>=', first).where('capture_id', '<', end))
}

async function isThere(db: Database, partition: string): Promise<boolean> {
  const [row] = await service.read(db, 'partitions belong to no tenant', (q) =>
    q.selectNoFrom(
      sql<boolean>`coalesce((select relispartition from pg_class where oid = to_regclass(${`${SCHEMA}."${partition}"`})), false)`.as(
        'isThere',
      ),
    ),
  )
  return row?.isThere === true
}

async function partitionsOf(db: Database, table: string): Promise<readonly string[]> {
  const rows = await service.read(db, 'partitions belong to no tenant', () =>
    raw<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass`,
      [table],
    ),
  )
  return rows.map(({ name }) => name)
}

/** The beginning of a month, UTC, some months after that of a time. */
function monthOf(time: Date, ahead: number): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + ahead))
}

function nameOf(month: Date): string {
  return month.toISOString().slice(0, 7).replace('-', '_')
}
