import type { Checkpoint } from '../../../core/ledger/chain/checkpoint.ts'
import type { SqlRunner } from '../../kernel/database.ts'

/** A kept checkpoint. */
export interface KeptCheckpoint {
  readonly id: string
  readonly checkpoint: Checkpoint
  /** Set when the entries up to here were removed because their time was over. */
  readonly prunedThroughAt: Date | null
}

interface CheckpointRow {
  readonly id: string
  readonly seq: number
  readonly hash: string
  readonly at: Date
  readonly kid: string
  readonly signature: string
  readonly prunedThroughAt: Date | null
}

/** A tenant's checkpoints, oldest first. */
export async function readCheckpoints(sql: SqlRunner, tenantId: string): Promise<readonly KeptCheckpoint[]> {
  const rows = await sql.query<CheckpointRow>(
    `select id, seq, hash, at, kid, signature, pruned_through_at as "prunedThroughAt"
     from audit_checkpoints where tenant_id = $1 order by seq`,
    [tenantId],
  )
  return rows.map(({ id, seq, hash, at, kid, signature, prunedThroughAt }) => ({
    id,
    prunedThroughAt,
    checkpoint: { tenant_id: tenantId, seq, event_hash: hash, at: at.toISOString(), kid, signature },
  }))
}
