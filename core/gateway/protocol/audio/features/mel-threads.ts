import { evenShare, type Cores } from '../../../../kernel/threads/cores.ts'
import { openThreads } from '../../../../kernel/threads/threads.ts'
import type { MelResult, MelTasks, TextTokens } from './mel-thread.ts'

/** Computes features of sounds beside the event loop. */
export interface MelThreads {
  /** Takes the memory of `bytes` over. Throws `busy` when too many of the caller wait. */
  compute(caller: string, input: { readonly bytes: Uint8Array; readonly bins: number }): Promise<MelResult>
  /** Counts the tokens of a text by the tokenizer in a base's folder. Throws `invalid_model` and `busy`. */
  tokens(caller: string, input: { readonly directory: string; readonly text: string }): Promise<TextTokens>
  close(): Promise<void>
}

/** Samples and features are outside of the heap: 10 minutes are 40 MB of each. */
const MEMORY_MB = 128
/** Far longer than the longest sound takes. */
const STILL_MS = 120_000

/** Opens one thread, whose callers take turns. `mostS` bounds a sound, seconds. */
export function openMelThreads(cores: Cores, mostS: number): MelThreads {
  const threads = openThreads<MelTasks>({
    file: new URL('./mel-thread.ts', import.meta.url),
    name: 'audio features',
    most: 1,
    memoryMb: MEMORY_MB,
    stillMs: STILL_MS,
    cores: cores.short,
  })
  return {
    async compute(caller, { bytes, bins }) {
      const own = new Uint8Array(bytes)
      return await threads.run(
        'features',
        { bytes: own, bins, mostS },
        { share: evenShare(caller), moved: [own.buffer] },
      )
    },
    tokens: async (caller, input) => await threads.run('tokens', input, { share: evenShare(caller) }),
    close: async () => await threads.close(),
  }
}
