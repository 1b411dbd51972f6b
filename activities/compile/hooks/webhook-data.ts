import { artifactHashOf } from '../../../db/compile/artifacts/artifact-hash.ts'
import { findArtifact } from '../../../db/compile/artifacts/find-artifact.ts'
import { DEPLOY_KIND } from '../../../db/compile/jobs/deploy-subject.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { WebhookDeps } from '../../accounts/webhooks/deps.ts'

/** Returns the readers of the data of each kind of message to hooks. */
export function webhookData(settings: {
  /** The public address of the API; without one, addresses in messages are paths. */
  readonly publicUrl: string | undefined
}): WebhookDeps['webhookData'] {
  return {
    [DEPLOY_KIND]: async (op, jobId) => {
      const found = await findDeployed(op, jobId)
      if (found === null) return null
      const { job, artifact } = found
      return {
        job_id: job.id,
        artifact_url: `${settings.publicUrl ?? ''}/v1/artifacts/${job.id}/download`,
        artifact_hash: artifactHashOf(artifact),
        cid: artifact.cid,
        k_score: artifact.kScore,
        base_model: artifact.baseModel,
        completed_at: (job.finishedAt ?? artifact.createdAt).toISOString(),
      }
    },
  }
}

/** Null for an artifact that was deleted or revoked meanwhile: it must not be deployed. */
async function findDeployed(op: Operation, jobId: string) {
  try {
    const [job, artifact] = await Promise.all([findJob(op, jobId), findArtifact(op, jobId)])
    return artifact.revokedAt === null ? { job, artifact } : null
  } catch (error) {
    if (KERNEL_ERRORS.not_found.matches(error)) return null
    throw error
  }
}
