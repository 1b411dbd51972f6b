import { signCheckpoint } from '../../../core/ledger/chain/checkpoint.ts'
import type { ChainHead } from '../../../core/ledger/chain/ledger.ts'
import type { SigningKey } from '../../../core/ledger/keys/signing-key.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { rootOf, type Database, type SqlRunner } from '../../kernel/database.ts'
import { loadSigningKeys } from '../signing-keys/signing-keys.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { keptPlanOf } from './retention/retention.ts'

const signerOf = new WeakMap<Database, Promise<SigningKey>>()

/**
 * Signs the end of a tenant's chain and keeps it, with the plan in force: the lines up to here keep its days, whatever
 * plan comes later. Those who run the service keep theirs as long as any plan does. Repeating it changes nothing.
 */
export async function addCheckpoint(
  db: Database,
  input: { readonly tenantId: string; readonly head: ChainHead; readonly now: Date },
): Promise<void> {
  await insertCheckpoint(db, await currentSigner(db), input)
}

/**
 * The same in the transaction that puts a smaller plan in force, before it does: so what was written under the larger
 * one keeps its days, also when no other checkpoint came in its time. What waits for its place in the chain comes between
 * this checkpoint and the next one, and stays for the longer of both.
 */
export async function addCheckpointBeforePlan(
  tx: Transaction,
  db: Database,
  tenantId: string,
  now: Date,
): Promise<void> {
  const [head] = await tx.query<ChainHead>(
    'select seq, hash as event_hash from audit_heads where tenant_id = $1 and seq > 0',
    [tenantId],
  )
  if (head !== undefined) await insertCheckpoint(tx, await currentSigner(db), { tenantId, head, now })
}

async function insertCheckpoint(
  sql: SqlRunner,
  signer: SigningKey,
  input: { readonly tenantId: string; readonly head: ChainHead; readonly now: Date },
): Promise<void> {
  const { seq, event_hash } = input.head
  const checkpoint = signCheckpoint({ tenant_id: input.tenantId, seq, event_hash, at: input.now.toISOString() }, signer)
  await sql.query(
    `insert into audit_checkpoints (tenant_id, seq, id, hash, at, kid, signature, plan)
     select id, $2, $3, $4, $5, $6, $7, ${keptPlanOf('tenants')} from tenants where id = $1
     on conflict (tenant_id, seq) do nothing`,
    [input.tenantId, seq, newId('chk'), event_hash, input.now, checkpoint.kid, checkpoint.signature],
  )
}

/** Opened once per open database. A failure is not kept, so that the next call tries again. */
async function currentSigner(given: Database): Promise<SigningKey> {
  const db = rootOf(given)
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
