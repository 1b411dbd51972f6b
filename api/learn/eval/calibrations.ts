import { compilerDigest } from '../../../core/compile/archive/recompute/compiler-digest.ts'
import { measured, notMeasured } from '../../../core/kernel/wire/figure.ts'
import { CALIBRATION_GATE, measuredCalibration, summarize } from '../../../core/learn/evals/calibration/calibration.ts'
import { CASE_CLASSES, frozenCases } from '../../../core/learn/evals/calibration/cases.ts'
import {
  NO_JUDGE,
  QUALITY_DIMENSIONS,
  QUALITY_TASKS,
  QUALITY_THRESHOLDS,
  qualityCases,
} from '../../../core/learn/evals/calibration/quality.ts'
import { KCalibrationAnswer, QualityCalibrationAnswer } from '../../../core/learn/wire/calibration.ts'
import { DOCUMENTS } from '../../kernel/guard/public-limits.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { framedForAll } from '../plan-frame.ts'
import { defineRoute } from '../services.ts'

const KEPT_S = 300
const AXES = ['A', 'S', 'L', 'C', 'V', 'R', 'F', 'T', 'E', 'Z'] as const
const HOW = 'mean over the cases with a recipe'
const SCOPE =
  'What this engine scored on 30 small tasks of its makers, drawn from generators; it says nothing of other tasks.'

export const getKCalibrationRoute = defineRoute({
  method: 'get',
  path: '/v1/eval/k-score-calibration',
  operationId: 'getKScoreCalibration',
  group: 'eval',
  summary: 'Show what the engine scored on the frozen cases',
  description:
    'Measured at release by `npm run bench -- calibration`: each case is compiled from its train rows, and the recipe answers test rows that the compile did not see. The digest names the cases.',
  auth: 'public',
  scope: undefined,
  limit: DOCUMENTS,
  keptForS: KEPT_S,
  answers: { 200: envelope('The measurement and its summary', KCalibrationAnswer) },
}).handle(async ({ services }) => {
  const { cases, sha256 } = frozenCases()
  const { results, spec, ...measurement } = measuredCalibration()
  const summary = summarize(results)
  const { held, n: recipes, testRows } = summary.coverage
  const classCount = (name: string): number => cases.cases.filter((each) => each.class === name).length
  const data = {
    spec: cases.spec,
    schema_version: cases.schema_version,
    frozen_at: cases.frozen_at,
    case_count: cases.cases.length,
    class_counts: {
      classification: classCount('classification'),
      extraction: classCount('extraction'),
      generation: classCount('generation'),
      code: classCount('code'),
    },
    axes: [...AXES],
    fixture_sha256: sha256,
    measured: { ...measurement, is_this_engine: measurement.engine.compiler === compilerDigest() },
    calibration_summary: {
      n: summary.n,
      pass: summary.pass,
      fail: summary.fail,
      pass_rate: summary.passRate,
      by_class: Object.fromEntries(CASE_CLASSES.map((name) => [name, { ...summary.byClass[name] }])),
      axis_means: Object.fromEntries(AXES.map((name) => [name, axisMean(summary, name)])),
      composite_mean: summary.compositeMean,
      gate: CALIBRATION_GATE,
      ships: summary.compositeMean >= CALIBRATION_GATE,
      interval_coverage: {
        level: 0.95 as const,
        held,
        n: recipes,
        share: recipes === 0 ? 0 : Number((held / recipes).toFixed(4)),
        test_rows: testRows,
      },
    },
    results: results.map((result) => ({ ...result })),
    leaderboard: {
      spec: cases.spec,
      rows: [
        {
          engine: `svc ${measurement.engine.library}`,
          composite_mean: summary.compositeMean,
          pass_rate: summary.passRate,
        },
      ],
      submission_mode: 'manual_review' as const,
    },
    claim_scope: SCOPE,
  }
  const facts = {
    surface: 'k-score-calibration' as const,
    spec,
    stage: 'measured',
    status: 'ready',
    proofs: [sha256, measurement.engine.compiler],
  }
  return { status: 200, body: framedForAll(facts, services.now(), data) }
})

function axisMean({ axisMeans, coverage }: ReturnType<typeof summarize>, name: (typeof AXES)[number]) {
  if (name === 'A' || name === 'S' || name === 'L' || name === 'V') return measured(axisMeans[name], coverage.n, HOW)
  return notMeasured('the K-score of recipes has no such axis, or nothing to measure it on')
}

export const getQualityCalibrationRoute = defineRoute({
  method: 'get',
  path: '/v1/eval/quality-calibration',
  operationId: 'getQualityCalibration',
  group: 'eval',
  summary: 'Show the rows that judges are calibrated on',
  description:
    'Rows with prompt, output and gold label, and the thresholds of a judge. No judge was measured at this release, and no figure is given.',
  auth: 'public',
  scope: undefined,
  limit: DOCUMENTS,
  keptForS: KEPT_S,
  answers: { 200: envelope('The rows; figures are not measured', QualityCalibrationAnswer) },
}).handle(async ({ services }) => {
  const { cases, sha256 } = qualityCases()
  const passing = cases.rows.filter(({ gold }) => gold === 'pass').length
  const data = {
    catalog: {
      spec: cases.spec,
      frozen_at: cases.frozen_at,
      dimensions: [...QUALITY_DIMENSIONS],
      thresholds: { ...QUALITY_THRESHOLDS },
      case_count: cases.rows.length,
      task_types: [...QUALITY_TASKS],
      fixture_sha256: sha256,
      rows: cases.rows.map((row) => ({ ...row })),
      public_claim_blockers: ['judge_not_measured'],
    },
    calibration: {
      ok: false as const,
      basis: 'not_measured' as const,
      why: NO_JUDGE,
      local_contract_ok: cases.rows.length >= QUALITY_THRESHOLDS.min_cases,
      public_claim_ready: false as const,
      counts: { cases: cases.rows.length, pass_gold: passing, fail_gold: cases.rows.length - passing },
    },
  }
  const facts = {
    surface: 'quality-calibration' as const,
    spec: cases.spec,
    stage: 'not_measured',
    status: 'not_measured',
    requirements: ['judge_not_measured'],
    proofs: [sha256],
  }
  return { status: 200, body: framedForAll(facts, services.now(), data) }
})
