import { isErrorCode } from '../../../../core/compile/errors.ts'
import { putBlob } from '../../../../db/kernel/blobs/put-blob.ts'
import { appendEvent } from '../../../../db/compile/progress/events/append-event.ts'
import { putTrainingRecords } from '../../../../db/compile/progress/training/training-records.ts'
import { codeOfError } from '../../../kernel/failures.ts'
import { operationOf, type CompileDeps } from '../deps.ts'
import type { FitId } from './fit-id.ts'

/** Stores the checkpoints of a fit one after another. While one is being stored, only the newest later one is kept. */
export interface CheckpointKeeper {
  keep(bytes: Uint8Array, step: number): void
  /** Resolves when the newest checkpoint is stored or has failed. Never rejects. */
  settle(): Promise<void>
}

/**
 * Makes a keeper. A checkpoint is stored whole before a row names it, so a failed one leaves the previous one in force.
 * When the store refuses (disk full, or unreachable), the job's log gets one line and the fit continues: an interruption
 * then costs more. Calls `onOver` when the job turns out to be over.
 */
export function createCheckpointKeeper(
  deps: Pick<CompileDeps, 'db' | 'log' | 'now'>,
  fit: FitId,
  onOver: () => void,
): CheckpointKeeper {
  let pending: { readonly bytes: Uint8Array; readonly step: number } | undefined
  let storing: Promise<void> | undefined
  let isTold = false

  async function storeAll(): Promise<void> {
    while (pending !== undefined) {
      const { bytes, step } = pending
      pending = undefined
      try {
        await store(deps, fit, bytes, step)
      } catch (error) {
        const code = codeOfError(error, isErrorCode)
        if (code === 'compile_cancelled' || code === 'already_finished') return onOver()
        deps.log.warn({ err: error, job: fit.jobId, step }, 'a checkpoint could not be stored; the fit goes on')
        if (!isTold) isTold = await tellFailure(deps, fit, step)
      }
    }
  }

  return {
    keep(bytes, step) {
      pending = { bytes, step }
      storing ??= storeAll().finally(() => {
        storing = undefined
      })
    },
    async settle() {
      await storing
    },
  }
}

async function store(
  deps: Pick<CompileDeps, 'db' | 'log' | 'now'>,
  fit: FitId,
  bytes: Uint8Array,
  step: number,
): Promise<void> {
  const { sha256: blobSha256 } = await putBlob(deps.db, bytes)
  const record = { role: 'checkpoint', blobSha256, facts: { step } } as const
  await putTrainingRecords(operationOf(deps, fit), {
    jobId: fit.jobId,
    fit: fit.inputSha256,
    now: deps.now(),
    records: [record],
  })
}

/** Logs the failure. Returns false when the log cannot be written either: the next failure tries again. */
async function tellFailure(deps: Pick<CompileDeps, 'db' | 'log' | 'now'>, fit: FitId, step: number): Promise<boolean> {
  const message = `the checkpoint of step ${step} could not be stored; the fit goes on without it`
  const body = { step: 'lora-fit', code: 'checkpoint_failed', message }
  return await appendEvent(operationOf(deps, fit), { jobId: fit.jobId, kind: 'log', body, now: deps.now() }).then(
    () => true,
    () => false,
  )
}
