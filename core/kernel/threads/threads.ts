import { Piscina } from 'piscina'
import type { Transferable } from 'node:worker_threads'

/** Threads for work of one kind that would hold the event loop. */
export interface Threads<Task, Reply> {
  /**
   * What the thread answers; the memory of `moved` goes over to it. Throws what the work throws, and what the thread
   * dies of.
   */
  run(task: Task, moved?: readonly Transferable[]): Promise<Reply>
  /** Ends them; what still waits or runs is rejected. */
  close(): Promise<void>
}

const IDLE_MS = 30_000
/** Of the heap of each: what is made and forgotten at once needs little, and a thread keeps all that it may. */
const YOUNG_MB = 12

/**
 * Opens threads whose entry is the function `name` of a file. They start with the first task; those that idle end, but
 * for one. That one stays, since tasks that wait are looked at when a thread comes or becomes free: had all died, of too
 * little memory say, and none been replaced, they would wait for ever.
 */
export function openThreads<Task, Reply>(options: {
  readonly file: URL
  readonly name: string
  readonly most: number
  /**
   * Heap limit of each; a task that passes it fails with `ERR_WORKER_OUT_OF_MEMORY`, the process lives on. The task itself
   * must leave room in it: a thread that passes it while it receives a task takes the process along.
   */
  readonly memoryMb?: number
  /** Tasks that one thread has under way at once: more than one for tasks that mostly wait. */
  readonly tasksPerThread?: number
}): Threads<Task, Reply> {
  const { file, name, most, memoryMb, tasksPerThread = 1 } = options
  let piscina: Piscina<Task, Reply> | undefined
  const start = (): Piscina<Task, Reply> => {
    const started = new Piscina<Task, Reply>({
      filename: file.href,
      name,
      minThreads: 1,
      maxThreads: most,
      idleTimeout: IDLE_MS,
      concurrentTasksPerWorker: tasksPerThread,
      resourceLimits: {
        maxYoungGenerationSizeMb: YOUNG_MB,
        ...(memoryMb !== undefined && { maxOldGenerationSizeMb: memoryMb }),
      },
    })
    // Told when a thread dies between two tasks: it is replaced, and there is no task to fail.
    started.on('error', () => undefined)
    return started
  }
  return {
    async run(task, moved = []) {
      piscina ??= start()
      return await piscina.run(task, { transferList: [...moved] })
    },
    async close() {
      await piscina?.destroy()
    },
  }
}
