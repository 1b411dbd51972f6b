import { DomainError } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../../model/errors.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import type { StageProgress } from '../stage-types.ts'
import type { ComputeStages } from './compute-task.ts'
import type { FairLane } from '../../../kernel/threads/fair/fair-lane.ts'
import type { Share } from '../../../kernel/threads/fair/flows.ts'
import type { Beside } from '../../../kernel/threads/cores.ts'
import type { TaskShape } from '../../../kernel/threads/protocol.ts'
import { isOutOfMemory } from '../../../kernel/threads/thread-failure.ts'
import { openThreads } from '../../../kernel/threads/threads.ts'

/** Settings of a pool of compute threads. */
export interface ComputePoolOptions {
  /** Maximum number of threads. They start on demand. */
  readonly threads: number
  /** Heap limit of each thread in MiB; a stage that passes it fails, the process lives on. */
  readonly memoryMb: number
  /** The lane in which each stage takes a core, or why it takes none. */
  readonly cores: FairLane | Beside
}

/** Progress and cancellation of one call. */
export interface ComputeCall {
  /** Ends the thread immediately; the call rejects with `compile_cancelled`. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: StageProgress) => void
  /** The caller that the core is for, in a pool that takes cores. */
  readonly share?: Share
}

/** Runs one stage to its end. */
type Compute<Stage extends TaskShape> = (input: Stage['input'], call?: ComputeCall) => Promise<Stage['output']>

/**
 * Runs the compute stages in threads, so that the caller's event loop stays free. A stage throws its own
 * `DomainError`s, `compile_failed` when it needs more memory than a thread has, and `busy` when too many wait for a core.
 */
export type ComputePool = { readonly [Name in keyof ComputeStages]: Compute<ComputeStages[Name]> } & {
  /** Ends all threads; calls still running reject with `compile_cancelled`. */
  close(): Promise<void>
}

/** Time without progress after which a stage is ended with its thread, as a step of a large compile takes minutes. */
const STILL_MS = 30 * 60_000

/** Opens a pool of threads for the compute stages. One stays warm, from the first task or soon after the start. */
export function createComputePool({ threads: most, memoryMb, cores }: ComputePoolOptions): ComputePool {
  const threads = openThreads<ComputeStages>({
    file: new URL('./compute-thread.ts', import.meta.url),
    name: 'compute',
    most,
    memoryMb,
    cores,
    stillMs: STILL_MS,
    isWarm: true,
  })
  let isClosed = false

  /** Why a call has no answer, as the service says it. */
  function toDomainError(error: unknown, call: ComputeCall): unknown {
    if (error instanceof DomainError) return error
    if (isClosed || call.signal?.aborted === true) return cancelled(error)
    if (!isOutOfMemory(error)) return error
    return COMPILE_ERRORS.compile_failed('the computation needs more memory than a thread may take', {
      cause: error,
    })
  }

  const stage =
    <Name extends keyof ComputeStages>(name: Name): Compute<ComputeStages[Name]> =>
    async (input, call = {}) => {
      try {
        return await threads.run(name, input, call)
      } catch (error) {
        throw toDomainError(error, call)
      }
    }

  return {
    splitSample: stage('splitSample'),
    samplePart: stage('samplePart'),
    joinSample: stage('joinSample'),
    findQuestion: stage('findQuestion'),
    verify: stage('verify'),
    preview: stage('preview'),
    tryPrograms: stage('tryPrograms'),
    adopt: stage('adopt'),
    prepareFit: stage('prepareFit'),
    judgeAdapter: stage('judgeAdapter'),
    async close() {
      isClosed = true
      await threads.close()
    },
  }
}

function cancelled(cause: unknown): DomainError {
  return MODEL_ERRORS.compile_cancelled('the computation was cancelled', { cause })
}
