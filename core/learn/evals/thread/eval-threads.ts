import type { Cores } from '../../../kernel/threads/cores.ts'
import type { FairLane } from '../../../kernel/threads/fair/fair-lane.ts'
import { evenShare } from '../../../kernel/threads/cores.ts'
import { runInThread, TaskThread } from '../../../kernel/threads/task-thread.ts'
import { isOutOfMemory, ThreadFailure } from '../../../kernel/threads/thread-failure.ts'
import { openThreads } from '../../../kernel/threads/threads.ts'
import { LEARN_ERRORS } from '../../errors.ts'
import type { ScoredRow } from '../scoring/score-row.ts'
import type { GivenPack, ReadPack } from '../bench/packs/read-pack.ts'
import type { BenchInput } from '../bench/runs/bench-input.ts'
import type { EvalSummary } from '../scoring/summarize.ts'
import type { TaskSet } from '../task/read-tasks.ts'
import type { PreparedRow } from '../prompts/prepared.ts'
import type { PackedLog } from '../logs/read/imported.ts'
import type {
  AnsweredRow,
  Compared,
  CompareInput,
  EvalTasks,
  GivenLog,
  PackedSet,
  PrepareInput,
  RunRow,
} from './eval-tasks.ts'

/** Threads that read tasks of callers and make their prompts. */
export interface EvalThreads {
  /**
   * Reads tasks and makes their prompts, in the turn of the tenant. Throws as `prepareSet`, and `invalid_eval_task` for templates that
   * take too much time or memory.
   */
  prepare(tenantId: string, input: PrepareInput, signal: AbortSignal): Promise<PackedSet>
  /** Reads a pack of a benchmark. Throws as `readPack`, and `bench_pack_invalid` for one that takes too much time or memory. */
  readPack(tenantId: string, input: GivenPack, signal: AbortSignal): Promise<ReadPack>
  /** Reads the log of another tool. Throws as `readLog`, and `invalid_eval_log` for one that takes too much time or memory. */
  readLog(tenantId: string, input: GivenLog, signal: AbortSignal): Promise<PackedLog>
  /** Makes the prompts of a benchmark. Throws as `prepareBench`. */
  prepareBench(tenantId: string, input: BenchInput, signal: AbortSignal): Promise<PackedSet>
  /** Compares two evaluations, in the turn of the tenant. */
  compare(tenantId: string, input: CompareInput, signal: AbortSignal): Promise<Compared>
  close(): Promise<void>
}

/** The thread of one evaluation. Its tasks throw `evaluation_failed` for rows that take too much time or memory. */
export interface ScoringThread {
  /** Scores some rows, in their order. */
  score(rows: readonly AnsweredRow[]): Promise<readonly ScoredRow[]>
  /** Opens the archive of an artifact; false for a recipe that needs a base. Throws `invalid_archive`. */
  openArchive(archive: Uint8Array): Promise<boolean>
  /** Runs the opened artifact on some rows and scores its answers. */
  run(rows: readonly PreparedRow[]): Promise<readonly RunRow[]>
}

const FILE = new URL('eval-thread.ts', import.meta.url)
const NAME = 'evals'
const MEMORY_MB = 768
const PREPARE_STILL_MS = 30_000
/** Filters and patterns of a caller on the answers of a few rows. */
const SCORE_STILL_MS = 60_000
/** Bootstrapped errors of large tasks take minutes. */
const SUMMARY_STILL_MS = 30 * 60_000

