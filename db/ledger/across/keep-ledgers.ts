import { sql } from 'kysely'
import type { Limits } from '../../../core/ledger/limits.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { addCheckpoint } from '../audit/add-checkpoint.ts'
import { pruneAudit } from '../audit/retention/prune-audit.ts'
import { cutoffTable, cutoffsAt, keptPlanOf } from '../audit/retention/retention.ts'
import { settleLedger } from '../audit/chain/settle.ts'

/** Entries that have waited for this long were left by a dead process. */
const LEFT_MS = 10_000
/** A chain that grows gets a checkpoint at least this often. */
const CHECKPOINT_MS = 3_600_000
/** Tenants that are looked up at once. */
const TENANTS = 200

/** Dependencies of the ledger chores. */
export interface KeepLedgersInput {
  readonly now: () => Date
  readonly signal: AbortSignal
}

/** Chains entries that dead processes left waiting. Returns the number of tenants. */
export async function chainLeftovers(db: Database, { now, signal }: KeepLedgersInput): Promise<number> {
  const before = new Date(now().getTime() - LEFT_MS)
  return await eachTenant(
    signal,
    async (afterId) =>
      await service.read(db, 'finds the ledgers that a dead process left', (q) =>
        q
          .selectFrom('audit_pending')
          .select('tenant_id as tenantId')
          .distinct()
          .where('tenant_id', '>', afterId)
          .where('at', '<', before)
          .orderBy('tenant_id')
          .limit(TENANTS),
      ),
    async ({ tenantId }) => {
      await settleLedger(db, { tenantId, now })
    },
  )
}

/** Signs the head of every chain that has grown and has no checkpoint of the last hour. Returns how many. */
export async function signGrownChains(db: Database, { now, signal }: KeepLedgersInput): Promise<number> {
  const before = new Date(now().getTime() - CHECKPOINT_MS)
  return await eachTenant(
    signal,
    async (afterId) =>
      await service.read(db, 'finds the chains that have grown', (q) =>
        q
          .selectFrom('audit_heads as head')
          .leftJoinLateral(
            (each) =>
              each
                .selectFrom('audit_checkpoints')
                .select(['seq', 'at'])
                .whereRef('tenant_id', '=', 'head.tenant_id')
                .orderBy('seq', 'desc')
                .limit(1)
                .as('last'),
            (join) => join.onTrue(),
          )
          .select(['head.tenant_id as tenantId', 'head.seq', 'head.hash as event_hash'])
          .where('head.tenant_id', '>', afterId)
          .where('head.seq', '>', (of) => of.fn.coalesce('last.seq', sql.lit(0)))
          .where((of) => of.fn.coalesce(of('last.at', '<', before), sql.lit(true)))
          .orderBy('head.tenant_id')
          .limit(TENANTS),
      ),
    async ({ tenantId, ...head }) => {
      await addCheckpoint(db, { tenantId, head, now: now() })
    },
  )
}

/** Removes expired entries, see `pruneAudit`. Returns how many. */
export async function pruneLedgers(
  db: Database,
  { now, signal, limits, requestId }: KeepLedgersInput & { readonly limits: Limits; readonly requestId: string },
): Promise<number> {
  const cutoffs = cutoffsAt(now(), limits)
  let removed = 0
  await eachTenant(
    signal,
    // The oldest checkpoint decides: entries behind it cannot be removed before it.
    async (afterId) =>
      await service.read(db, 'finds the ledgers with expired lines', (q) =>
        q
          .with('cutoffs', (each) => each.selectFrom(cutoffTable(cutoffs)).select(['plan', 'before']))
          .selectFrom('tenants as t')
          .crossJoinLateral((each) =>
            each
              .selectFrom('audit_checkpoints')
              .select(['at', 'plan'])
              .whereRef('tenant_id', '=', 't.id')
              .where('pruned_through_at', 'is', null)
              .orderBy('seq')
              .limit(1)
              .as('oldest'),
          )
          .innerJoin('cutoffs as own', 'own.plan', 'oldest.plan')
          .innerJoin('cutoffs as held', (join) => join.on('held.plan', '=', keptPlanOf('t')))
          .select('t.id as tenantId')
          .where('t.id', '>', afterId)
          .where('oldest.at', '<', sql<Date>`least(own.before, held.before)`)
          .orderBy('t.id')
          .limit(TENANTS),
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
 * Processes tenants page by page, in the order of their ids, and returns how many there were. A failed ledger does not
 * stop the others: all failures are thrown at the end.
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
