import { prepared } from '../../../kernel/queries/compiled.ts'
import type { Reader } from '../../../kernel/queries/read.ts'
import type { CompileAcceptance } from './acceptance.ts'

const acceptanceOf = prepared((q, { jobId }: { readonly jobId: string }) =>
  q
    .selectFrom('compile_acceptances')
    .select([
      'job_id as jobId',
      'tenant_id as tenantId',
      'state',
      'accepted_by as acceptedBy',
      'accepted_at as acceptedAt',
      'k_score as kScore',
      'k_score_floor as kScoreFloor',
      'error_code as errorCode',
      'finished_at as finishedAt',
      'look_at as lookAt',
    ])
    .where('job_id', '=', jobId),
)

/** Returns the acceptance of a job; null when it was not accepted. */
export async function findAcceptance(from: Reader, jobId: string): Promise<CompileAcceptance | null> {
  const [row] = await from.read(() => acceptanceOf({ jobId }))
  return row ?? null
}
