import type { Json } from '../../../kernel/json/json.ts'

/** Facts of an artifact that its code states. */
export interface CodeFacts {
  /** The task in its owner's words. */
  readonly task: string
  /** Inputs of held-out rows; empty where the archive holds digests only. */
  readonly inputs: readonly Json[]
}

/** Facts of an artifact whose recipe is a model. */
export interface ModelFacts {
  readonly task: string
  readonly examples: readonly Example[]
}

/** Most examples that the documentation of a function shows. */
export const MAX_EXAMPLES = 3
/** Longest example, in UTF-16 units of its JSON. */
const MAX_EXAMPLE = 200

/** An input with the answer to it. */
export interface Example {
  readonly input: Json
  readonly output: Json
}

/** Chooses the first short inputs that have an answer. */
export function examplesOf(inputs: readonly Json[], answer: (input: Json) => Json | undefined): readonly Example[] {
  const examples: Example[] = []
  for (const input of inputs) {
    if (examples.length === MAX_EXAMPLES) break
    const output = answer(input)
    if (output !== undefined && JSON.stringify([input, output]).length <= MAX_EXAMPLE) examples.push({ input, output })
  }
  return examples
}
