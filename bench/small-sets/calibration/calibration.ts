/**
 * Scores the engine on the frozen cases: compiles each from its 24 train rows, runs the recipe on 60 rows that the
 * compile did not see, and writes `core/learn/evals/calibration/measured.json`, which `GET /v1/eval/k-score-calibration` serves:
 * `node bench/small-sets/calibration/calibration.ts [--only ID] [--keep]`. `--keep` leaves the file as it is.
 */
import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { compilerDigest } from '../../../core/compile/archive/recompute/compiler-digest.ts'
import { createComputePool } from '../../../core/compile/stages/pool/pool.ts'
import { createCores } from '../../../core/kernel/threads/cores.ts'
import { LIBRARY_VERSION, RUNTIME_VERSION } from '../../../core/kernel/version.ts'
import { type CaseResult, type Measurement, summarize } from '../../../core/learn/evals/calibration/calibration.ts'
import { frozenCases } from '../../../core/learn/evals/calibration/cases.ts'
import { measureCase } from './measure-case.ts'
import { report, short } from '../../harness/report.ts'

const FILE = new URL('../../../core/learn/evals/calibration/measured.json', import.meta.url)

const { values: options } = parseArgs({
  options: { only: { type: 'string', default: '' }, keep: { type: 'boolean', default: false } },
})
const { cases, sha256 } = frozenCases()
const chosen = cases.cases.filter(({ id }) => id.includes(options.only))

const pool = createComputePool({ threads: availableParallelism(), memoryMb: 1024, cores: createCores().short })
const results: CaseResult[] = []
try {
  for (const each of chosen) {
    const result = await measureCase(pool, each)
    const { recipe } = result
    const found =
      recipe === null ? 'no recipe' : `${recipe.kind} K=${short(recipe.composite)} A=${short(recipe.accuracy)}`
    const onTest = recipe === null ? '' : `test ${recipe.test_right}/${recipe.test_rows}${recipe.held ? '' : ' MISS'}`
    console.log(`${result.id} ${each.task}: ${found} ${onTest}`)
    results.push(result)
  }
} finally {
  await pool.close()
}

const summary = summarize(results)
await report('calibration', [
  { what: 'cases', value: summary.n },
  { what: 'cases with a K-score of 0.85', value: summary.pass },
  { what: 'mean K-score', value: summary.compositeMean },
  { what: 'cases with a recipe', value: summary.coverage.n },
  { what: 'interval holds the accuracy on test rows, cases', value: summary.coverage.held },
])
if (!options.keep && chosen.length === cases.cases.length) {
  const measurement: Measurement = {
    spec: 'svc-k-calibration-1',
    measured_at: new Date().toISOString(),
    engine: { library: LIBRARY_VERSION, runtime: RUNTIME_VERSION, compiler: compilerDigest() },
    cases_sha256: sha256,
    results,
  }
  await writeFile(FILE, `${JSON.stringify(measurement, undefined, 2)}\n`)
}
