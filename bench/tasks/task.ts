import type { Json } from '../../core/kernel/json/json.ts'

/** One task of the benchmark: inputs with the outputs that a reference function gives for them. */
export interface BenchTask {
  readonly name: string
  readonly category: string
  readonly examples: readonly { readonly input: Json; readonly output: Json }[]
}

/** Makes a task from inputs and the plain function that is to be found again. */
export function defineTask<I extends Json>(
  name: string,
  category: string,
  inputs: readonly I[],
  reference: (input: I) => Json,
): BenchTask {
  return { name, category, examples: inputs.map((input) => ({ input, output: reference(input) })) }
}
