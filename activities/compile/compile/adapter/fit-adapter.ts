import { toJsonObject } from '../../../../core/compile/archive/members/members-json.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import { canonicalJson, type JsonObject, type Sha256 } from '../../../../core/kernel/json/json.ts'
import { writeAdapter } from '../../../../core/model/files/adapter-files.ts'
import { putBlob } from '../../../../db/kernel/blobs/put-blob.ts'
import { findTrainingRecords, putTrainingRecords } from '../../../../db/compile/progress/training/training-records.ts'
import { COMPUTE_STILL_MS, runActivity } from '../../../kernel/run-activity.ts'
import { type CompileDeps, operationOf } from '../deps.ts'
import { FitSummary, type FitRef } from '../results.ts'
import type { FitOutcome } from './train-here.ts'
import { trainInTurns } from './train-in-turns.ts'
import { type FitId, fitIdOf } from './fit-id.ts'

/**
 * The `embedded` trainer: fits one adapter in a thread, with heartbeats and checkpoints. A repeated call returns the
 * recorded result, or resumes from the newest checkpoint and produces the same bytes. It has the name, argument and
 * result of the activity that serves the GPU queue. Throws `no_training_rows`, `base_does_not_fit`,
 * `training_diverged`, `base_mismatch`, `base_not_installed`.
 */
export async function fitAdapter(deps: CompileDeps, ref: FitRef): Promise<FitSummary> {
  return await runActivity(
    deps.log,
    async (activity) => {
      const one = await fitIdOf(deps, ref)
      const { jobId, inputSha256 } = one
      const records = await findTrainingRecords(operationOf(deps, one), { jobId, fit: inputSha256 })
      const recorded = records.get('training')
      if (recorded !== undefined) return FitSummary.parse(recorded.facts)
      try {
        return await record(deps, one, await trainInTurns(deps, one, activity))
      } catch (error) {
        if (!activity.signal.aborted) await keepFailure(deps, one, error)
        throw error
      }
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

/** Stores the adapter and its training report, and names them in one transaction. */
async function record(deps: CompileDeps, one: FitId, outcome: FitOutcome): Promise<FitSummary> {
  const { fitted, document } = outcome
  const files = writeAdapter(fitted.adapter, { baseName: document.base.name })
  // The fit's thread has loaded it already; a worker that fits nothing never loads it.
  const { env } = await import('onnxruntime-node')
  const runtime = env.versions.node ?? env.versions.common
  const store = async (bytes: Uint8Array | undefined): Promise<Sha256> =>
    (await putBlob(deps.db, bytes ?? new Uint8Array())).sha256
  const { steps, validations } = fitted.history
  const best = validations.find(({ step }) => step === fitted.bestStep) ?? validations.at(-1)
  const summary: FitSummary = {
    adapterConfigSha256: await store(files.get('adapter_config.json')),
    adapterModelSha256: await store(files.get('adapter_model.safetensors')),
    trainingSha256: await store(new TextEncoder().encode(canonicalJson(trainingFacts(outcome, runtime)))),
    steps: fitted.steps,
    bestStep: fitted.bestStep,
    stoppedEarly: fitted.stoppedEarly,
    loss: (steps[fitted.bestStep - 1] ?? steps.at(-1))?.loss ?? 0,
    validationLoss: best?.loss ?? null,
    tokensPerSecond: fitted.tokensPerSecond,
  }
  await putTrainingRecords(operationOf(deps, one), {
    jobId: one.jobId,
    fit: one.inputSha256,
    now: deps.now(),
    records: [
      { role: 'config', blobSha256: summary.adapterConfigSha256, facts: null },
      { role: 'weights', blobSha256: summary.adapterModelSha256, facts: null },
      { role: 'training', blobSha256: summary.trainingSha256, facts: { ...summary } },
    ],
  })
  return summary
}

/** Returns the training report, in the form that both trainers use. */
function trainingFacts({ fitted, document, seconds }: FitOutcome, runtime: string): JsonObject {
  const { history, variant, memory } = fitted
  return {
    trainer: 'embedded',
    objective: document.hyperparameters.objective.kind,
    hyperparameters: { ...document.hyperparameters },
    history: {
      steps: history.steps.map(({ step, epoch, loss, learningRate }) => ({ step, epoch, loss, learningRate })),
      validation: history.validations.map(({ step, loss, risk }) => ({ step, loss, risk })),
    },
    steps: fitted.steps,
    bestStep: fitted.bestStep,
    stoppedEarly: fitted.stoppedEarly,
    rows: { train: document.rows.length, validation: document.validation.length },
    tokensPerSecond: fitted.tokensPerSecond,
    usefulTokens: fitted.usefulTokens,
    seconds,
    device: 'cpu',
    engine: variant,
    memory: { estimated_bytes: memory.estimatedBytes, budget_bytes: memory.budgetBytes },
    versions: { node: process.versions.node, 'onnxruntime-node': runtime },
  }
}

/** Stores the reason for a failed fit. Messages may name rows, so they never pass through Temporal. */
async function keepFailure(deps: CompileDeps, one: FitId, error: unknown): Promise<void> {
  const { jobId, inputSha256 } = one
  if (!(error instanceof DomainError) || error.facts.retryable) return
  const details = error.details === undefined ? null : toJsonObject(error.details)
  const facts = { code: error.code, message: error.message, details }
  const record = { role: 'failure', blobSha256: null, facts } as const
  await putTrainingRecords(operationOf(deps, one), {
    jobId,
    fit: inputSha256,
    now: deps.now(),
    records: [record],
  }).catch((cause: unknown) =>
    deps.log.warn({ err: cause, job: jobId }, 'the reason for a failed fit could not be stored'),
  )
}
