import type { FairLane, Slot } from './fair/fair-lane.ts'
import type { Share } from './fair/flows.ts'
import { evenShare, takeCore, type Beside } from './cores.ts'
import type { FeedOf, ProgressOf, TaskShapes } from './protocol.ts'
import { TaskThread, type TaskOptions, type ThreadOptions } from './task-thread.ts'
import { ThreadFailure } from './thread-failure.ts'

/** Settings of a pool of threads. */
export interface PoolOptions extends Omit<ThreadOptions, 'onAbort'> {
  /** Most threads at once. They start when they are needed. */
  readonly most: number
  /** The lane in which each task takes a core of the process's budget, or the reason why it takes none. */
  readonly cores: FairLane | Beside
  /**
   * Tasks that one thread has under way at once; more than one for tasks that mostly wait. An abort ends the thread of a
   * task that has it alone, and asks the task to end where others are beside it.
   */
  readonly tasksPerThread?: number
  /**
   * True where a call whose thread is ended returns when the thread is gone: for tasks that write where the caller cleans
   * up. One that is ended since it reported nothing may hang in native code, and is not waited for.
   */
  readonly outlastsThread?: boolean
  /** True to start a thread before the first task, when the pool has been open for a while. */
  readonly isWarm?: boolean
  /** Time without a task after which the last thread ends too, milliseconds; absent, it stays. */
  readonly lastIdleMs?: number
}

/** One task in a pool: `share` says who its core is for; all tasks without one are one caller. */
export type PooledTask<Progress, Feed> = TaskOptions<Progress, Feed> & { readonly share?: Share | undefined }

/** Threads for work of one kind that would hold the event loop. */
export interface Threads<Tasks extends TaskShapes<Tasks>> {
  /** Runs a task when a thread and a core are free. Throws as `TaskThread.run`, and `busy` as `onCore`. */
  run<Name extends keyof Tasks & string>(
    name: Name,
    input: Tasks[Name]['input'],
    options?: PooledTask<ProgressOf<Tasks[Name]>, FeedOf<Tasks[Name]>>,
  ): Promise<Tasks[Name]['output']>
  /**
   * Gives `work` a thread and a core of its own until it ends: for tasks that build on each other's state in the thread. A
   * task that `work` leaves under way ends with its thread. Only for pools with one task in a thread. Throws as `run`.
   */
  use<T>(task: OwnTask, work: (thread: Pick<TaskThread<Tasks>, 'run'>) => Promise<T>): Promise<T>
  /** Ends all threads; tasks that wait or run reject with `thread_closed`. */
  close(): Promise<void>
}

/** Time without a task after which all threads but one end, and give their heaps back. */
const IDLE_MS = 10_000
/** Time after which a warm pool starts its first thread: the start of a process has the cores for itself. */
const WARM_AFTER_MS = 10_000
const OWN_SHARE = evenShare('process')

/** A thread with the tasks that were given to it. */
interface Seat<Tasks extends TaskShapes<Tasks>> {
  readonly thread: TaskThread<Tasks>
  tasks: number
  idle: NodeJS.Timeout | undefined
}

/** The part of a task that its core is taken by. */
type OwnTask = Pick<PooledTask<unknown, unknown>, 'share' | 'signal'>

/** A task that waits for a thread. */
interface Waiter<Tasks extends TaskShapes<Tasks>> {
  readonly grant: (seat: Seat<Tasks>) => void
  readonly refuse: (error: unknown) => void
}

