import type { ChainHead } from '../../../../core/ledger/chain/ledger.ts'
import type { Limits } from '../../../../core/kernel/limits.ts'
import type { Database } from '../../../kernel/database.ts'
import { addCheckpoint } from '../add-checkpoint.ts'
import { pruneAudit } from './prune-audit.ts'
import { cutoffRows, cutoffsAt, cutoffValues, keptPlanOf } from './retention.ts'
import { settleLedger } from '../chain/settle.ts'

/** Entries that have waited for this long were left behind by a process that died. */
const LEFT_MS = 10_000
/** A chain that grows gets a checkpoint at least this often. */
const CHECKPOINT_MS = 3_600_000
/** Tenants that are looked up at once. */
const TENANTS = 200

/** What the chores of the ledgers work with. */
export interface KeepLedgersInput {
  readonly now: () => Date
  readonly signal: AbortSignal
}

/** Chains what processes left waiting that died. Answers of how many tenants. */
export async function chainLeftovers(db: Database, { now, signal }: KeepLedgersInput): Promise<number> {
  const before = new Date(now().getTime() - LEFT_MS)
  return await eachTenant(
    signal,
    async (afterId) =>
      await db.query<{ tenantId: string }>(
        `select distinct tenant_id as "tenantId" from audit_pending where tenant_id > $1 and at < $2
         order by 1 limit ${TENANTS}`,
        [afterId, before],
      ),
    async ({ tenantId }) => {
      await settleLedger(db, { tenantId, now })
    },
  )
}

/** Signs the end of every chain that has grown and has no checkpoint of the last hour. Answers how many. */
export async function signGrownChains(db: Database, { now, signal }: KeepLedgersInput): Promise<number> {
  const before = new Date(now().getTime() - CHECKPOINT_MS)
  return await eachTenant(
    signal,
    async (afterId) =>
      await db.query<ChainHead & { readonly tenantId: string }>(
        `select head.tenant_id as "tenantId", head.seq, head.hash as event_hash
         from audit_heads head
         left join lateral (
           select seq, at from audit_checkpoints where tenant_id = head.tenant_id order by seq desc limit 1) last on true
         where head.tenant_id > $1 and head.seq > coalesce(last.seq, 0) and coalesce(last.at < $2, true)
         order by head.tenant_id limit ${TENANTS}`,
        [afterId, before],
      ),
    async ({ tenantId, ...head }) => {
      await addCheckpoint(db, { tenantId, head, now: now() })
    },
  )
}

/** Removes the entries whose time is over, see `pruneAudit`. Answers how many. */
export async function pruneLedgers(
  db: Database,
  { now, signal, limits, requestId }: KeepLedgersInput & { readonly limits: Limits; readonly requestId: string },
): Promise<number> {
  const cutoffs = cutoffsAt(now(), limits)
  let removed = 0
  await eachTenant(
    signal,
    // The oldest checkpoint that is there decides: what comes behind it cannot go before it.
    async (afterId) =>
      await db.query<{ tenantId: string }>(
        `with cutoffs as (select * from ${cutoffRows(2)})
         select t.id as "tenantId"
         from tenants t
         cross join lateral (
           select at, plan from audit_checkpoints where tenant_id = t.id and pruned_through_at is null
           order by seq limit 1) oldest
         join cutoffs own on own.plan = oldest.plan
         join cutoffs held on held.plan = ${keptPlanOf('t')}
         where t.id > $1 and oldest.at < least(own.before, held.before)
         order by t.id limit ${TENANTS}`,
        [afterId, ...cutoffValues(cutoffs)],
      ),
    async ({ tenantId }) => {
      for (let some = 1; some > 0 && !signal.aborted; removed += some) {
        some = await pruneAudit(db, { tenantId, cutoffs, requestId, now })
      }
    },
  )
  return removed
}

/**
 * Works on page after page of tenants, in the order of their ids, and answers how many there were. A ledger that fails
 * keeps nobody else's from its turn: what failed is thrown in the end, all of it.
 */
async function eachTenant<Row extends { readonly tenantId: string }>(
  signal: AbortSignal,
  readPage: (afterId: string) => Promise<readonly Row[]>,
  work: (row: Row) => Promise<void>,
): Promise<number> {
  const failures: unknown[] = []
  let count = 0
  for (let afterId = ''; !signal.aborted;) {
    const rows = await readPage(afterId)
    for (const row of rows) await work(row).catch((error: unknown) => failures.push(error))
    count += rows.length
    const last = rows.at(-1)
    if (last === undefined || rows.length < TENANTS) break
    afterId = last.tenantId
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of ${count} ledgers failed`)
  return count
}
