import type { Cores } from '../../../kernel/threads/cores.ts'
import type { FairLane } from '../../../kernel/threads/fair/fair-lane.ts'
import { evenShare } from '../../../kernel/threads/cores.ts'
import { isOutOfMemory, ThreadFailure } from '../../../kernel/threads/thread-failure.ts'
import { openThreads } from '../../../kernel/threads/threads.ts'
import { LEARN_ERRORS } from '../../errors.ts'
import type { GivenPack, ReadPack } from '../bench/packs/read-pack.ts'
import type { BenchInput } from '../bench/runs/bench-input.ts'
import type { PackedLog } from '../logs/read/imported.ts'
import type { Compared, CompareInput, EvalTasks, GivenLog, PackedSet, PrepareInput } from './eval-tasks.ts'
import { EVAL_THREAD, PREPARE_STILL_MS } from './thread-settings.ts'

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

/** Opens the threads. They hold no memory until they are needed. */
export function openEvalThreads(cores: { readonly short: FairLane } & Pick<Cores, 'count'>): EvalThreads {
  const threads = openThreads<EvalTasks>({
    ...EVAL_THREAD,
    most: Math.max(1, Math.ceil(cores.count / 2)),
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
