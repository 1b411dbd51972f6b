import { KERNEL_ERRORS } from '../../../kernel/errors.ts'
import type { LoraAdapter } from '../../files/lora-adapter.ts'
import type { ModelWeights } from '../../llama/inference/graph-inputs.ts'
import type { Tokenizer } from '../../tokenizer/tokenizer.ts'
import { collectTokenBytes } from '../constraints/token-trie.ts'
import { encodeConstraint } from '../encode-constraint.ts'
import { closed } from '../engine/closed.ts'
import { type AdapterRef, completeSettings, type Generator, type GeneratorChoices } from '../generator.ts'
import { completeOptions } from '../options.ts'
import { TaskThread, type TaskOptions } from '../../../kernel/threads/task-thread.ts'
import { ThreadFailure } from '../../../kernel/threads/thread-failure.ts'
import type { GenerationStart, GenerationTasks } from './generation-tasks.ts'

/** Time after which a request without an answer ends the thread: an answer of a large base that waits its turn takes minutes. */
const STILL_MS = 30 * 60_000

/**
 * A generator in a thread of its own, which shares the memory of the weights with this one. It takes no core of the
 * budget: requests join the batch that the thread computes, so that none waits for another; in workers its callers hold
 * a core of the long lane.
 */
export function openGenerator(base: ModelWeights, tokenizer: Tokenizer, choices: GeneratorChoices = {}): Generator {
  const file = new URL('./generation-thread.ts', import.meta.url)
  const thread = new TaskThread<GenerationTasks>({ file, name: 'generation', onAbort: 'leave', stillMs: STILL_MS })
  const vocabulary = collectTokenBytes(tokenizer, base.config.vocabSize)
  const start: GenerationStart = {
    base: { config: base.config, weights: base.weights },
    vocabulary,
    settings: completeSettings(base, choices),
  }
  // A thread without a base answers no request: its end rejects them with the error, and a new one is opened.
  thread.run('open', start).catch(async (error: unknown) => await thread.end(error))

  return {
    get hasEnded() {
      return thread.hasEnded
    },
    async generate({ promptIds, adapter, options = {}, signal }) {
      const complete = completeOptions(options)
      const constraint = encodeConstraint(complete.constraint, tokenizer)
      const request = { promptIds, adapterHash: adapter?.hash ?? null, options: complete, constraint }
      return await answered(thread.run('generate', request, withAdapter(adapter, signal)), signal)
    },
    async logProbs({ ids, adapter, signal }) {
      const task = { ids, adapterHash: adapter?.hash ?? null }
      return await answered(thread.run('score', task, withAdapter(adapter, signal)), signal)
    },
    async scoreContinuations({ promptIds, continuations, adapter, signal }) {
      const task = { promptIds, continuations, adapterHash: adapter?.hash ?? null }
      return await answered(thread.run('scoreContinuations', task, withAdapter(adapter, signal)), signal)
    },
    stats: async () => await answered(thread.run('stats', null)),
    async close() {
      if (thread.hasEnded) return
      try {
        await thread.run('close', null)
      } catch (error) {
        // A thread that has stopped meanwhile is closed all the same.
        if (!thread.hasEnded) throw error
      }
      await thread.end(closed())
    },
  }
}

/** Sends the adapter when the thread asks for it. */
function withAdapter(
  ref: AdapterRef | undefined,
  signal: AbortSignal | undefined,
): TaskOptions<'wants_adapter', LoraAdapter> {
  return { signal, onProgress: (_, feed) => ref !== undefined && feed(ref.adapter) }
}

/** An answer; a thread that stopped is a fault of the service. */
async function answered<T>(answer: Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof ThreadFailure) || signal?.aborted === true) throw error
    throw KERNEL_ERRORS.internal('the thread of a base has stopped', { cause: error })
  }
}
