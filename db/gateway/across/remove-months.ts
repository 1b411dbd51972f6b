import { sql } from 'kysely'
import { signCaptures } from '../../../core/gateway/captures/check-captures.ts'
import { firstTimedId } from '../../../core/kernel/ids.ts'
import type { SigningKey } from '../../../core/ledger/keys/signing-key.ts'
import type { Database } from '../../kernel/database.ts'
import { service, type ServiceTransaction } from '../../kernel/queries/service.ts'
import { json, list, raw, unnest } from '../../kernel/queries/typed.ts'
import { enterMonths, LOCK_MS, monthOf, nameOf, SCHEMA, TABLES } from './capture-months.ts'

const WHY = 'partitions belong to no tenant'
const DAY_MS = 86_400_000

/** The ids of a month. */
interface MonthIds {
  readonly first: string
  /** The first id of the next month. */
  readonly end: string
}

/** The bytes of a tenant's contents in a month, and the tenant's newest position when they were summed. */
interface MonthSum {
  readonly tenantId: string
  readonly bytes: number
  readonly position: number
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
    await removeMonth(db, from, now, signer)
    removed++
  }
  return removed
}

/**
 * Removes a month. All that takes long runs before the first lock of a row: commits wait only while the chains are cut and
 * the tables are dropped. Locks tenants, chains and tables in the order in which commits lock them.
 */
async function removeMonth(db: Database, from: Date, now: Date, signer: SigningKey): Promise<void> {
  const ids: MonthIds = { first: firstTimedId('cap', from), end: firstTimedId('cap', monthOf(from, 1)) }
  await service.write(db, WHY, async (tx) => {
    await tx.q
      .deleteFrom('capture_media')
      .where('capture_id', '>=', ids.first)
      .where('capture_id', '<', ids.end)
      .execute()
    await tx.q
      .deleteFrom('copyright_flags')
      .where('capture_id', '>=', ids.first)
      .where('capture_id', '<', ids.end)
      .execute()
  })
  await service.write(db, WHY, async (tx) => {
    // Forgetting waits for this lock, so it changes no sum.
    await enterMonths(tx)
    const sums = await sumBytes(tx, ids)
    await tx.send(raw(`set local lock_timeout = ${LOCK_MS}`))
    // Of all tenants at once: dropping the tables locks out their commits as well.
    await tx.send(raw('lock table capture_heads in exclusive mode'))
    await cutChains(tx, { ids, now, signer })
    await returnBytes(tx, sums, ids)
    for (const table of TABLES) await tx.send(raw(`drop table if exists ${SCHEMA}."${table}_${nameOf(from)}"`))
  })
}

/** Signs the chains of a month's rows at the last of them, which their later rows are checked from. */
async function cutChains(
  tx: ServiceTransaction,
  { ids, now, signer }: { readonly ids: MonthIds; readonly now: Date; readonly signer: SigningKey },
): Promise<void> {
  const cuts = await tx.q
    .selectFrom('capture_chains as k')
    .innerJoinLateral(
      (of) =>
        of
          .selectFrom('captures')
          .select(['seq', 'chain_hash as hash'])
          .whereRef('chain_id', '=', 'k.id')
          .where('id', '>=', ids.first)
          .where('id', '<', ids.end)
          .orderBy('seq', 'desc')
          .limit(1)
          .as('last'),
      (on) => on.onTrue(),
    )
    .select(['k.id', 'k.tenant_id as tenantId', 'k.namespace', 'k.begun_for as begunFor', 'last.seq', 'last.hash'])
    .whereRef('last.seq', '>', 'k.cut_through')
    .orderBy('k.id')
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
}

/** Sums the bytes of a month's contents by tenant, from one snapshot, and locks no row. */
async function sumBytes(tx: ServiceTransaction, { first, end }: MonthIds): Promise<readonly MonthSum[]> {
  return await tx.q
    .with('sums', (q) =>
      q
        .selectFrom('capture_contents')
        .select((of) => ['tenant_id', of.fn.sum<number>('inline_bytes').as('bytes')])
        .where('id', '>=', first)
        .where('id', '<', end)
        .groupBy('tenant_id'),
    )
    .selectFrom('capture_heads as h')
    .leftJoin('sums as s', 's.tenant_id', 'h.tenant_id')
    .select(['h.tenant_id as tenantId', 'h.position', sql<number>`coalesce(s.bytes, 0)::bigint`.as('bytes')])
    .where((of) =>
      of.exists(
        of
          .selectFrom('captures as c')
          .select('c.id')
          .whereRef('c.tenant_id', '=', 'h.tenant_id')
          .where('c.id', '>=', first)
          .where('c.id', '<', end),
      ),
    )
    .execute()
}

/**
 * Takes the bytes of a month's contents from the counts of their tenants: the sums, and those of captures at later positions,
 * which were committed into the month or merged from a workspace since.
 */
async function returnBytes(tx: ServiceTransaction, sums: readonly MonthSum[], { first, end }: MonthIds): Promise<void> {
  const summed = unnest('s', {
    tenant_id: list(
      'text',
      sums.map(({ tenantId }) => tenantId),
    ),
    bytes: list(
      'bigint',
      sums.map(({ bytes }) => bytes),
    ),
    position: list(
      'bigint',
      sums.map(({ position }) => position),
    ),
  })
  // Statistics do not show that few captures are late.
  await tx.send(raw('set local enable_seqscan = off'))
  await tx.q
    .with('gone', (q) =>
      q
        .selectFrom('capture_heads as h')
        .leftJoin(summed, 's.tenant_id', 'h.tenant_id')
        .select('h.tenant_id')
        .select((of) => {
          const late = of
            .selectFrom('captures as c')
            .select((row) => {
              const content = row
                .selectFrom('capture_contents as x')
                .select('x.inline_bytes')
                .whereRef('x.id', '=', 'c.id')
                .where('x.id', '>=', first)
                .where('x.id', '<', end)
              return sql<number>`sum(${content})`.as('bytes')
            })
            .whereRef('c.tenant_id', '=', 'h.tenant_id')
            .where('c.position', '>', sql<number>`coalesce(s.position, 0)`)
            .where('c.id', '>=', first)
            .where('c.id', '<', end)
          return sql<number>`coalesce(s.bytes, 0) + coalesce(${late}, 0)`.as('bytes')
        }),
    )
    .updateTable('capture_heads as h')
    .from('gone')
    .set({ inline_bytes: sql<number>`greatest(h.inline_bytes - gone.bytes, 0)` })
    .whereRef('h.tenant_id', '=', 'gone.tenant_id')
    .where('gone.bytes', '>', 0)
    .execute()
}

async function partitionsOf(db: Database, table: string): Promise<readonly string[]> {
  const rows = await service.read(db, WHY, () =>
    raw<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass`,
      [table],
    ),
  )
  return rows.map(({ name }) => name)
}
