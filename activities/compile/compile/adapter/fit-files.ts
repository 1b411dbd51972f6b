import { MOST_ADAPTER_BYTES } from '../../../../core/compile/archive/zip/layout.ts'
import { parseJsonText } from '../../../../core/kernel/json/json-text.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { MODEL_ERRORS } from '../../../../core/model/errors.ts'
import { isJsonObject, type JsonObject } from '../../../../core/kernel/json/json.ts'
import { decodeUtf8 } from '../../../../core/kernel/json/utf8.ts'
import { getBlob } from '../../../../db/kernel/blobs/read-blob.ts'
import { putTrainingRecords } from '../../../../db/compile/progress/training/training-records.ts'
import { type CompileDeps, operationOf } from '../deps.ts'
import type { FitSummary, JobRef } from '../results.ts'
import type { FitPlan } from './fit-plan.ts'

/** The output of a trainer. */
export interface FitFiles {
  readonly config: Uint8Array
  readonly weights: Uint8Array
  readonly training: JsonObject
}

const MAX_TEXT_BYTES = 64 * 1024 * 1024
const JSON_DEPTH = 16

/**
 * References the trainers' outputs so that they stay until they are judged: an external trainer references nothing
 * itself.
 */
export async function nameFiles(
  deps: CompileDeps,
  ref: JobRef,
  plan: FitPlan,
  fits: readonly FitSummary[],
): Promise<void> {
  for (const [place, summary] of fits.entries()) {
    const fit = plan.fits[place]?.inputSha256
    if (fit === undefined) throw KERNEL_ERRORS.internal('there are more adapters than fits')
    await putTrainingRecords(operationOf(deps, ref), {
      jobId: ref.jobId,
      fit,
      now: deps.now(),
      records: [
        { role: 'config', blobSha256: summary.adapterConfigSha256, facts: null },
        { role: 'weights', blobSha256: summary.adapterModelSha256, facts: null },
        { role: 'training', blobSha256: summary.trainingSha256, facts: { ...summary } },
      ],
    })
  }
}

/** Returns the files of a fit. Throws `invalid_adapter` when the training report has the wrong form. */
export async function loadFiles(deps: CompileDeps, fit: FitSummary | undefined): Promise<FitFiles> {
  if (fit === undefined) throw KERNEL_ERRORS.internal('there are fewer adapters than fits')
  const text = decodeUtf8(await getBlob(deps.db, fit.trainingSha256, MAX_TEXT_BYTES), 'training.json')
  const training = parseJsonText(text, JSON_DEPTH, 'training.json')
  if (!isJsonObject(training)) throw MODEL_ERRORS.invalid_adapter('training.json holds no object')
  return {
    config: await getBlob(deps.db, fit.adapterConfigSha256, MAX_TEXT_BYTES),
    weights: await getBlob(deps.db, fit.adapterModelSha256, MOST_ADAPTER_BYTES),
    training,
  }
}
