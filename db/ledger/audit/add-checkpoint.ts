import { signCheckpoint } from '../../../core/ledger/chain/checkpoint.ts'
import type { ChainHead } from '../../../core/ledger/chain/ledger.ts'
import type { SigningKey } from '../../../core/ledger/keys/signing-key.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { rootOf, type Database } from '../../kernel/database.ts'
import { tenantOf } from '../../kernel/operation.ts'
import { loadSigningKeys } from '../across/signing-keys.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { keptPlanOf } from './retention/retention.ts'

const signerOf = new WeakMap<Database, Promise<SigningKey>>()

/**
 * Signs the head of a tenant's chain and stores the checkpoint, with the plan in force: the lines up to here keep its
 * retention, whatever plan comes later. The operator's lines have the longest retention of any plan. Repeating it
 * changes nothing.
 */
export async function addCheckpoint(
  db: Database,
  input: { readonly tenantId: string; readonly head: ChainHead; readonly now: Date },
): Promise<void> {
  const signer = await currentSigner(db)
  await tenantOf(db, input.tenantId).write(async (tx) => await insertCheckpoint(tx, signer, input))
}

/**
 * The same in the transaction that puts a smaller plan in force, before it does: so lines written under the larger one
 * keep their retention, also when no other checkpoint was made in its time. Unchained lines will be between this
 * checkpoint and the next one, and have the longer retention of both.
 */
export async function addCheckpointBeforePlan(
  tx: Transaction,
  db: Database,
  tenantId: string,
  now: Date,
): Promise<void> {
  const head = await tx.q
    .selectFrom('audit_heads')
    .select(['seq', 'hash as event_hash'])
    .where('tenant_id', '=', tenantId)
    .where('seq', '>', 0)
    .executeTakeFirst()
  if (head !== undefined) await insertCheckpoint(tx, await currentSigner(db), { tenantId, head, now })
}

async function insertCheckpoint(
  tx: Transaction,
  signer: SigningKey,
  input: { readonly tenantId: string; readonly head: ChainHead; readonly now: Date },
): Promise<void> {
  const { seq, event_hash } = input.head
  const checkpoint = signCheckpoint({ tenant_id: input.tenantId, seq, event_hash, at: input.now.toISOString() }, signer)
  await tx.q
    .insertInto('audit_checkpoints')
    .columns(['tenant_id', 'seq', 'id', 'hash', 'at', 'kid', 'signature', 'plan'])
    .expression((q) =>
      q
        .selectFrom('tenants')
        .select((of) => [
          'id as tenant_id',
          of.val(seq).as('seq'),
          of.val(newId('chk')).as('id'),
          of.val(event_hash).as('hash'),
          of.val(input.now).as('at'),
          of.val(checkpoint.kid).as('kid'),
          of.val(checkpoint.signature).as('signature'),
          keptPlanOf('tenants').as('plan'),
        ])
        .where('id', '=', input.tenantId),
    )
    .onConflict((on) => on.columns(['tenant_id', 'seq']).doNothing())
    .execute()
}

/** Opened once per open database. A failure is not cached, so that the next call tries again. */
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
