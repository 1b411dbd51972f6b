import type { LoraAdapter } from '../../files/lora-adapter.ts'
import type { ModelWeights } from '../../llama/inference/graph-inputs.ts'
import type { TokenBytes } from '../constraints/token-trie.ts'
import type { HostedContinuations, HostedRequest } from '../engine/engine-host.ts'
import type { ContinuationScore } from '../engine/score-tokens.ts'
import type { GeneratorSettings, GeneratorStats } from '../generator.ts'
import type { Generation } from '../options.ts'

/** Input of the first task; the memory of weights and vocabulary is shared, not copied. */
export interface GenerationStart {
  readonly base: ModelWeights
  readonly vocabulary: TokenBytes
  readonly settings: GeneratorSettings
}

/** Log-probabilities to be computed. */
export interface ScoreTask {
  readonly ids: readonly number[]
  readonly adapterHash: string | null
}

/** A task that names an adapter reports when the thread does not have it, and is fed the adapter. */
interface Adapted<Input, Output> {
  readonly input: Input
  readonly output: Output
  readonly progress: 'wants_adapter'
  readonly feed: LoraAdapter
}

/** The tasks of the thread of a base; `open` comes first. */
export interface GenerationTasks {
  readonly open: { readonly input: GenerationStart; readonly output: null }
  readonly generate: Adapted<HostedRequest, Generation>
  readonly score: Adapted<ScoreTask, readonly (number | null)[]>
  readonly scoreContinuations: Adapted<HostedContinuations, readonly ContinuationScore[]>
  readonly stats: { readonly input: null; readonly output: GeneratorStats }
  readonly close: { readonly input: null; readonly output: null }
}
