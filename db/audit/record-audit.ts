import { appendEntry } from '../../core/evidence/ledger/ledger.ts'
import { newId } from '../../core/ids.ts'
import type { JsonObject } from '../../core/json.ts'
import { describeActor, type Operation } from '../operation.ts'
import type { Transaction } from '../transaction.ts'
import { auditKeys } from './audit-key.ts'

/** Everything that a verb may write into a ledger, `resource.verb`. A test sees that each of them is written. */
export const AUDIT_ACTIONS = [
  'tenant.created',
  'session.opened',
  'session.closed',
  'api_key.revoked',
  'receipt_secret.rotated',
  'receipt_secret.pruned',
  'compile.created',
  'compile.completed',
  'compile.gated',
  'compile.failed',
  'compile.cancelled',
  'artifact.downloaded',
  'export.created',
  'export.succeeded',
  'export.failed',
  'export.downloaded',
  'concept.deleted',
] as const
/** One of them. */
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** What an operation did, for the tenant's ledger. No secret, no content: ids and figures. */
export interface NewAuditEntry {
  readonly action: AuditAction
  /** Id of what it was done to. */
  readonly target?: string
  readonly payload: JsonObject
}

/**
 * Appends a line to the tenant's audit ledger, chained to the one before it, in the transaction of the change itself.
 * The tenant's head row stays locked until the commit, so call it last. What was persisted before reaches the
 * database first.
 */
export async function recordAudit(
  tx: Transaction,
  op: Pick<Operation, 'db' | 'tenantId' | 'actor' | 'requestId' | 'now'>,
  entry: NewAuditEntry,
): Promise<void> {
  const { current } = await auditKeys(op.db, tx)
  await tx.em.flush()
  const [head] = await tx.query<{ seq: number; event_hash: string }>(
    'select seq, hash as event_hash from audit_heads where tenant_id = $1 for no key update',
    [op.tenantId],
  )
  if (head === undefined) throw new Error(`tenant ${op.tenantId} has no audit head`)
  const at = op.now()
  const chained = appendEntry(
    head,
    {
      id: newId('aud'),
      tenant_id: op.tenantId,
      at: at.toISOString(),
      actor: describeActor(op.actor),
      action: entry.action,
      target: entry.target ?? null,
      request_id: op.requestId,
      payload: entry.payload,
    },
    current,
  )
  await tx.query(
    `with head as (update audit_heads set seq = $2, hash = $3 where tenant_id = $1)
     insert into audit_entries
       (tenant_id, seq, id, at, actor, action, target, request_id, payload, key_id, prev_hash, hash)
     values ($1, $2, $4, $5, $6, $7, $8, $9, $10, $11, $12, $3)`,
    [
      op.tenantId,
      chained.seq,
      chained.event_hash,
      chained.id,
      at,
      chained.actor,
      chained.action,
      chained.target,
      chained.request_id,
      JSON.stringify(chained.payload),
      chained.key_id,
      chained.prev_hash,
    ],
  )
}