/** Opens a pool of threads. One stays when they idle; one that ended is replaced when a task needs it. */
export function openThreads<Tasks extends TaskShapes<Tasks>>(options: PoolOptions): Threads<Tasks> {
  const { cores, most, tasksPerThread = 1, outlastsThread = false, isWarm = false, lastIdleMs } = options
  type Own = Seat<Tasks>
  const seats = new Set<Own>()
  const waiting = new Set<Waiter<Tasks>>()
  const closing = new AbortController()

  const open = (): Own => {
    const thread = new TaskThread<Tasks>({ ...options, onAbort: tasksPerThread > 1 ? 'leave' : 'end' })
    const seat: Own = { thread, tasks: 0, idle: undefined }
    seats.add(seat)
    void thread.exited.then(() => drop(seat))
    return seat
  }

  const drop = (seat: Own): void => {
    clearTimeout(seat.idle)
    seats.delete(seat)
    serve()
  }

  /** A seat for one more task, or undefined when all are taken. */
  const find = (): Own | undefined => {
    let free: Own | undefined
    for (const seat of seats) {
      if (seat.thread.hasEnded || seat.tasks >= tasksPerThread) continue
      if (free === undefined || seat.tasks < free.tasks) free = seat
    }
    if (free !== undefined && (free.tasks === 0 || seats.size >= most)) return free
    return seats.size < most ? open() : free
  }

  const serve = (): void => {
    for (const waiter of waiting) {
      if (closing.signal.aborted) return
      const seat = find()
      if (seat === undefined) return
      waiting.delete(waiter)
      waiter.grant(sit(seat))
    }
  }

  const sit = (seat: Own): Own => {
    seat.tasks++
    clearTimeout(seat.idle)
    return seat
  }

  const leave = (seat: Own): void => {
    seat.tasks--
    serve()
    if (seat.tasks > 0 || seat.thread.hasEnded) return
    const end = (): void => void seat.thread.end(closed())
    const retire = (): void => {
      if (seat.tasks > 0) return
      const live = [...seats].filter(({ thread }) => !thread.hasEnded)
      if (live.length > 1) end()
      else if (lastIdleMs !== undefined) seat.idle = setTimeout(end, Math.max(0, lastIdleMs - IDLE_MS)).unref()
    }
    seat.idle = setTimeout(retire, Math.min(IDLE_MS, lastIdleMs ?? IDLE_MS)).unref()
  }

  async function takeSeat(signal: AbortSignal | undefined): Promise<Own> {
    signal?.throwIfAborted()
    closing.signal.throwIfAborted()
    const seat = waiting.size === 0 ? find() : undefined
    if (seat !== undefined) return sit(seat)
    const { promise, resolve: grant, reject: refuse } = Promise.withResolvers<Own>()
    const waiter = { grant, refuse }
    const quit = (): void => {
      if (waiting.delete(waiter)) refuse(signal?.reason)
    }
    waiting.add(waiter)
    signal?.addEventListener('abort', quit, { once: true })
    return await promise.finally(() => signal?.removeEventListener('abort', quit))
  }

  /** Returns a seat in place of one whose thread died while its task waited for a core. */
  async function replace(seat: Own, signal: AbortSignal | undefined): Promise<Own> {
    const next = await takeSeat(signal)
    leave(seat)
    return next
  }

  async function takeOwnCore(lane: FairLane, { share = OWN_SHARE, signal }: OwnTask): Promise<Slot> {
    const ends = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])
    return await takeCore(lane, share, ends)
  }

  const warm = (): void => {
    if (seats.size === 0) open()
  }
  const warming = isWarm ? setTimeout(warm, WARM_AFTER_MS).unref() : undefined
  const hold = async <T>(task: OwnTask, work: (seat: Own) => Promise<T>): Promise<T> => {
    let seat = await takeSeat(task.signal)
    let slot: Slot | undefined
    try {
      if (!('beside' in cores)) slot = await takeOwnCore(cores, task)
      if (seat.thread.hasEnded) seat = await replace(seat, task.signal)
      return await work(seat)
    } finally {
      const core = slot
      // A thread that was ended keeps its core until it is gone.
      if (seat.thread.hasEnded) void seat.thread.exited.then(() => core?.release())
      else core?.release()
      leave(seat)
      if (outlastsThread && seat.thread.hasEnded && !seat.thread.isStill) await seat.thread.exited
    }
  }
  return {
    run: async (name, input, task = {}) => await hold(task, async ({ thread }) => await thread.run(name, input, task)),
    use: async (task, work) => {
      if (tasksPerThread > 1) throw new Error('the threads of this pool have several tasks at once')
      return await hold(task, async ({ thread }) => {
        try {
          return await work(thread)
        } finally {
          if (thread.isBusy) void thread.end(closed())
        }
      })
    },
    async close() {
      closing.abort(closed())
      clearTimeout(warming)
      for (const { refuse } of waiting) refuse(closed())
      waiting.clear()
      await Promise.all([...seats].map(async ({ thread }) => await thread.end(closed())))
    },
  }
}

function closed(): ThreadFailure {
  return new ThreadFailure('thread_closed', 'the threads are being closed')
}
