import { sql, type SqlBool } from 'kysely'
import type { Limits } from '../../../core/compile/limits.ts'
import { PLAN_IDS } from '../../../core/kernel/tenant/plans.ts'
import type { Database } from '../../kernel/database.ts'
import { tenantOf } from '../../kernel/operation.ts'
import { service } from '../../kernel/queries/service.ts'
import { list, unnest } from '../../kernel/queries/typed.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { admitInTransaction, runningLimit } from '../jobs/start/admission.ts'

/**
 * Admits waiting jobs that have room, for up to `batch` tenants: no job waits forever because a process died at the
 * wrong moment, or because a limit was raised. A tenant whose jobs cannot be admitted is reported to the operator and
 * holds up none of the others. Returns the ids. Throws `store_unavailable`.
 */
export async function admitWaiting(
  db: Database,
  input: { readonly limits: Limits; readonly batch: number; readonly now: Date },
): Promise<readonly string[]> {
  const { limits, batch, now } = input
  const running = unnest('l', {
    plan: list('text', PLAN_IDS),
    running: list(
      'integer',
      PLAN_IDS.map((plan) => runningLimit(plan, limits)),
    ),
  })
  // A loose scan: one index probe per tenant that has waiting jobs, however many jobs each of them has.
  const waiting = sql<{ tenant_id: string | null }>`(
    with recursive waiting as (
      (select tenant_id from compile_jobs where admitted_at is null and finished_at is null order by tenant_id limit 1)
      union all
      select (
        select j.tenant_id from compile_jobs j
        where j.admitted_at is null and j.finished_at is null and j.tenant_id > waiting.tenant_id
        order by j.tenant_id limit 1
      ) from waiting where waiting.tenant_id is not null
    ) select tenant_id from waiting
  )`.as<'waiting'>(sql`waiting`)
  const tenants = await service.read(db, 'finds the tenants whose jobs wait although there is room', (q) =>
    q
      .selectFrom(waiting)
      .innerJoin('tenants as t', 't.id', 'waiting.tenant_id')
      .innerJoin(running, (join) => join.on(sql<SqlBool>`l.plan = t.plan`))
      .select('t.id as tenantId')
      .where('l.running', '>', (of) =>
        of
          .selectFrom('compile_jobs as j')
          .select(of.fn.countAll<number>().as('running'))
          .whereRef('j.tenant_id', '=', 't.id')
          .where('j.admitted_at', 'is not', null)
          .where('j.finished_at', 'is', null),
      )
      .limit(batch),
  )
  const admitted: string[] = []
  for (const { tenantId } of tenants) {
    const place = tenantOf(db, tenantId)
    try {
      admitted.push(...(await place.write(async (tx) => await admitInTransaction(tx, { tenantId, limits, now }))))
    } catch (error) {
      if (error instanceof DomainError) throw error
      // The others are admitted regardless, and all of them are checked after it.
      db.warn(`jobs of ${tenantId} could not be admitted: ${String(error)}`)
    }
  }
  return admitted
}
