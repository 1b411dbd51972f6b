import { MODEL_ERRORS } from '../errors.ts'
import type { FitHooks, FitInput, FittedAdapter, FitTasks } from './fit/fit-types.ts'
import { runInThread } from '../../kernel/threads/task-thread.ts'

/** Time without a step after which a fit is ended with its thread: a step of a large base takes minutes. */
const STILL_MS = 30 * 60_000

/**
 * Fits an adapter in a separate thread, since a run of a graph blocks its thread. The weights of the base are shared
 * with that thread. Same input, machine and number of threads give the same bytes, also across checkpoints. Throws
 * `no_training_rows`, `validation_failed`, `base_does_not_fit`, `training_diverged`, `invalid_checkpoint`,
 * `compile_cancelled` after an abort, and a hook's errors; always after the thread has ended.
 */
export async function fitAdapter(input: FitInput, hooks: FitHooks = {}): Promise<FittedAdapter> {
  const { signal } = hooks
  try {
    // The thread ends itself between two runs of the graph: one that is ended within a run takes the process with it.
    return await runInThread<FitTasks, 'fit'>(
      { file: new URL('./fit/fit-thread.ts', import.meta.url), name: 'fit', onAbort: 'wait', stillMs: STILL_MS },
      'fit',
      input,
      {
        signal,
        onProgress: (report) => {
          // A hook that throws, as when a checkpoint cannot be kept, ends the fit.
          if (report.kind === 'step') hooks.onStep?.(report.progress)
          else hooks.onCheckpoint?.(report.bytes, report.step)
        },
      },
    )
  } catch (error) {
    throw signal?.aborted === true ? MODEL_ERRORS.compile_cancelled('the fit was cancelled', { cause: error }) : error
  }
}
