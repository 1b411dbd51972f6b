import type { ThreadError } from '../../../kernel/threads/thread-error.ts'
import type { LoraAdapter } from '../../files/lora-adapter.ts'
import type { ModelWeights } from '../../llama/inference/cached-model.ts'
import type { TokenBytes } from '../constraints/token-trie.ts'
import type { HostedRequest } from '../engine/engine-host.ts'
import type { GeneratorSettings, GeneratorStats } from '../generator.ts'
import type { Generation } from '../options.ts'

/** Start data of the thread; the memory of weights and vocabulary is shared, not copied. */
export interface ThreadStart {
  readonly base: ModelWeights
  readonly vocabulary: TokenBytes
  readonly settings: GeneratorSettings
}

/** To the thread. `call` numbers the calls of one generator. */
export type ToThread =
  | { readonly type: 'generate'; readonly call: number; readonly request: HostedRequest }
  | {
      readonly type: 'score'
      readonly call: number
      readonly ids: readonly number[]
      readonly adapterHash: string | null
    }
  | { readonly type: 'cancel'; readonly call: number }
  /** The requested adapter; null when its requests have been cancelled. */
  | { readonly type: 'adapter'; readonly hash: string; readonly adapter: LoraAdapter | null }
  | { readonly type: 'stats'; readonly call: number }
  | { readonly type: 'close'; readonly call: number }

/** From the thread. */
export type FromThread =
  | { readonly type: 'generation'; readonly call: number; readonly value: Generation }
  | { readonly type: 'scores'; readonly call: number; readonly value: readonly (number | null)[] }
  | { readonly type: 'stats'; readonly call: number; readonly value: GeneratorStats }
  | { readonly type: 'closed'; readonly call: number }
  | { readonly type: 'failed'; readonly call: number; readonly error: ThreadError }
  /** The thread has no adapter of this hash and waits for it. */
  | { readonly type: 'wanted'; readonly hash: string }
