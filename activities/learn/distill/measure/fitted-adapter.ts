import type { AdapterData } from '../../../../core/compile/stages/stage-types.ts'
import { findJob } from '../../../../db/compile/jobs/find-job.ts'
import { loadVerdict } from '../../../compile/compile/stage-data.ts'
import { operationOf, type DistillDeps, type RunRef } from '../deps.ts'

/** Returns the adapter that a compile chose; null where it chose another kind, or ended without a verdict. */
export async function fittedAdapter(
  deps: DistillDeps,
  { tenantId }: Pick<RunRef, 'tenantId'>,
  jobId: string,
): Promise<AdapterData | null> {
  const { status } = await findJob(operationOf(deps, { tenantId, runId: jobId }), jobId)
  if (status !== 'ready' && status !== 'gated') return null
  const { chosen } = await loadVerdict(deps, { jobId, tenantId })
  return chosen?.data.kind === 'lora' ? chosen.data : null
}
