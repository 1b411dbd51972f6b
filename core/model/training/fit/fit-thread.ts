import { MODEL_ERRORS } from '../../errors.ts'
import { lowerThreadPriority } from '../../../kernel/threads/thread-priority.ts'
import { runFit } from './run-fit.ts'
import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import type { FitTasks } from './fit-types.ts'

const DEFAULT_CHECKPOINT_SECONDS = 30

// Before there is a session: its threads inherit the priority of the one that makes it.
lowerThreadPriority()

serveTasks<FitTasks>({
  fit: async (input, task) => {
    const everyMs = 1000 * (input.checkpointEverySeconds ?? DEFAULT_CHECKPOINT_SECONDS)
    let lastCheckpoint = performance.now()
    return await runFit(input, {
      onStep: (progress) => task.tell({ kind: 'step', progress }),
      wantsCheckpoint: (step) =>
        performance.now() - lastCheckpoint >= everyMs ||
        (input.checkpointEverySteps !== undefined && step % input.checkpointEverySteps === 0),
      onCheckpoint: (bytes, step) => {
        lastCheckpoint = performance.now()
        task.tell({ kind: 'checkpoint', bytes, step }, [bytes.buffer])
      },
      onPause: async () => {
        if (task.isEnding()) throw MODEL_ERRORS.compile_cancelled('the fit was cancelled')
      },
    })
  },
})
