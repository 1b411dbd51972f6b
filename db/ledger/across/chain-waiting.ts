import { sql } from 'kysely'
import { CHECKPOINT_EVERY } from '../../../core/ledger/chain/checkpoint.ts'
import type { ChainHead } from '../../../core/ledger/chain/ledger.ts'
import type { Database } from '../../kernel/database.ts'
import { compiled } from '../../kernel/queries/compiled.ts'
import { service, type ServiceTransaction } from '../../kernel/queries/service.ts'
import { enterTenant } from '../../kernel/transaction.ts'
import { auditKeys } from '../audit/audit-key.ts'
import { addCheckpoint } from '../audit/add-checkpoint.ts'
import { insertChained } from '../audit/chain/insert-chained.ts'
import { takeWaiting } from './take-waiting.ts'

/** Entries that are chained in one transaction. */
const BATCH = 500
/** The ids of entries are unique over all ledgers: a row moved to another tenant must be detected. */
const WHY = 'compares the ids of waiting entries with those of all ledgers'

/**
 * Chains every waiting entry of a tenant, in groups: one lock, one insert and one commit for as many as wait. Entries
 * that are committed meanwhile may be left to the next call. Concurrent processes take turns, and one that dies leaves
 * its group waiting.
 */
export async function chainWaiting(db: Database, tenantId: string, now: () => Date): Promise<void> {
  for (;;) {
    const group = await service.write(db, WHY, async (tx) => await chainGroup(tx, db, tenantId))
    if (group === null) return
    // Signed outside of the transaction, so that the head is not locked for it; the schedule repeats a lost signature.
    if (isCheckpointDue(group)) await addCheckpoint(db, { tenantId, head: group.to, now: now() })
    if (group.to.seq - group.from.seq < BATCH) return
  }
}

interface Group {
  readonly from: ChainHead
  readonly to: ChainHead
}

function isCheckpointDue({ from, to }: Group): boolean {
  return Math.floor(from.seq / CHECKPOINT_EVERY) < Math.floor(to.seq / CHECKPOINT_EVERY)
}

const lockHead = compiled((q, { tenantId }: { readonly tenantId: string }) =>
  q
    .selectFrom('audit_heads')
    .select(['seq', 'hash as event_hash'])
    .where('tenant_id', '=', tenantId)
    .where((of) =>
      of.exists(
        of
          .selectFrom('audit_pending')
          .select(sql`1`.as('one'))
          .where('tenant_id', '=', tenantId),
      ),
    )
    .forNoKeyUpdate(),
)

async function chainGroup(tx: ServiceTransaction, db: Database, tenantId: string): Promise<Group | null> {
  // The lock of the head orders the groups of a tenant, in all processes.
  const [from] = await tx.send(lockHead({ tenantId }))
  if (from === undefined) {
    await assertHead(tx, tenantId)
    return null
  }
  const taken = await takeWaiting(tx, db, { tenantId, limit: BATCH })
  if (taken.length === 0) return null
  const keys = await auditKeys(db, tx)
  enterTenant(tx, { tenantId, bounds: null })
  const to = insertChained(tx, keys, { tenantId, from, entries: taken })
  return { from, to }
}

async function assertHead(tx: ServiceTransaction, tenantId: string): Promise<void> {
  const heads = await tx.q.selectFrom('audit_heads').select('tenant_id').where('tenant_id', '=', tenantId).execute()
  if (heads.length === 0) throw new Error(`tenant ${tenantId} has no audit head`)
}
