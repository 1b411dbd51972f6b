import {
  decodeFitDocument,
  type DocumentAdapter,
  type DocumentTeacher,
  type FitDocument,
} from '../../../../core/compile/stages/lora/fit/fit-document.ts'
import { readAdapter, type AdapterFile } from '../../../../core/model/files/adapter-files.ts'
import { MODEL_ERRORS } from '../../../../core/model/errors.ts'
import { openBaseModel, type BaseModel } from '../../../../core/model/files/base-model.ts'
import type { LoraAdapter } from '../../../../core/model/files/lora-adapter.ts'
import { findBase } from '../../../../core/model/files/find-base.ts'
import { fitAdapter as fit } from '../../../../core/model/training/fit-adapter.ts'
import type { FitHooks, FitInput, FitTeacher, FittedAdapter } from '../../../../core/model/training/fit/fit-types.ts'
import { getBlob } from '../../../../db/kernel/blobs/read-blob.ts'
import { appendEvent } from '../../../../db/compile/progress/events/append-event.ts'
import { findTrainingRecords } from '../../../../db/compile/progress/training/training-records.ts'
import type { RunningActivity } from '../../../kernel/run-activity.ts'
import { type CompileDeps, operationOf } from '../deps.ts'
import { loadInput, MAX_FIT_BYTES } from './fit-plan.ts'
import { createCheckpointKeeper } from './keep-checkpoints.ts'
import { createProgressTeller } from './tell-progress.ts'
import type { FitId } from './fit-id.ts'

/** The activity dependencies that training needs here. */
type TrainDeps = Pick<CompileDeps, 'db' | 'temporal' | 'limits' | 'baseFolders' | 'log' | 'now'>

/** A completed fit. */
export interface FitOutcome {
  readonly fitted: FittedAdapter
  readonly document: FitDocument
  readonly seconds: number
}

/** Thrown when a fit stopped at a checkpoint because its turn was over. */
export class TurnOver extends Error {
  /** Length of the turn. */
  readonly seconds: number

  constructor(seconds: number) {
    super('the turn of the fit is over')
    this.name = 'TurnOver'
    this.seconds = seconds
  }
}

/**
 * Fits an adapter in a thread of this process, from its newest checkpoint if there is one, and stores checkpoints while
 * it runs. The result has the same bytes however often it is interrupted. Throws as `fitAdapter` of
 * core/model/training, `base_mismatch`, and `TurnOver` with a checkpoint stored when `turnOver` is aborted first.
 */
export async function trainHere(
  deps: TrainDeps,
  one: FitId,
  activity: Omit<RunningActivity, 'wait'>,
  turnOver?: AbortSignal,
): Promise<FitOutcome> {
  const over = new AbortController()
  const ended = AbortSignal.any([activity.signal, over.signal])
  const signal = turnOver === undefined ? ended : AbortSignal.any([ended, turnOver])
  const document = decodeFitDocument(await loadInput(deps, one.inputSha256))
  const base = await openFitBase(deps, document.base, signal)
  const teacher = await openTeacher(deps, document.teacher, base, signal)
  const teller = createProgressTeller(deps, one, () => over.abort())
  const keeper = createCheckpointKeeper(deps, one, () => over.abort())
  const startedAt = performance.now()
  try {
    const input: FitInput = {
      base,
      rows: document.rows,
      validation: document.validation,
      hyperparameters: document.hyperparameters,
      ...(teacher !== undefined && { teacher }),
      ...(document.start !== undefined && { start: openAdapter(document.start, base) }),
      memoryBudgetBytes: deps.limits.trainer_memory_bytes,
      threads: deps.limits.trainer_threads,
      checkpointEverySeconds: deps.limits.trainer_checkpoint_s,
    }
    const hooks: FitHooks = {
      signal,
      onStep: (progress) => {
        activity.note(progress)
        teller.tell(progress)
      },
      onCheckpoint: (bytes, step) => keeper.keep(bytes, step),
    }
    const fitted = await resume(deps, one, input, hooks)
    return { fitted, document, seconds: secondsSince(startedAt) }
  } catch (error) {
    throw turnOver?.aborted === true && !ended.aborted ? new TurnOver(secondsSince(startedAt)) : error
  } finally {
    await keeper.settle()
    await teller.settle()
  }
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000
}

/** Resumes from the newest checkpoint of this fit; starts from the beginning when there is none. */
async function resume(deps: TrainDeps, one: FitId, input: FitInput, hooks: FitHooks): Promise<FittedAdapter> {
  const records = await findTrainingRecords(operationOf(deps, one), { jobId: one.jobId, fit: one.inputSha256 })
  const kept = records.get('checkpoint')
  if (kept === undefined || kept.blobSha256 === null) return await fit(input, hooks)
  const tell = async (code: string, message: string): Promise<void> => {
    const body = { step: 'lora-fit', code, message, checkpoint: kept.facts }
    await appendEvent(operationOf(deps, one), { jobId: one.jobId, kind: 'log', body, now: deps.now() })
  }
  try {
    await tell('fit_resumed', 'the fit goes on from its newest checkpoint')
    return await fit({ ...input, checkpoint: await getBlob(deps.db, kept.blobSha256, MAX_FIT_BYTES) }, hooks)
  } catch (error) {
    if (!MODEL_ERRORS.invalid_checkpoint.matches(error)) throw error
    await tell('checkpoint_unusable', 'the newest checkpoint cannot be used: the fit begins again')
    return await fit(input, hooks)
  }
}

/** Opens the teacher that a document names; the base is read once when both have the same. */
async function openTeacher(
  deps: TrainDeps,
  named: DocumentTeacher | undefined,
  base: BaseModel,
  signal: AbortSignal,
): Promise<FitTeacher | undefined> {
  if (named === undefined) return undefined
  const isSame = named.base.weightsHash === base.weightsHash
  const model = isSame ? base : await openFitBase(deps, named.base, signal)
  if (named.adapter === null) return { ...model, adapter: null }
  return { ...model, adapter: openAdapter(named.adapter, model) }
}

function openAdapter({ config, weights }: DocumentAdapter, base: BaseModel): LoraAdapter {
  const files = new Map<AdapterFile, Uint8Array>([
    ['adapter_config.json', new TextEncoder().encode(config)],
    ['adapter_model.safetensors', Buffer.from(weights, 'base64')],
  ])
  return readAdapter(files, base.config)
}

async function openFitBase(deps: TrainDeps, base: FitDocument['base'], signal: AbortSignal): Promise<BaseModel> {
  const { model } = await openBaseModel(await findBase(base.name, deps.baseFolders), { signal })
  if (model.weightsHash === base.weightsHash) return model
  throw MODEL_ERRORS.base_mismatch(`${base.name} has different weights here from where the fit was prepared`, {
    details: { expected: base.weightsHash, found: model.weightsHash },
  })
}
