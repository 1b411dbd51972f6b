import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { CompileJob } from '../../jobs/compile-job.ts'
import { jobOf } from '../../jobs/find-job.ts'
import { roundOf, type TeacherRound } from './rounds.ts'

/** A job and its round with a teacher; null for none. */
export interface JobWithRound {
  readonly job: CompileJob
  readonly round: TeacherRound | null
}

/** Returns a job of the tenant and its round, in one round trip. Throws `not_found`. */
export async function findJobWithRound(op: Operation, jobId: string): Promise<JobWithRound> {
  const [[job], [round = null]] = await op.read(() => [jobOf({ jobId, tenantId: op.tenantId }), roundOf({ jobId })])
  if (job === undefined) throw KERNEL_ERRORS.not_found('no such job')
  return { job, round }
}
