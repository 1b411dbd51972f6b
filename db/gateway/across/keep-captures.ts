import { sql } from 'kysely'
import { signCaptures } from '../../../core/gateway/captures/check-captures.ts'
import type { SigningKey } from '../../../core/ledger/keys/signing-key.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { json } from '../../kernel/queries/typed.ts'

/** A chain that grows is signed at least this often. */
const SIGN_MS = 3_600_000
/** Chains and tenants that are looked up at once. */
const BATCH = 200
/** Captures whose texts are indexed in one statement. */
const TEXTS = 500
/** Characters of a prompt and of a response that are searched. */
const SEARCHED_CHARS = 8000

/** Signs the head of every chain that has grown and was not signed in the last hour. Returns how many. */
export async function signCaptureChains(
  db: Database,
  options: { readonly now: Date; readonly signer: SigningKey; readonly signal: AbortSignal },
): Promise<number> {
  const { now, signer, signal } = options
  const before = new Date(now.getTime() - SIGN_MS)
  let signed = 0
  for (let after = 0; !signal.aborted;) {
    const due = await service.read(db, 'finds the chains that have grown', (q) =>
      q
        .selectFrom('capture_chains as k')
        .select('k.id')
        .where('k.id', '>', after)
        .whereRef('k.signed_through', '<', 'k.count')
        .where((of) =>
          of.not(
            of.exists(
              of
                .selectFrom('capture_checkpoints as p')
                .select('p.count')
                .whereRef('p.chain_id', '=', 'k.id')
                .whereRef('p.count', '=', 'k.signed_through')
                .where('p.at', '>', before),
            ),
          ),
        )
        .orderBy('k.id')
        .limit(BATCH),
    )
    for (const { id } of due) {
      if (signal.aborted) break
      await signHead(db, id, now, signer)
      signed++
    }
    const last = due.at(-1)
    if (last === undefined || due.length < BATCH) break
    after = last.id
  }
  return signed
}

async function signHead(db: Database, id: number, now: Date, signer: SigningKey): Promise<void> {
  await service.write(db, 'chains are signed with one key for all tenants', async (tx) => {
    const [chain] = await tx.q
      .selectFrom('capture_chains')
      .select(['id', 'tenant_id as tenantId', 'namespace', 'begun_for as begunFor', 'count', 'head as hash'])
      .where('id', '=', id)
      .forUpdate()
      .execute()
    if (chain === undefined) return
    const { count, hash, tenantId, ...name } = chain
    const document = signCaptures(name, { count, hash }, now, signer)
    await tx.q
      .insertInto('capture_checkpoints')
      .values({
        chain_id: id,
        count,
        tenant_id: tenantId,
        namespace: name.namespace,
        at: now,
        document: json(document),
      })
      .onConflict((on) => on.doNothing())
      .execute()
    await tx.q.updateTable('capture_chains').set({ signed_through: count }).where('id', '=', id).execute()
  })
}

/**
 * Puts the texts of new captures into the index of the search, until all are in it or the signal is aborted. Tenants take
 * turns. Returns how many captures it reached.
 */
export async function indexCaptureTexts(db: Database, signal: AbortSignal): Promise<number> {
  let indexed = 0
  for (let some = 1; some > 0 && !signal.aborted;) {
    some = 0
    const heads = await service.read(db, 'finds the tenants with captures to index', (q) =>
      q
        .selectFrom('capture_heads')
        .select(['tenant_id as tenantId', 'indexed', 'position'])
        .whereRef('indexed', '<', 'position')
        .orderBy('tenant_id')
        .limit(BATCH),
    )
    for (const head of heads) {
      if (signal.aborted) break
      some += await indexSome(db, head)
    }
    indexed += some
  }
  return indexed
}

async function indexSome(
  db: Database,
  { tenantId, indexed, position }: { readonly tenantId: string; readonly indexed: number; readonly position: number },
): Promise<number> {
  const rows = await service.read(db, 'the index is filled for all tenants', (q) =>
    q
      .selectFrom('captures')
      .select(['id', 'position'])
      .where('tenant_id', '=', tenantId)
      .where('position', '>', indexed)
      .orderBy('position')
      .limit(TEXTS),
  )
  const ids = rows.map(({ id }) => id)
  await service.write(db, 'the index is filled for all tenants', async (tx) => {
    // The index takes entries in large groups, which it needs memory to sort: small ones cost it several times the work.
    tx.post(
      tx.q.selectNoFrom([
        sql`set_config('work_mem', '64MB', true)`.as('memory'),
        sql`set_config('gin_pending_list_limit', '16MB', true)`.as('pending'),
      ]),
    )
    // The lock keeps a capture from being forgotten between the reading of its text and the end of this.
    await tx.q
      .insertInto('capture_texts')
      .columns(['id', 'tenant_id', 'namespace', 'text'])
      .expression((of) =>
        of
          .selectFrom('capture_contents')
          .select(['id', 'tenant_id', 'namespace'])
          .select(
            sql<string>`left(prompt, ${sql.lit(SEARCHED_CHARS)}) || chr(10) || left(response, ${sql.lit(SEARCHED_CHARS)})`.as(
              'text',
            ),
          )
          .where(sql<boolean>`id = any(${ids}::text[])`)
          .forShare(),
      )
      .onConflict((on) => on.doNothing())
      .execute()
  })
  // Without rows the positions belong to captures that were removed.
  const reached = rows.at(-1)?.position ?? position
  // Behind the texts and not with them: forgetting locks the head first.
  await service.send(db, 'the index is filled for all tenants', (q) =>
    q
      .updateTable('capture_heads')
      .set({ indexed: sql<number>`greatest(indexed, ${reached}::bigint)` })
      .where('tenant_id', '=', tenantId),
  )
  return rows.length
}
