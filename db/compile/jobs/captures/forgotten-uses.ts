import { sql } from 'kysely'
import type { Operation } from '../../../kernel/operation.ts'
import { countRows } from '../../../kernel/queries/count-rows.ts'
import { BUILDER } from '../../../kernel/queries/typed.ts'

/** Captures that a job learned from and that were forgotten since. */
export interface ForgottenUses {
  readonly count: number
  /** Of the newest; null for none. */
  readonly at: Date | null
}

/** Counts the forgotten captures of the job in a column of another table, such as `artifacts.id`. */
export function forgottenCount(jobColumn: string) {
  return countRows(forgottenOf(jobColumn))
}

/** The newest time at which one of them was forgotten; null for none. */
export function forgottenLast(jobColumn: string) {
  return forgottenOf(jobColumn).select((of) => of.fn.max('u.forgotten_at').as('at'))
}

function forgottenOf(jobColumn: string) {
  return BUILDER.selectFrom('compile_captures as u')
    .where('u.job_id', '=', sql.ref<string>(jobColumn))
    .where('u.forgotten_at', 'is not', null)
}

/** Returns the forgotten captures among those that a job learned from. */
export async function forgottenUses(op: Operation, jobId: string): Promise<ForgottenUses> {
  const [row] = await op.read((q) =>
    q
      .selectFrom('compile_jobs')
      .select([forgottenCount('compile_jobs.id').as('count'), forgottenLast('compile_jobs.id').as('at')])
      .where('id', '=', jobId)
      .where('tenant_id', '=', op.tenantId),
  )
  return row ?? { count: 0, at: null }
}
