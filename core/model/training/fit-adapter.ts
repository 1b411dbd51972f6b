import { Worker } from 'node:worker_threads'
import type { DomainError } from '../../kernel/errors.ts'
import { MODEL_ERRORS } from '../errors.ts'
import { unpackThreadError } from '../../kernel/threads/thread-error.ts'
import type { FitMessage, FitThreadData } from './fit/fit-messages.ts'
import type { FitHooks, FitInput, FittedAdapter } from './fit/fit-types.ts'

/**
 * Fits an adapter in a separate thread, since a run of a graph blocks its thread. The weights of the base are shared
 * with that thread. Same input, machine and number of threads give the same bytes, also across checkpoints. Throws
 * `no_training_rows`, `validation_failed`, `base_does_not_fit`, `training_diverged`, `invalid_checkpoint`,
 * `compile_cancelled` after an abort, and a hook's errors; always after the thread has ended.
 */
export async function fitAdapter(input: FitInput, hooks: FitHooks = {}): Promise<FittedAdapter> {
  const { signal } = hooks
  const isAborted = (): boolean => signal?.aborted === true
  if (isAborted()) throw cancelled()
  const endFlag = new Int32Array(new SharedArrayBuffer(4))
  const workerData: FitThreadData = { input, endFlag }
  const worker = new Worker(new URL('./fit/fit-thread.ts', import.meta.url), { workerData, name: 'fit' })
  // The thread ends itself between two runs of the graph: one that is ended within a run takes the process with it.
  const end = (): void => void Atomics.store(endFlag, 0, 1)
  signal?.addEventListener('abort', end, { once: true })
  try {
    return await outcomeOf(worker, hooks, end)
  } catch (error) {
    throw isAborted() ? cancelled(error) : error
  } finally {
    signal?.removeEventListener('abort', end)
    await worker.terminate()
  }
}

async function outcomeOf(worker: Worker, hooks: FitHooks, end: () => void): Promise<FittedAdapter> {
  return await new Promise((resolve, reject) => {
    let fault: { readonly error: unknown } | undefined
    worker.on('message', (message: FitMessage) => {
      try {
        switch (message.kind) {
          case 'step':
            return fault === undefined ? hooks.onStep?.(message.progress) : undefined
          case 'checkpoint':
            return fault === undefined ? hooks.onCheckpoint?.(message.bytes, message.step) : undefined
          case 'done':
            return fault === undefined ? resolve(message.fitted) : reject(fault.error)
          case 'failed':
            return reject(fault === undefined ? unpackThreadError(message.error) : fault.error)
        }
      } catch (error) {
        // A hook that throws, as when a checkpoint cannot be kept, ends the fit.
        fault = { error }
        end()
      }
    })
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the thread of the fit ended with ${code} before it was done`)))
  })
}

function cancelled(cause?: unknown): DomainError {
  return MODEL_ERRORS.compile_cancelled('the fit was cancelled', { cause })
}