/** Opens the threads. They hold no memory until they are needed. */
export function openEvalThreads(cores: { readonly short: FairLane } & Pick<Cores, 'count'>): EvalThreads {
  const threads = openThreads<EvalTasks>({
    file: FILE,
    name: NAME,
    most: Math.max(1, Math.ceil(cores.count / 2)),
    memoryMb: MEMORY_MB,
    stillMs: PREPARE_STILL_MS,
    cores: cores.short,
  })
  /** Runs a task in the turn of a tenant; one that takes too much time or memory is a fault of its input. */
  const bounded = async <Name extends 'prepare' | 'readPack' | 'readLog'>(
    name: Name,
    { tenantId, input, signal }: { tenantId: string; input: EvalTasks[Name]['input']; signal: AbortSignal },
    refuse: (much: string, cause: unknown) => Error,
  ): Promise<EvalTasks[Name]['output']> => {
    try {
      return await threads.run(name, input, { signal, share: evenShare(tenantId) })
    } catch (error) {
      const isStill = error instanceof ThreadFailure && error.code === 'thread_still'
      if (!isStill && !isOutOfMemory(error)) throw error
      throw refuse(isStill ? `more than ${PREPARE_STILL_MS / 1000} s` : 'too much memory', error)
    }
  }
  return {
    prepare: async (tenantId, input, signal) =>
      await bounded('prepare', { tenantId, input, signal }, (much, cause) =>
        LEARN_ERRORS.invalid_eval_task(`the templates take ${much} on these rows`, { cause }),
      ),
    readPack: async (tenantId, input, signal) =>
      await bounded('readPack', { tenantId, input, signal }, (much, cause) =>
        LEARN_ERRORS.bench_pack_invalid(`reading the pack takes ${much}`, { cause }),
      ),
    readLog: async (tenantId, input, signal) =>
      await bounded('readLog', { tenantId, input, signal }, (much, cause) =>
        LEARN_ERRORS.invalid_eval_log(`reading the log takes ${much}; import fewer rows`, { cause }),
      ),
    prepareBench: async (tenantId, input, signal) =>
      await threads.run('prepareBench', input, { signal, share: evenShare(tenantId) }),
    compare: async (tenantId, input, signal) =>
      await threads.run('compare', input, { signal, share: evenShare(tenantId) }),
    close: async () => await threads.close(),
  }
}

/**
 * Opens a thread for the rows of one evaluation for the time of `work`: filters, patterns and programs are the caller's. Its
 * caller holds a core.
 */
export async function withScoring<T>(
  set: TaskSet,
  signal: AbortSignal,
  work: (thread: ScoringThread) => Promise<T>,
): Promise<T> {
  const options = { file: FILE, name: NAME, memoryMb: MEMORY_MB, stillMs: SCORE_STILL_MS, onAbort: 'end' } as const
  const thread = new TaskThread<EvalTasks>(options)
  const bounded = async <R>(what: string, running: Promise<R>): Promise<R> => {
    try {
      return await running
    } catch (error) {
      const isStill = error instanceof ThreadFailure && error.code === 'thread_still'
      if (!isStill && !isOutOfMemory(error)) throw error
      throw LEARN_ERRORS.evaluation_failed(`${what} too much time or memory on these rows`, { cause: error })
    }
  }
  try {
    await thread.run('openScorers', set, { signal })
    return await work({
      score: async (rows) => await bounded('the filters take', thread.run('score', rows, { signal })),
      openArchive: async (archive) => await thread.run('openArchive', archive, { signal }),
      run: async (rows) => await bounded('the artifact takes', thread.run('run', rows, { signal })),
    })
  } finally {
    await thread.end(new ThreadFailure('thread_closed', 'the rows are scored'))
  }
}

/** Computes the figures of an evaluation in a thread of its own; its caller holds a core. */
export async function summarizeInThread(
  input: EvalTasks['summarize']['input'],
  signal: AbortSignal,
): Promise<EvalSummary> {
  const options = { file: FILE, name: NAME, memoryMb: MEMORY_MB, stillMs: SUMMARY_STILL_MS, onAbort: 'end' } as const
  return await runInThread<EvalTasks, 'summarize'>(options, 'summarize', input, { signal })
}

/** Reads a pack of a benchmark in a thread of its own. Throws as `readPack`. */
export async function readPackInThread(input: GivenPack, signal: AbortSignal): Promise<ReadPack> {
  const options = { file: FILE, name: NAME, memoryMb: MEMORY_MB, stillMs: PREPARE_STILL_MS, onAbort: 'end' } as const
  return await runInThread<EvalTasks, 'readPack'>(options, 'readPack', input, { signal })
}
