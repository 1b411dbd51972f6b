import type { LimitName } from '../../../core/limits.ts'

/** The file that reads a limit, and the test that moves it and looks at what becomes of it, where there is one. */
export interface Place {
  readonly reads: string
  readonly movedBy?: string
}

/** Those of evaluations, bake-offs, measurements and benchmarks. */
export const EVALUATION_PLACES: Readonly<Partial<Record<LimitName, Place>>> = {
  evaluation_rows: { reads: 'api/learn/evals/evals.ts', movedBy: 'test/learn/api/evals/use-evals.ts' },
  evaluation_prompt_bytes: { reads: 'api/learn/evals/evals.ts' },
  evaluations_per_tenant: { reads: 'db/learn/evals/create-evaluation.ts' },
  unfinished_evaluations_per_tenant: { reads: 'db/learn/evals/create-evaluation.ts' },
  evaluation_days: { reads: 'db/learn/evals/evaluation.ts' },
  bakeoff_rows: { reads: 'api/learn/bakeoffs/bakeoffs.ts', movedBy: 'test/learn/workflows/bakeoffs.test.ts' },
  bakeoff_train_rows: { reads: 'api/learn/bakeoffs/bakeoffs.ts' },
  bakeoffs_per_tenant: { reads: 'db/learn/bakeoffs/create-bakeoff.ts' },
  unfinished_bakeoffs_per_tenant: { reads: 'db/learn/bakeoffs/create-bakeoff.ts' },
  bakeoff_days: { reads: 'db/learn/bakeoffs/bakeoff.ts' },
  sync_bakeoff_wait_s: { reads: 'api/learn/bakeoffs/bakeoffs.ts' },
  inference_measurements_per_tenant: { reads: 'db/learn/bench/measurements.ts' },
  unfinished_inference_per_tenant: { reads: 'db/learn/bench/measurements.ts' },
  inference_days: { reads: 'db/learn/bench/inference-measurement.ts' },
  sync_inference_wait_s: { reads: 'api/learn/bench/inference.ts' },
  bench_pack_bytes: { reads: 'api/learn/bench/start-run.ts', movedBy: 'test/learn/bench/benchmarks.test.ts' },
  bench_pack_inflated_bytes: { reads: 'api/learn/bench/packs.ts', movedBy: 'test/learn/bench/benchmarks.test.ts' },
  bench_packs_per_tenant: { reads: 'db/learn/bench/store-pack.ts', movedBy: 'test/learn/bench/benchmarks.test.ts' },
  bench_rows: { reads: 'api/learn/bench/start-run.ts' },
}
