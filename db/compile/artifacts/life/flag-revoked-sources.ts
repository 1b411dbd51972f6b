import { sql } from 'kysely'
import type { Operation } from '../../../kernel/operation.ts'
import { prepared } from '../../../kernel/queries/compiled.ts'
import { shareInTransaction, type Transaction } from '../../../kernel/transaction.ts'
import { withSources } from '../../evidence/job-sources.ts'
import { sourcesLock } from './sources-lock.ts'

/** The jobs that an artifact is built on, directly or through others. */
const sourcesOf = prepared((q, key: { readonly tenantId: string; readonly artifactId: string }) =>
  withSources(q, key).selectFrom('source').select('source.id').where('source.id', '<>', key.artifactId),
)

/**
 * Flags an artifact that is being published when it is built on revoked ones: earlier versions, jobs whose examples were
 * compiled again, and adapters that its distillation continued or asked. A revocation that comes later flags it by its own
 * effects, which wait for this transaction; the rows of the sources are not locked, so they may move meanwhile. Call it with
 * the version and the artifact written.
 */
export async function flagRevokedSources(
  tx: Transaction,
  op: Operation,
  { artifactId, now }: { readonly artifactId: string; readonly now: Date },
): Promise<void> {
  const { tenantId } = op
  const sources = (await tx.send(sourcesOf({ tenantId, artifactId }))).map(({ id }) => id)
  if (sources.length === 0) return
  await shareInTransaction(tx, sourcesLock(tenantId))
  const revoked = await tx.q
    .selectFrom('artifacts')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'revoked')
    .where(sql<boolean>`id = any(${sources}::text[])`)
    .execute()
  if (revoked.length === 0) return
  await tx.q
    .insertInto('artifact_reviews')
    .values(revoked.map(({ id }) => ({ artifact_id: artifactId, source_id: id, tenant_id: tenantId, at: now })))
    .onConflict((on) => on.doNothing())
    .execute()
}
