import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { DomainError } from '../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../model/errors.ts'
import { COMPILE_ERRORS } from '../errors.ts'
import type { JudgeAdapterInput } from '../lora/judge-adapter.ts'
import type { PreparedFit, PrepareFitInput } from '../lora/prepare-fit.ts'
import type { PreviewInput, PreviewOutput } from '../stages/preview.ts'
import type { SampleInput, SampleOutput, StageProgress, VerifyInput } from '../stages/stage-types.ts'
import type { Verdict } from '../stages/judge/verdict.ts'
import type { AdoptInput, AdoptOutput } from '../stages/teacher/adopt-answers.ts'
import type { TrialInput, TrialOutput } from '../stages/teacher/programs/try-programs.ts'
import type { ComputeStages } from './compute-task.ts'
import { unpackReply, type ThreadReply } from '../../kernel/threads/reply.ts'

/** Settings of a pool of compute threads. */
export interface ComputePoolOptions {
  /** Maximum number of threads. They start on demand. */
  readonly threads: number
  /** Heap limit of each thread in MiB; a stage that passes it fails, the process lives on. */
  readonly memoryMb: number
}

/** Progress and cancellation of one call. */
export interface ComputeCall {
  /** Ends the thread immediately; the call rejects with `compile_cancelled`. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: StageProgress) => void
}

/** Runs the compute stages in threads of their own, so that the caller's event loop stays free. */
export interface ComputePool {
  sample(input: SampleInput, call?: ComputeCall): Promise<SampleOutput>
  verify(input: VerifyInput, call?: ComputeCall): Promise<Verdict>
  preview(input: PreviewInput, call?: ComputeCall): Promise<PreviewOutput>
  tryPrograms(input: TrialInput, call?: ComputeCall): Promise<TrialOutput>
  adopt(input: AdoptInput, call?: ComputeCall): Promise<AdoptOutput>
  prepareFit(input: PrepareFitInput, call?: ComputeCall): Promise<PreparedFit>
  judgeAdapter(input: JudgeAdapterInput, call?: ComputeCall): Promise<Verdict>
  /** Ends all threads; calls still running reject with `compile_cancelled`. */
  close(): Promise<void>
}

/** Time without a task after which all threads but one end, and give their heaps back. */
const IDLE_MS = 10_000

/** Converts the failure of a call into a `DomainError`. */
function toDomainError(error: unknown, wasEnded: boolean): unknown {
  if (error instanceof DomainError) return error
  if (wasEnded) return MODEL_ERRORS.compile_cancelled('the computation was cancelled', { cause: error })
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return COMPILE_ERRORS.compile_failed('the computation needs more memory than a thread may take', {
      cause: error,
    })
  }
  return error
}

/**
 * Starts a pool of threads for the compute stages. One stays warm, the others end when they idle; one that was ended by
 * an abort is replaced.
 * The thread's entry is a `.ts` file, run by Node's type stripping.
 */
export function createComputePool(options: ComputePoolOptions): ComputePool {
  const piscina = new Piscina({
    filename: new URL('./compute-thread.ts', import.meta.url).href,
    name: 'runComputeTask',
    minThreads: 1,
    maxThreads: options.threads,
    idleTimeout: IDLE_MS,
    concurrentTasksPerWorker: 1,
    resourceLimits: { maxOldGenerationSizeMb: options.memoryMb },
  })
  // Emitted when a thread dies between two calls: it is replaced, and no call fails.
  piscina.on('error', () => undefined)
  let closed = false

  async function run<Name extends keyof ComputeStages>(
    stage: Name,
    input: ComputeStages[Name]['input'],
    { signal, onProgress }: ComputeCall = {},
  ): Promise<ComputeStages[Name]['output']> {
    const wasEnded = (): boolean => closed || signal?.aborted === true
    if (wasEnded()) throw MODEL_ERRORS.compile_cancelled('the computation was cancelled')
    const channel = onProgress === undefined ? null : new MessageChannel()
    channel?.port1.on('message', (progress: StageProgress) => onProgress?.(progress))
    const port = channel?.port2 ?? null
    try {
      const reply: ThreadReply<ComputeStages[Name]['output']> = await piscina.run(
        { stage, input, port },
        { signal: signal ?? null, transferList: port === null ? [] : [port] },
      )
      // The answer may overtake the last messages.
      for (
        let left = channel && receiveMessageOnPort(channel.port1);
        left;
        left = channel && receiveMessageOnPort(channel.port1)
      ) {
        onProgress?.(left.message)
      }
      return unpackReply(reply)
    } catch (error) {
      throw toDomainError(error, wasEnded())
    } finally {
      channel?.port1.close()
    }
  }

  return {
    sample: async (input, call) => await run('sample', input, call),
    verify: async (input, call) => await run('verify', input, call),
    preview: async (input, call) => await run('preview', input, call),
    tryPrograms: async (input, call) => await run('tryPrograms', input, call),
    adopt: async (input, call) => await run('adopt', input, call),
    prepareFit: async (input, call) => await run('prepareFit', input, call),
    judgeAdapter: async (input, call) => await run('judgeAdapter', input, call),
    async close() {
      closed = true
      await piscina.destroy()
    },
  }
}
