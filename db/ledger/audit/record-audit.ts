import type { AuditAction } from '../../../core/actions.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { describeActor, type Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { settleLedger } from './chain/settle.ts'
import { insertWaiting } from './chain/wait-for-chain.ts'

/** An action for the tenant's ledger. No secret, no content: ids and figures. */
export interface NewAuditEntry {
  readonly action: AuditAction
  /** Id of the action's target. */
  readonly target?: string
  readonly payload: JsonObject
}

/**
 * Writes a line into the tenant's audit ledger, in the transaction of the change itself: both are committed or neither
 * is. The line waits under a MAC of its own and is chained right after the commit, together with those of other
 * transactions; no lock is held for it. Earlier persisted entities are flushed first.
 */
export async function recordAudit(
  tx: Transaction,
  op: Pick<Operation, 'db' | 'tenantId' | 'actor' | 'requestId' | 'now'>,
  entry: NewAuditEntry,
): Promise<void> {
  await tx.flush()
  await insertWaiting(tx, op.db, {
    id: newId('aud'),
    tenantId: op.tenantId,
    at: op.now(),
    actor: describeActor(op.actor),
    action: entry.action,
    target: entry.target ?? null,
    requestId: op.requestId,
    payload: entry.payload,
  })
  const { db, tenantId, now } = op
  if (isFirstLine(tx, tenantId)) tx.afterCommit(async () => await settleLedger(db, { tenantId, now: () => now() }))
}

const tenantsOf = new WeakMap<Transaction, Set<string>>()

/** Returns true once for a transaction and a tenant: all lines of a transaction are chained together. */
function isFirstLine(tx: Transaction, tenantId: string): boolean {
  const tenants = tenantsOf.get(tx) ?? new Set<string>()
  tenantsOf.set(tx, tenants)
  const isFirst = !tenants.has(tenantId)
  tenants.add(tenantId)
  return isFirst
}
