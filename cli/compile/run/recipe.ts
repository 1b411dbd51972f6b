import type { TypeName } from '../../../core/compile/language/names.ts'
import type { Json } from '../../../core/kernel/json/json.ts'

/** One answer, with its `--json` output. */
export interface Answer {
  readonly output: Json
  readonly isAbstained: boolean
  /** Whether the input is unlike the examples, so that the answer is in doubt. */
  readonly isUnlike: boolean
  readonly document: unknown
}

/** A recipe that can be called. */
export interface Recipe {
  run(input: Json): Promise<Answer>
  /** The types of the inputs that it was evaluated on, where they are known. */
  readonly inputTypes?: ReadonlySet<TypeName>
}
