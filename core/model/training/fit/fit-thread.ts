import { parentPort, workerData } from 'node:worker_threads'
import { MODEL_ERRORS } from '../../errors.ts'
import { lowerThreadPriority } from '../../../kernel/threads/thread-priority.ts'
import { packThreadError } from '../../../kernel/threads/thread-error.ts'
import type { FitMessage, FitThreadData } from './fit-messages.ts'
import { runFit } from './run-fit.ts'

const DEFAULT_CHECKPOINT_SECONDS = 30

const { input, endFlag }: FitThreadData = workerData
const tell = (message: FitMessage, transfer: ArrayBuffer[] = []): void => parentPort?.postMessage(message, transfer)

// Before there is a session: its threads inherit the priority of the one that makes it.
lowerThreadPriority()
const everyMs = 1000 * (input.checkpointEverySeconds ?? DEFAULT_CHECKPOINT_SECONDS)
let lastCheckpoint = performance.now()

try {
  const fitted = await runFit(input, {
    onStep: (progress) => tell({ kind: 'step', progress }),
    wantsCheckpoint: (step) =>
      performance.now() - lastCheckpoint >= everyMs ||
      (input.checkpointEverySteps !== undefined && step % input.checkpointEverySteps === 0),
    onCheckpoint: (bytes, step) => {
      lastCheckpoint = performance.now()
      tell({ kind: 'checkpoint', bytes, step }, [bytes.buffer])
    },
    onPause: async () => {
      if (Atomics.load(endFlag, 0) !== 0) throw MODEL_ERRORS.compile_cancelled('the fit was cancelled')
    },
  })
  tell({ kind: 'done', fitted })
} catch (error) {
  tell({ kind: 'failed', error: packThreadError(error) })
}
