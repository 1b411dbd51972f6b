import { signCheckpoint, type Checkpoint } from '../../core/evidence/ledger/checkpoint.ts'
import type { ChainHead } from '../../core/evidence/ledger/ledger.ts'
import type { SigningKey } from '../../core/evidence/keys/signing-key.ts'
import { newId } from '../../core/ids.ts'
import type { Database, SqlRunner } from '../database.ts'
import { loadSigningKeys } from '../signing-keys/signing-keys.ts'

const signerOf = new WeakMap<Database, Promise<SigningKey>>()

/** Signs the end of a tenant's chain and keeps it. Repeating it changes nothing. */
export async function addCheckpoint(
  db: Database,
  input: { readonly tenantId: string; readonly head: ChainHead; readonly now: Date },
): Promise<void> {
  const signer = await currentSigner(db)
  const { seq, event_hash } = input.head
  const checkpoint = signCheckpoint({ tenant_id: input.tenantId, seq, event_hash, at: input.now.toISOString() }, signer)
  await db.query(
    `insert into audit_checkpoints (tenant_id, seq, id, hash, at, kid, signature)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (tenant_id, seq) do nothing`,
    [input.tenantId, seq, newId('chk'), event_hash, input.now, checkpoint.kid, checkpoint.signature],
  )
}

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

/** Opened once per open database. A failure is not kept, so that the next call tries again. */
async function currentSigner(db: Database): Promise<SigningKey> {
  const known = signerOf.get(db)
  if (known !== undefined) return await known
  const opening = loadSigningKeys(db).then(({ current }) => current)
  signerOf.set(db, opening)
  try {
    return await opening
  } catch (error) {
    signerOf.delete(db)
    throw error
  }
}
