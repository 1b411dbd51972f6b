import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { CHARGED_TO_NOBODY } from '../../../db/billing/usage/charged-to.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { submitCloudJob, type SubmittedCloudJob } from '../../../db/learn/cloud/submit-cloud-job.ts'

/** Submits a cloud job that waits for a pool; its workflow is requested. */
export async function givenCloudJob(op: Operation): Promise<SubmittedCloudJob> {
  return await submitCloudJob(op, {
    namespace: 'support',
    recipeId: 'default-distill',
    captureWindow: '7d',
    captureFrom: new Date(0),
    lane: 'pool',
    gpuSku: 'A100-80GB',
    vramTier: '1x',
    rateUsdMicros: 1_650_000,
    budgetUsdMicros: 500_000_000,
    providerKeyId: null,
    baseModel: 'nano',
    choices: { task: 'Answer as before', k_score_floor: 0.85, lora: {} },
    chargedTo: CHARGED_TO_NOBODY,
    allowsSensitive: false,
    billingTokenHash: null,
    limits: DEFAULT_LIMITS,
    idempotency: undefined,
  })
}
