import type { Json } from '../../kernel/json/json.ts'

/** A recipe's answer for one input. An abstention has no output. */
export type RunResult =
  | { readonly abstained: false; readonly output: Json; readonly confidence: number }
  | { readonly abstained: true; readonly output: null; readonly confidence: number }

/** Answer of one leaf of a composite; `failed` when it has none. */
export type LeafAnswer = RunResult & { readonly failed: boolean }

/** A recipe made ready to run: pure, synchronous, bounded in time and memory. */
export interface Runner {
  /** Runs the recipe on one input. Throws `DomainError` `recipe_failed` when it has no answer. */
  run(input: Json): RunResult
  /** Of a composite: the answer of each leaf to one input, in the order of the tree. */
  leaves?(input: Json): readonly LeafAnswer[]
}
