import { sql } from 'kysely'
import { inAllNamespaces, lockInTransaction, type Transaction } from '../../../kernel/transaction.ts'
import { DISTIL_SOURCES, HAS_DISTIL } from '../../evidence/distil-sources.ts'
import { learnersLock } from './learners-lock.ts'

/**
 * Records with a new job the forgotten captures that the adapters behind its distillation learned from: those that it continues
 * and asks, those behind them, and so on. A capture that is forgotten later is recorded by `flagContinued`. Call it with the
 * job written, and after the captures of its own examples.
 */
export async function inheritForgotten(
  tx: Transaction,
  { tenantId, jobId, now }: { readonly tenantId: string; readonly jobId: string; readonly now: Date },
): Promise<void> {
  await lockInTransaction(tx, learnersLock(tenantId))
  await inAllNamespaces(tx, 'an adapter may continue one of another namespace', async () => {
    await tx.q
      .withRecursive('source(id)', (q) =>
        q
          .selectFrom('compile_jobs as j')
          .select(DISTIL_SOURCES.as('id'))
          .where('j.id', '=', jobId)
          .where('j.tenant_id', '=', tenantId)
          .where(HAS_DISTIL)
          .union((of) =>
            of
              .selectFrom('source')
              .innerJoin('compile_jobs as j', 'j.id', 'source.id')
              .select(DISTIL_SOURCES.as('id'))
              .where('j.tenant_id', '=', tenantId)
              .where(HAS_DISTIL),
          ),
      )
      .insertInto('compile_captures')
      .columns(['tenant_id', 'job_id', 'capture_id', 'seq', 'chain_hash', 'forgotten_at', 'erased_at'])
      .expression((q) =>
        q
          .selectFrom('source')
          .innerJoin('compile_captures as c', 'c.job_id', 'source.id')
          .distinctOn('c.capture_id')
          .select((of) => [
            of.val(tenantId).as('tenant_id'),
            of.val(jobId).as('job_id'),
            'c.capture_id',
            'c.seq',
            'c.chain_hash',
            'c.forgotten_at',
            // The job holds no example of the capture: nothing is to be erased of it.
            sql<Date>`${now}::timestamptz`.as('erased_at'),
          ])
          .where('c.tenant_id', '=', tenantId)
          .where('c.forgotten_at', 'is not', null)
          .orderBy('c.capture_id')
          .orderBy('c.forgotten_at'),
      )
      .onConflict((on) => on.doNothing())
      .execute()
  })
}
