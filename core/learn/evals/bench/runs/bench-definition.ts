import type { Sha256 } from '../../../../kernel/json/json.ts'
import type { Benchmark } from '../benchmarks.ts'

/** The source of the questions of a run. */
export interface PackRef {
  /** Null for a pack that the operator installed. */
  readonly id: string | null
  readonly name: string
  readonly fileSha256: Sha256
  readonly questions: number
}

/** The facts that make an evaluation a run of a benchmark. */
export interface BenchDefinition {
  readonly benchmark: Benchmark
  readonly pack: PackRef
  /** Of HumanEval: the time of one program, milliseconds. */
  readonly sandboxTimeoutMs: number | null
  /** Of MT-Bench: the model that judges, and whose keys count. */
  readonly judge: {
    readonly model: string
    readonly memberId: string | null
    readonly teamId: string | null
  } | null
}

/** True where a judge marks the answers, which costs. */
export function isJudged(bench: BenchDefinition | undefined): boolean {
  return bench?.benchmark === 'mtbench'
}

/** True where a sandbox or a judge marks the answers. */
export function isMarked(bench: BenchDefinition | undefined): boolean {
  return bench !== undefined && bench.benchmark !== 'mmlu'
}
