import type { Benchmark } from '../benchmarks.ts'

/** The choices of a caller for a run. */
export interface BenchChoices {
  /** Subjects of MMLU; all when null. */
  readonly subjects: readonly string[] | null
  /** MMLU: questions of each subject; the others: tasks or questions. All when null. */
  readonly limit: number | null
  /** MMLU: `likelihood` compares the four letters, `text` reads a letter out of an answer. */
  readonly answer: 'likelihood' | 'text'
  /** MMLU: examples in each prompt, of the pack's `dev` files. */
  readonly fewShots: number
  /** HumanEval: completions of each task. */
  readonly repeats: number
  readonly temperature: number
  readonly maxTokens: number
  readonly seed: number
}

/** A pack with the choices of a run. */
export interface BenchInput {
  readonly benchmark: Benchmark
  /** The stored pack. */
  readonly lines: Uint8Array
  readonly choices: BenchChoices
}
