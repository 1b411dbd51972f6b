import { sql } from 'kysely'
import { list, unnest } from '../../../kernel/queries/typed.ts'
import { inAllNamespaces, lockInTransaction, type Transaction } from '../../../kernel/transaction.ts'
import { DISTIL_SOURCES, HAS_DISTIL } from '../../evidence/distil-sources.ts'
import { learnersLock } from './learners-lock.ts'

/** A capture that a job learned from. */
interface UsedCapture {
  readonly captureId: string
  readonly id: string
}

/**
 * Records the captures with the compiles whose distillation continued, or asked, an adapter that learned from them, directly or
 * through others: what an adapter learned is in those that follow it. Returns those that had no such record.
 */
export async function flagContinued(
  tx: Transaction,
  { tenantId, used, at }: { readonly tenantId: string; readonly used: readonly UsedCapture[]; readonly at: Date },
) {
  if (used.length === 0) return []
  // A distillation that begins now is either found below, or finds these flags.
  await lockInTransaction(tx, learnersLock(tenantId))
  const given = unnest('u', {
    job: list(
      'text',
      used.map(({ id }) => id),
    ),
    capture: list(
      'text',
      used.map(({ captureId }) => captureId),
    ),
  })
  return await inAllNamespaces(tx, 'an adapter may continue one of another namespace', async () => {
    const flagged = await tx.q
      .withRecursive(
        (name) => name('link').materialized(),
        (q) =>
          q
            .selectFrom('compile_jobs as j')
            .select([DISTIL_SOURCES.as('source'), 'j.id'])
            .where('j.tenant_id', '=', tenantId)
            .where(HAS_DISTIL),
      )
      .withRecursive('built(id, origin, capture)', (q) =>
        q
          .selectFrom(given)
          .select(['u.job as id', 'u.job as origin', 'u.capture'])
          .union((of) =>
            of
              .selectFrom('built')
              .innerJoin('link', 'link.source', 'built.id')
              .select(['link.id', 'built.origin', 'built.capture']),
          ),
      )
      .insertInto('compile_captures')
      .columns(['tenant_id', 'job_id', 'capture_id', 'seq', 'chain_hash', 'forgotten_at', 'erased_at'])
      .expression((q) =>
        q
          .selectFrom('built')
          .innerJoin('compile_captures as c', (on) =>
            on.onRef('c.job_id', '=', 'built.origin').onRef('c.capture_id', '=', 'built.capture'),
          )
          .distinctOn(['built.id', 'built.capture'])
          .select((of) => [
            of.val(tenantId).as('tenant_id'),
            'built.id as job_id',
            'built.capture as capture_id',
            'c.seq',
            'c.chain_hash',
            of.val(at).as('forgotten_at'),
            // These jobs hold no example of the capture: nothing is to be erased of them.
            of.val(at).as('erased_at'),
          ])
          .where('c.tenant_id', '=', tenantId)
          .whereRef('built.id', '<>', 'built.origin'),
      )
      .onConflict((on) => on.doNothing())
      .returning(['job_id as id', 'capture_id as captureId'])
      .execute()
    const states = await tx.q
      .selectFrom('compile_jobs')
      .select(['id', 'status'])
      .where('tenant_id', '=', tenantId)
      .where(sql<boolean>`id = any(${flagged.map(({ id }) => id)}::text[])`)
      .execute()
    const statusOf = new Map(states.map(({ id, status }) => [id, status]))
    return flagged.flatMap((use) => {
      const status = statusOf.get(use.id)
      return status === undefined ? [] : [{ ...use, status }]
    })
  })
}
