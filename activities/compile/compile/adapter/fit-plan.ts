import { deserialize, serialize } from 'node:v8'
import type { PlannedFit, PreparedFit } from '../../../../core/compile/stages/lora/prepare-fit.ts'
import type { Fitter } from '../../../../core/compile/stages/lora/lora-options.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { sha256, type Sha256 } from '../../../../core/kernel/json/json.ts'
import { putBlob } from '../../../../db/kernel/blobs/put-blob.ts'
import { getBlob } from '../../../../db/kernel/blobs/read-blob.ts'
import {
  findTrainingRecords,
  putTrainingRecords,
  WHOLE_JOB,
} from '../../../../db/compile/progress/training/training-records.ts'
import { operationOf, type CompileDeps } from '../deps.ts'
import type { JobRef } from '../results.ts'

/** The stored fits of a job; their inputs are separate blobs. */
export interface FitPlan extends Omit<PreparedFit, 'fits'> {
  readonly trainer: Fitter
  /** True when the caller requested an adapter: a failed fit then fails the job. */
  readonly isAskedFor: boolean
  readonly fits: readonly (Omit<PlannedFit, 'document'> & { readonly inputSha256: Sha256 })[]
}

/** Size limit of a plan or of a fit's input, bytes. */
export const MAX_FIT_BYTES = 512 * 1024 * 1024

/** Stores the inputs of the fits and their plan until the stage is over. The same plan gives the same digests. */
export async function keepPlan(
  deps: CompileDeps,
  ref: JobRef,
  { fits, ...shared }: PreparedFit & Pick<FitPlan, 'trainer' | 'isAskedFor'>,
): Promise<FitPlan> {
  const op = operationOf(deps, ref)
  const kept: FitPlan['fits'][number][] = []
  for (const { document, ...fit } of fits) {
    const { sha256: inputSha256 } = await putBlob(deps.db, document)
    const record = { role: 'input', blobSha256: inputSha256, facts: null } as const
    await putTrainingRecords(op, { jobId: ref.jobId, fit: inputSha256, now: deps.now(), records: [record] })
    kept.push({ ...fit, inputSha256 })
  }
  const plan: FitPlan = { ...shared, fits: kept }
  const { sha256: blobSha256 } = await putBlob(deps.db, serialize(plan))
  const record = { role: 'plan', blobSha256, facts: null } as const
  await putTrainingRecords(op, { jobId: ref.jobId, fit: WHOLE_JOB, now: deps.now(), records: [record] })
  return plan
}

/** Returns the plan of a job's fits, or null when there is none. */
export async function loadPlan(deps: CompileDeps, ref: JobRef): Promise<FitPlan | null> {
  const records = await findTrainingRecords(operationOf(deps, ref), { jobId: ref.jobId, fit: WHOLE_JOB })
  const digest = records.get('plan')?.blobSha256
  if (digest === undefined || digest === null) return null
  const plan: FitPlan = deserialize(await getBlob(deps.db, digest, MAX_FIT_BYTES))
  return plan
}

/** Returns the input of a fit. Throws `internal` when the bytes do not match the digest. */
export async function loadInput(deps: Pick<CompileDeps, 'db'>, inputSha256: Sha256): Promise<Uint8Array> {
  const bytes = await getBlob(deps.db, inputSha256, MAX_FIT_BYTES)
  if (sha256(bytes) !== inputSha256) throw KERNEL_ERRORS.internal('the input of a fit was changed')
  return bytes
}
