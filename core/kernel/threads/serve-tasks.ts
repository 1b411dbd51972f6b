import { parentPort, type MessagePort, type Transferable } from 'node:worker_threads'
import { Inbox } from './inbox.ts'
import type { FeedOf, FromThread, ProgressOf, TaskShapes, ToThread } from './protocol.ts'
import { packThreadError } from './thread-error.ts'

/** A task's side of its call. */
export interface RunningTask<Progress, Feed> {
  /** Aborted when the caller wants no answer any more; work that lets the event loop turn sees it. */
  readonly signal: AbortSignal
  /** The same for work that does not let the event loop turn, where its thread is left to end by itself (`wait`). */
  isEnding(): boolean
  /** Reports progress, which arrives before the answer and in order; the memory of `moved` goes over. */
  tell(progress: Progress, moved?: readonly Transferable[]): void
  /** Returns the next value that the caller feeds. Rejects when the task is to end, or is over. */
  next(): Promise<Feed>
}

/** The work of each task. An error goes to the caller of that task alone. */
export type TaskTable<Tasks extends TaskShapes<Tasks>> = {
  readonly [Name in keyof Tasks]: (
    input: Tasks[Name]['input'],
    task: RunningTask<ProgressOf<Tasks[Name]>, FeedOf<Tasks[Name]>>,
  ) => Tasks[Name]['output'] | Promise<Tasks[Name]['output']>
}

interface Running {
  readonly feed: Inbox<unknown>
  readonly controller: AbortController
}

type Work = (input: unknown, task: RunningTask<unknown, unknown>) => unknown

/** Serves the tasks of a thread, whose entry calls this once. */
export function serveTasks<Tasks extends TaskShapes<Tasks>>(table: TaskTable<Tasks>): void {
  const port = parentPort
  if (port === null) throw new Error('tasks are served in a worker thread')
  // Messages carry names and values without their types; `run` of the caller's side has checked them.
  const works = new Map(Object.entries<Work>(table as unknown as Record<string, Work>))
  const running = new Map<number, Running>()
  port.on('message', (message: ToThread) => {
    switch (message.kind) {
      case 'task':
        void serve(port, works, running, message)
        return
      case 'feed':
        running.get(message.call)?.feed.push(message.value)
        return
      case 'abort':
        abort(running.get(message.call))
    }
  })
}

function abort(task: Running | undefined): void {
  const reason = new Error('the task is no longer wanted')
  task?.controller.abort(reason)
  task?.feed.fail(reason)
}

async function serve(
  port: MessagePort,
  works: ReadonlyMap<string, Work>,
  running: Map<number, Running>,
  { call, name, input, endFlag }: Extract<ToThread, { kind: 'task' }>,
): Promise<void> {
  const post = (message: FromThread, moved: readonly Transferable[] = []) => port.postMessage(message, [...moved])
  const feed = new Inbox<unknown>()
  const controller = new AbortController()
  const { signal } = controller
  running.set(call, { feed, controller })
  try {
    const work = works.get(name)
    if (work === undefined) throw new Error(`the thread has no task ${name}`)
    const output = await work(input, {
      signal,
      isEnding: () => signal.aborted || (endFlag !== null && Atomics.load(endFlag, 0) !== 0),
      tell: (value, moved) => post({ kind: 'progress', call, value }, moved),
      next: async () => await feed.next(),
    })
    post({ kind: 'done', call, output })
  } catch (error) {
    post({ kind: 'failed', call, error: packThreadError(error) })
  } finally {
    running.delete(call)
    // Others may wait for what this caller would have fed, as for an adapter that several callers have.
    feed.fail(new Error('the task is over'))
  }
}
