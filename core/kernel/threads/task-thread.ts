import { Worker, type Transferable } from 'node:worker_threads'
import { builtFile } from './built-file.ts'
import type { FeedOf, FromThread, ProgressOf, TaskShapes, ToThread } from './protocol.ts'
import { unpackThreadError } from './thread-error.ts'
import { failureOf, ThreadFailure } from './thread-failure.ts'

/** Settings of a thread. */
export interface ThreadOptions {
  /** Its entry, which calls `serveTasks`. */
  readonly file: URL
  /** For people: names the thread in messages. */
  readonly name: string
  /**
   * Heap limit, MiB: a thread that passes it fails with `thread_out_of_memory`, the process lives on. A task itself must
   * leave room in it: a thread that passes it while it receives a task takes the process along.
   */
  readonly memoryMb?: number
  /**
   * Beside that, MiB for values that are made and forgotten at once. A flag `--max-semi-space-size` of the process goes first: V8
   * then gives every thread three times that. A thread keeps all that it may.
   */
  readonly youngMb?: number
  /**
   * Effect of an abort. `end`: the thread is ended, whatever it does, for threads of one task. `leave`: the task is
   * asked to end, and the caller is answered at once. `wait`: the task is asked to end, and the caller waits for its
   * answer, for threads that must not be ended while native code runs.
   */
  readonly onAbort: 'end' | 'leave' | 'wait'
  /** A task that reports nothing and does not end for this long is ended with its thread, milliseconds. */
  readonly stillMs?: number
}

/** Callbacks and bounds of one task. */
export interface TaskOptions<Progress, Feed> {
  /** Ends the task as `onAbort` says; the call rejects with the signal's reason, with `wait` as the task ends. */
  readonly signal?: AbortSignal | undefined
  /** Called with each report of the task, in order and before its answer. An error that it throws ends the task and is thrown. */
  readonly onProgress?: (progress: Progress, feed: (value: Feed, moved?: readonly Transferable[]) => void) => void
  /** For this task, in place of the thread's. */
  readonly stillMs?: number
  /** Memory that goes over to the thread. */
  readonly moved?: readonly Transferable[]
}

interface Call {
  readonly resolve: (output: unknown) => void
  readonly reject: (error: unknown) => void
  readonly onProgress: (value: unknown) => void
  /** Proves that the task does something. */
  readonly moves: () => void
  /** Set when a callback has failed: the caller gets this error in place of the answer. */
  fault?: { readonly error: unknown }
  readonly quit: () => void
}

/** One thread and the tasks that it has under way. An idle one keeps no process alive. */
export class TaskThread<Tasks extends TaskShapes<Tasks>> {
  readonly #options: ThreadOptions
  readonly #worker: Worker
  readonly #calls = new Map<number, Call>()
  readonly #exited = Promise.withResolvers<void>()
  #nextCall = 0
  #end: { readonly reason: unknown } | undefined

