import { Worker } from 'node:worker_threads'
import { DomainError } from '../../errors.ts'
import { unpackThreadError } from '../thread-error.ts'
import type { FitMessage, FitThreadData } from './fit/fit-messages.ts'
import type { FitHooks, FitInput, FittedAdapter } from './fit/fit-types.ts'

/** How long a fit that was told to end may finish its run of the graph before its thread is ended. */
const END_GRACE_MS = 30_000

/**
 * Fits an adapter in a thread of its own, since a run of a graph blocks the thread it is in. The weights of the base are
 * shared with that thread. Same input, machine and number of threads give the same bytes, also across checkpoints.
 * Throws `no_training_rows`, `validation_failed`, `base_does_not_fit`, `training_diverged`, `invalid_checkpoint`, and
 * `compile_cancelled` after an abort.
 */
export async function fitAdapter(input: FitInput, hooks: FitHooks = {}): Promise<FittedAdapter> {
  const { signal } = hooks
  const isAborted = (): boolean => signal?.aborted === true
  if (isAborted()) throw cancelled()
  const endFlag = new Int32Array(new SharedArrayBuffer(4))
  const workerData: FitThreadData = { input, endFlag }
  const worker = new Worker(new URL('./fit/fit-thread.ts', import.meta.url), { workerData, name: 'fit' })
  let grace: NodeJS.Timeout | undefined
  const end = (): void => {
    Atomics.store(endFlag, 0, 1)
    grace = setTimeout(() => void worker.terminate(), END_GRACE_MS)
  }
  signal?.addEventListener('abort', end, { once: true })
  try {
    return await outcomeOf(worker, hooks)
  } catch (error) {
    throw isAborted() ? cancelled(error) : error
  } finally {
    signal?.removeEventListener('abort', end)
    clearTimeout(grace)
    await worker.terminate()
  }
}

async function outcomeOf(worker: Worker, hooks: FitHooks): Promise<FittedAdapter> {
  return await new Promise((resolve, reject) => {
    worker.on('message', (message: FitMessage) => {
      try {
        switch (message.kind) {
          case 'step':
            return hooks.onStep?.(message.progress)
          case 'checkpoint':
            return hooks.onCheckpoint?.(message.bytes, message.step)
          case 'done':
            return resolve(message.fitted)
          case 'failed':
            return reject(unpackThreadError(message.error))
        }
      } catch (error) {
        // A hook that throws, as when a checkpoint cannot be kept, ends the fit.
        reject(error)
      }
    })
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the thread of the fit ended with ${code} before it was done`)))
  })
}

function cancelled(cause?: unknown): DomainError {
  return new DomainError('compile_cancelled', 'the fit was cancelled', { cause })
}
