/** The benchmarks whose packs are read here. */
export const BENCHMARKS = ['mmlu', 'humaneval', 'mtbench'] as const
export type Benchmark = (typeof BENCHMARKS)[number]
