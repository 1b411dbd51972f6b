import type { PackedResults } from '../../../compile/artifacts/diagnosis/packed-results.ts'
import type { TaskThread } from '../../../kernel/threads/task-thread.ts'
import { isOutOfMemory, ThreadFailure } from '../../../kernel/threads/thread-failure.ts'
import { openThreads } from '../../../kernel/threads/threads.ts'
import { LEARN_ERRORS } from '../../errors.ts'
import type { GivenPack, ReadPack } from '../bench/packs/read-pack.ts'
import type { PreparedRow } from '../prompts/prepared.ts'
import type { PackedOutcomes, StoredOutcome } from '../scoring/packed-outcome.ts'
import type { EvalSummary } from '../scoring/summarize.ts'
import type { RowAnswer } from '../targets/eval-target.ts'
import type { TaskSet } from '../task/read-tasks.ts'
import type { AnsweredRow, EvalTasks, SummaryInput, WaitingRow } from './eval-tasks.ts'
import { EVAL_THREAD, PREPARE_STILL_MS } from './thread-settings.ts'

/** The thread of one evaluation. Its tasks throw `evaluation_failed` for rows that take too much time or memory. */
export interface ScoringThread {
  /** Scores some rows, in their order. */
  score(rows: readonly AnsweredRow[]): Promise<PackedOutcomes>
  /** Opens the archive of an artifact whose recipe needs no base. Throws `invalid_archive`. */
  openArchive(archive: Uint8Array): Promise<void>
  /** Runs the opened artifact on some rows and scores its answers. */
  run(rows: readonly WaitingRow[]): Promise<PackedOutcomes>
  /** Runs the opened artifact on a row. */
  answer(row: PreparedRow): Promise<RowAnswer>
}

/** The thread that computes the figures of one evaluation. */
export interface SummaryThread {
  /** Adds scored rows; returns their results for a diagnosis, null where they are not wanted. */
  add(rows: readonly StoredOutcome[]): Promise<PackedResults | null>
  /** Computes the figures of all rows that were added. */
  summarize(): Promise<EvalSummary>
}

/** Threads of a worker for evaluations. One that was needed stays for a while: its start takes longer than some thousand rows. */
export interface ScoringThreads {
  /**
   * Gives a thread to the rows of one evaluation for the time of `work`: filters, patterns and programs are the caller's. Its
   * caller holds a core.
   */
  withScoring<T>(set: TaskSet, signal: AbortSignal, work: (thread: ScoringThread) => Promise<T>): Promise<T>
  /** Gives a thread to the figures of one evaluation for the time of `work`. Its caller holds a core. */
  withSummary<T>(input: SummaryInput, signal: AbortSignal, work: (thread: SummaryThread) => Promise<T>): Promise<T>
  /** Reads a pack of a benchmark. Throws as `readPack`. */
  readPack(input: GivenPack, signal: AbortSignal): Promise<ReadPack>
  /** Ends all threads. */
  close(): Promise<void>
}

/** Filters and patterns of a caller on the answers of a few rows. */
const SCORE_STILL_MS = 60_000
/** Bootstrapped errors of large tasks take minutes. */
const SUMMARY_STILL_MS = 30 * 60_000
/** Time without an evaluation after which the last thread ends and gives its memory back. */
const LAST_IDLE_MS = 60_000

type OwnThread = Pick<TaskThread<EvalTasks>, 'run'>

/** Opens the threads. They hold no memory until they are needed. */
export function openScoringThreads(): ScoringThreads {
  const threads = openThreads<EvalTasks>({
    ...EVAL_THREAD,
    // As many as there are callers, whom their cores bound: a caller that has a core never waits for a thread of another.
    most: Number.POSITIVE_INFINITY,
    stillMs: SCORE_STILL_MS,
    lastIdleMs: LAST_IDLE_MS,
    cores: { beside: 'activities hold a core for all rows of an evaluation, see activities/compute-slot.ts' },
  })
  return {
    withScoring: async (set, signal, work) =>
      await threads.use({ signal }, async (thread) => {
        await thread.run('openScorers', set, { signal })
        return await work(scoringThread(thread, signal))
      }),
    withSummary: async (input, signal, work) =>
      await threads.use({ signal }, async (thread) => {
        await thread.run('openSummary', input, { signal })
        return await work({
          add: async (rows) => await thread.run('addRows', rows, { signal }),
          summarize: async () => await thread.run('summarize', null, { signal, stillMs: SUMMARY_STILL_MS }),
        })
      }),
    readPack: async (input, signal) => await threads.run('readPack', input, { signal, stillMs: PREPARE_STILL_MS }),
    close: async () => await threads.close(),
  }
}

function scoringThread(thread: OwnThread, signal: AbortSignal): ScoringThread {
  return {
    score: async (rows) => await bounded('the filters take', thread.run('score', rows, { signal })),
    openArchive: async (archive) => void (await thread.run('openArchive', archive, { signal })),
    run: async (rows) => await bounded('the artifact takes', thread.run('run', rows, { signal })),
    answer: async (row) => await bounded('the artifact takes', thread.run('answer', row, { signal })),
  }
}

/** A task that takes too much time or memory is a fault of its rows. */
async function bounded<R>(what: string, running: Promise<R>): Promise<R> {
  try {
    return await running
  } catch (error) {
    const isStill = error instanceof ThreadFailure && error.code === 'thread_still'
    if (!isStill && !isOutOfMemory(error)) throw error
    throw LEARN_ERRORS.evaluation_failed(`${what} too much time or memory on these rows`, { cause: error })
  }
}