  constructor(options: ThreadOptions) {
    const { file, name, memoryMb, youngMb } = options
    this.#options = options
    this.#worker = new Worker(builtFile(file), {
      name,
      resourceLimits: {
        ...(memoryMb !== undefined && { maxOldGenerationSizeMb: memoryMb }),
        ...(youngMb !== undefined && { maxYoungGenerationSizeMb: youngMb }),
      },
    })
    this.#worker.on('message', (message: FromThread) => this.#receive(message))
    this.#worker.on('messageerror', (error) => void this.end(failureOf(name, error)))
    this.#worker.on('error', (error) => this.#finish(failureOf(name, error)))
    this.#worker.on('exit', (code) => {
      this.#finish(new ThreadFailure('thread_ended', `a ${name} thread ended with ${code} before its task`))
      this.#exited.resolve()
    })
    this.#worker.unref()
  }

  /** True once it has ended: it takes no further tasks. */
  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  /** True once it was ended since a task reported nothing: it may hang in native code. */
  get isStill(): boolean {
    const reason = this.#end?.reason
    return reason instanceof ThreadFailure && reason.code === 'thread_still'
  }

  /** True while a task is under way. */
  get isBusy(): boolean {
    return this.#calls.size > 0
  }

  /** Resolves when the thread is gone. */
  get exited(): Promise<void> {
    return this.#exited.promise
  }

  /** Returns the task's answer. Throws the task's error, `ThreadFailure`, and after an abort as `onAbort` says. */
  async run<Name extends keyof Tasks & string>(
    name: Name,
    input: Tasks[Name]['input'],
    options: TaskOptions<ProgressOf<Tasks[Name]>, FeedOf<Tasks[Name]>> = {},
  ): Promise<Tasks[Name]['output']> {
    const { signal, onProgress, moved = [] } = options
    signal?.throwIfAborted()
    if (this.#end !== undefined) throw this.#end.reason
    const { onAbort } = this.#options
    const { stillMs = this.#options.stillMs } = options
    const call = this.#nextCall++
    const endFlag = onAbort === 'wait' ? new Int32Array(new SharedArrayBuffer(4)) : null
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const post = (message: ToThread, transfer: readonly Transferable[] = []): void => {
      if (!this.hasEnded) this.#worker.postMessage(message, [...transfer])
    }
    const ask = (): void => {
      if (endFlag !== null) Atomics.store(endFlag, 0, 1)
      post({ kind: 'abort', call })
    }
    const quit = (reason: unknown): void => {
      if (onAbort === 'end') void this.end(reason)
      else ask()
      if (onAbort === 'leave') reject(reason)
    }
    const still = stillMs === undefined ? undefined : setTimeout(() => void this.end(this.#stillFor(stillMs)), stillMs)
    const entry: Call = {
      resolve,
      reject,
      moves: () => void still?.refresh(),
      quit: () => quit(entry.fault?.error),
      onProgress: (value) =>
        onProgress?.(value as ProgressOf<Tasks[Name]>, (fed, transfer) =>
          post({ kind: 'feed', call, value: fed }, transfer),
        ),
    }
    const abort = (): void => quit(signal?.reason)
    this.#calls.set(call, entry)
    this.#worker.ref()
    signal?.addEventListener('abort', abort, { once: true })
    try {
      post({ kind: 'task', call, name, input, endFlag }, moved)
      return (await promise) as Tasks[Name]['output']
    } finally {
      clearTimeout(still)
      signal?.removeEventListener('abort', abort)
      this.#calls.delete(call)
      if (this.#calls.size === 0) this.#worker.unref()
    }
  }

  /** Ends the thread: its tasks are rejected with `reason`, at once. Resolves when it is gone. */
  async end(reason: unknown): Promise<void> {
    this.#finish(reason)
    await this.#worker.terminate()
  }

  #stillFor(stillMs: number): ThreadFailure {
    const { name } = this.#options
    return new ThreadFailure('thread_still', `a ${name} thread reported nothing for ${Math.round(stillMs / 1000)} s`)
  }

  #receive(message: FromThread): void {
    const call = this.#calls.get(message.call)
    if (call === undefined) return
    const { fault } = call
    switch (message.kind) {
      case 'progress':
        call.moves()
        if (fault === undefined) report(call, message.value)
        return
      case 'done':
        if (fault === undefined) call.resolve(message.output)
        else call.reject(fault.error)
        return
      case 'failed':
        call.reject(fault === undefined ? unpackThreadError(message.error) : fault.error)
    }
  }

  #finish(reason: unknown): void {
    this.#end ??= { reason }
    for (const { reject, fault } of this.#calls.values()) reject(fault === undefined ? reason : fault.error)
  }
}

function report(call: Call, value: unknown): void {
  try {
    call.onProgress(value)
  } catch (error) {
    call.fault = { error }
    call.quit()
  }
}

/** Runs one task in a new thread, which ends with it. Throws as `run` of the thread. */
export async function runInThread<Tasks extends TaskShapes<Tasks>, Name extends keyof Tasks & string>(
  options: ThreadOptions,
  name: Name,
  input: Tasks[Name]['input'],
  task: TaskOptions<ProgressOf<Tasks[Name]>, FeedOf<Tasks[Name]>>,
): Promise<Tasks[Name]['output']> {
  task.signal?.throwIfAborted()
  const thread = new TaskThread<Tasks>(options)
  try {
    return await thread.run(name, input, task)
  } finally {
    const ended = thread.end(new ThreadFailure('thread_closed', 'the task of the thread is over'))
    // A thread that hangs in native code may never end; its caller continues.
    if (!thread.isStill) await ended
  }
}
