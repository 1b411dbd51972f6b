import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { serveTasks, type RunningTask } from '../../../../core/kernel/threads/serve-tasks.ts'

/** Tasks that behave in every way that a task can. */
export interface GivenTasks {
  /** Keeps so many lists of a thousand numbers. */
  readonly keep: { readonly input: number; readonly output: number }
  /** Reports 1, 2, … and answers the last. */
  readonly count: { readonly input: number; readonly output: number; readonly progress: number }
  /** Reports 1, 2, … with so many milliseconds of computing before each, and answers the last. */
  readonly pace: {
    readonly input: { readonly to: number; readonly ms: number }
    readonly output: number
    readonly progress: number
  }
  /** Reports that it begins, then computes without an end. */
  readonly spin: { readonly input: null; readonly output: null; readonly progress: 'begun' }
  /** Reports that it begins, then computes until it must end. */
  readonly spinPolitely: { readonly input: null; readonly output: string; readonly progress: 'begun' }
  /** Answers the sum of what it is fed up to 0. */
  readonly add: { readonly input: null; readonly output: number; readonly progress: 'wants'; readonly feed: number }
  /** Answers at once, and leaves its feed to `borrow`. */
  readonly lend: { readonly input: null; readonly output: null; readonly feed: number }
  /** Waits for the feed of the task `lend`; answers why it got none. */
  readonly borrow: { readonly input: null; readonly output: string }
  /** Throws the error of the service that it is given, or an error of no code. */
  readonly fail: { readonly input: 'busy' | 'bug'; readonly output: null }
  /** Answers, and ends its thread once the first number in shared memory is 1. */
  readonly exitWhenTold: { readonly input: Int32Array; readonly output: null }
  /** Ends its thread. */
  readonly exit: { readonly input: null; readonly output: null }
  /** Counts itself in shared memory while it computes for so many milliseconds; answers how many did so at once. */
  readonly meet: {
    readonly input: { readonly running: Int32Array; readonly ms: number }
    readonly output: number
  }
}

function computeFor(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

let lent: RunningTask<never, number> | undefined

serveTasks<GivenTasks>({
  keep: (count) => Array.from({ length: count }, (_, n) => Array.from({ length: 1000 }, (_, m) => n + m / 2)).length,
  count: (to, task) => {
    for (let i = 1; i <= to; i++) task.tell(i)
    return to
  },
  pace: ({ to, ms }, task) => {
    for (let i = 1; i <= to; i++) {
      computeFor(ms)
      task.tell(i)
    }
    return to
  },
  spin: (_, task) => {
    task.tell('begun')
    for (;;) computeFor(1000)
  },
  spinPolitely: (_, task) => {
    task.tell('begun')
    while (!task.isEnding()) computeFor(1)
    return 'ended'
  },
  add: async (_, task) => {
    let sum = 0
    for (;;) {
      task.tell('wants')
      const more = await task.next()
      if (more === 0) return sum
      sum += more
    }
  },
  lend: (_, task) => {
    lent = task
    return null
  },
  borrow: async () => String(await lent?.next().catch((error: unknown) => error)),
  fail: (kind) => {
    if (kind === 'bug') throw new TypeError('a bug')
    throw KERNEL_ERRORS.busy('not now', { retryAfterS: 3, details: { why: 'test' } })
  },
  exitWhenTold: (told) => {
    setInterval(() => {
      if (Atomics.load(told, 0) === 1) process.exit(7)
    }, 5)
    return null
  },
  exit: () => process.exit(7),
  meet: ({ running, ms }) => {
    const together = Atomics.add(running, 0, 1) + 1
    computeFor(ms)
    Atomics.sub(running, 0, 1)
    return together
  },
})
