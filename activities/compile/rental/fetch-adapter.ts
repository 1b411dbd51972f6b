import { z } from 'zod'
import { MOST_ADAPTER_BYTES } from '../../../core/compile/archive/zip/layout.ts'
import { decodeFitDocument, type FitDocument } from '../../../core/compile/stages/lora/fit/fit-document.ts'
import { TrainingFacts } from '../../../core/compile/stages/lora/training-facts.ts'
import { canonicalJson, type Json, type Sha256 } from '../../../core/kernel/json/json.ts'
import { parseJsonText } from '../../../core/kernel/json/json-text.ts'
import { decodeUtf8 } from '../../../core/kernel/json/utf8.ts'
import type { DomainError } from '../../../core/kernel/errors.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { readAdapter, writeAdapter } from '../../../core/model/files/adapter-files.ts'
import { findBase } from '../../../core/model/files/find-base.ts'
import { readBaseConfig } from '../../../core/model/files/inspect-base.ts'
import { computedLength, unitOf } from '../../../core/model/training/rows.ts'
import { findTrainingRecords, putTrainingRecords } from '../../../db/compile/progress/training/training-records.ts'
import { requireRental, type LeaseFacts } from '../../../db/compile/rentals/find-rental.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { loadInput } from '../compile/adapter/fit-plan.ts'
import { FitSummary } from '../compile/results.ts'
import { operationOf, type RentalDeps } from './deps.ts'
import type { LeaseRef } from './watch-machine.ts'

const MAX_TEXT_BYTES = 16 * 1024 * 1024
const JSON_DEPTH = 16

const Result = z.object({
  steps: z.int().min(1),
  best_step: z.int().min(0),
  stopped_early: z.boolean(),
  loss: z.number(),
  validation_loss: z.number().nullable(),
  tokens_per_second: z.number().min(0),
})

/**
 * Takes over what a machine sent, as hostile bytes: the adapter is parsed against the base and the settings of its fit and
 * written anew, the report is reduced to known facts. Safe to repeat. Throws `invalid_adapter`.
 */
export async function fetchAdapter(deps: RentalDeps, ref: LeaseRef): Promise<FitSummary> {
  return await runActivity(deps.log, async () => {
    const op = operationOf(deps, ref)
    const rental = await requireRental(op, ref.jobId)
    const lease = rental.leases.find(({ id }) => id === ref.leaseId)
    if (rental.fit === null || lease === undefined) throw refuse('there is no such lease')
    const fit: Sha256 = `sha256:${rental.fit.slice('sha256:'.length)}`
    const records = await findTrainingRecords(op, { jobId: ref.jobId, fit })
    const recorded = FitSummary.safeParse(records.get('training')?.facts)
    if (recorded.success) return recorded.data
    const { configSha256, weightsSha256, trainingSha256 } = lease
    const result = Result.safeParse(lease.result)
    if (configSha256 === null || weightsSha256 === null || trainingSha256 === null || !result.success) {
      throw refuse('the machine finished without all files of an adapter')
    }
    const document = decodeFitDocument(await loadInput(deps, fit))
    const members = new Map([
      ['adapter_config.json', await getBlob(deps.db, configSha256, MAX_TEXT_BYTES)],
      ['adapter_model.safetensors', await getBlob(deps.db, weightsSha256, MOST_ADAPTER_BYTES)],
    ])
    const { hyperparameters, base } = document
    const adapter = readAdapter(members, await readBaseConfig(await findBase(base.name, deps.baseFolders)))
    const { rank, alpha, targetModules } = adapter.config
    const isAsOrdered =
      rank === hyperparameters.rank &&
      alpha === hyperparameters.alpha &&
      targetModules.toSorted().join() === hyperparameters.targetModules.toSorted().join()
    if (!isAsOrdered) throw refuse('the adapter has other settings than its fit')
    const training = reportOf(await getBlob(deps.db, trainingSha256, MAX_TEXT_BYTES))
    const files = writeAdapter(adapter, { baseName: base.name })
    const store = async (bytes: Uint8Array | undefined): Promise<Sha256> =>
      (await putBlob(deps.db, bytes ?? new Uint8Array())).sha256
    const { data } = result
    const summary: FitSummary = {
      adapterConfigSha256: await store(files.get('adapter_config.json')),
      adapterModelSha256: await store(files.get('adapter_model.safetensors')),
      trainingSha256: await store(new TextEncoder().encode(canonicalJson(training))),
      steps: data.steps,
      bestStep: Math.min(data.best_step, data.steps),
      stoppedEarly: data.stopped_early,
      loss: data.loss,
      validationLoss: data.validation_loss,
      tokensPerSecond: Math.min(data.tokens_per_second, fastest(document, lease)),
    }
    await putTrainingRecords(op, {
      jobId: ref.jobId,
      fit,
      now: deps.now(),
      records: [
        { role: 'config', blobSha256: summary.adapterConfigSha256, facts: null },
        { role: 'weights', blobSha256: summary.adapterModelSha256, facts: null },
        { role: 'training', blobSha256: summary.trainingSha256, facts: { ...summary } },
      ],
    })
    return summary
  })
}

/** The speed of all passes over the rows of a fit in the time that the machine had: a machine cannot have been faster. */
function fastest({ rows, hyperparameters }: FitDocument, { openedAt, seenAt }: LeaseFacts): number {
  const tokens = rows.reduce(
    (sum, row) => sum + unitOf(row).sequences.reduce((of, sequence) => of + computedLength(sequence), 0),
    0,
  )
  const seconds = ((seenAt?.getTime() ?? 0) - (openedAt?.getTime() ?? 0)) / 1000
  return seconds > 0 ? (tokens * hyperparameters.epochs) / seconds : 0
}

function reportOf(bytes: Uint8Array): Json {
  try {
    const parsed = TrainingFacts.safeParse(parseJsonText(decodeUtf8(bytes, 'training'), JSON_DEPTH, 'training'))
    if (parsed.success) return parsed.data
    throw refuse('the training report is not in its form', parsed.error)
  } catch (error) {
    throw MODEL_ERRORS.invalid_adapter.matches(error) ? error : refuse('the training report cannot be read', error)
  }
}

function refuse(problem: string, cause?: unknown): DomainError {
  return MODEL_ERRORS.invalid_adapter(problem, { cause })
}
