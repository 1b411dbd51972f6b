import type { Checkpoint } from '../../../core/ledger/chain/checkpoint.ts'
import type { Reader } from '../../kernel/queries/read.ts'

/** A stored checkpoint. */
export interface KeptCheckpoint {
  readonly id: string
  readonly checkpoint: Checkpoint
  /** Set when the entries up to here were removed at the end of their retention. */
  readonly prunedThroughAt: Date | null
}

/** Lists a tenant's checkpoints, oldest first. */
export async function readCheckpoints(from: Reader, tenantId: string): Promise<readonly KeptCheckpoint[]> {
  const rows = await from.read((q) =>
    q
      .selectFrom('audit_checkpoints')
      .select(['id', 'seq', 'hash', 'at', 'kid', 'signature', 'pruned_through_at as prunedThroughAt'])
      .where('tenant_id', '=', tenantId)
      .orderBy('seq'),
  )
  return rows.map(({ id, seq, hash, at, kid, signature, prunedThroughAt }) => ({
    id,
    prunedThroughAt,
    checkpoint: { tenant_id: tenantId, seq, event_hash: hash, at: at.toISOString(), kid, signature },
  }))
}
