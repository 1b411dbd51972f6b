import type { Json, JsonObject } from '../../../kernel/json/json.ts'

/** One request to the target. */
export type EvalRequest =
  /** The likelihood of `continuation` after `context`. */
  | { readonly type: 'loglikelihood'; readonly context: string; readonly continuation: string }
  /** The likelihood of a whole text. */
  | { readonly type: 'loglikelihood_rolling'; readonly text: string }
  /** An answer to `context`; `input` is what an artifact gets. */
  | { readonly type: 'generate_until'; readonly context: string; readonly input: Json }

/** A row of a task with its requests. */
export interface PreparedRow {
  readonly task: string
  /** Position in its split, from 0. */
  readonly docId: number
  readonly doc: JsonObject
  readonly requests: readonly EvalRequest[]
  /** The expected answer, as `doc_to_target` gives it; of multiple choice the index of the right option, or several. */
  readonly target: Json
  /** The options; null where the task has none. */
  readonly choices: readonly string[] | null
  /** Value of the column by which rows are sliced; null without one. */
  readonly slice: string | null
  /** Value of the column whose rows belong together; null without one. */
  readonly cluster: string | null
}
