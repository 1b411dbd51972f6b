import type { ComputeStages, ComputeTask } from './compute-task.ts'
import type { ThreadReply } from '../../kernel/threads/reply.ts'

const loadStages = async () => await import('./run-task.ts')

// Loaded before the first call. A failure here occurs again in that call, where it can be reported; a thread that fails
// while starting would end the process.
const loaded = await loadStages().catch(() => undefined)

/** The entry of a compute thread: runs one stage to its end. Cancelling it means ending the thread. */
export async function runComputeTask(
  task: ComputeTask,
): Promise<ThreadReply<ComputeStages[keyof ComputeStages]['output']>> {
  const { runTask } = loaded ?? (await loadStages().catch(endThread))
  return await runTask(task)
}

/** A module that failed once stays failed in its thread: the thread ends with the error, which the call gets, and a new one follows. */
async function endThread(error: unknown): Promise<never> {
  setImmediate(() => {
    throw error
  })
  return await new Promise<never>(() => {})
}
