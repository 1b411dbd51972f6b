import type { Sha256 } from '../../../../core/kernel/json/json.ts'
import { tenantOfJob } from '../../../../db/compile/across/tenant-of-job.ts'
import type { CompileDeps } from '../deps.ts'
import type { FitRef, JobRef } from '../results.ts'

/** One fit with its tenant and the digest that names it. */
export interface FitId extends JobRef {
  readonly inputSha256: Sha256
}

/** Completes the input of an activity: runs of earlier versions do not name the tenant. Throws `not_found`. */
export async function fitIdOf(deps: Pick<CompileDeps, 'db'>, ref: FitRef): Promise<FitId> {
  const { jobId, inputSha256 } = ref
  const tenantId = ref.tenantId ?? (await tenantOfJob(deps.db, jobId))
  return { jobId, tenantId, inputSha256: `sha256:${inputSha256.slice('sha256:'.length)}` }
}
