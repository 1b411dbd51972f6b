import { z } from 'zod'
import { Figure } from '../../kernel/wire/figure.ts'
import { Measurement } from '../evals/calibration/calibration.ts'
import { CASE_CLASSES } from '../evals/calibration/cases.ts'
import { QUALITY_DIMENSIONS, QUALITY_TASKS, QualityRow } from '../evals/calibration/quality.ts'
import { planFrame } from './plan-frame.ts'

const ByClass = z.object({ n: z.int(), pass: z.int() }).meta({ id: 'CalibrationClass' })

/** Answer of `GET /v1/eval/k-score-calibration`. */
export const KCalibrationAnswer = planFrame(
  'k-score-calibration',
  z.object({
    spec: z.literal('svc-bench-v1'),
    schema_version: z.literal(1),
    frozen_at: z.iso.datetime(),
    case_count: z.int(),
    class_counts: z.record(z.enum(CASE_CLASSES), z.int()),
    axes: z.array(z.string()),
    fixture_sha256: z.string().meta({ description: 'Digest of the cases with all their rows' }),
    measured: Measurement.omit({ results: true, spec: true }).extend({
      is_this_engine: z
        .boolean()
        .meta({ description: 'Whether the compiler that answers is the one that was measured' }),
    }),
    calibration_summary: z.object({
      n: z.int(),
      pass: z.int(),
      fail: z.int(),
      pass_rate: z.number(),
      by_class: z.record(z.string(), ByClass),
      axis_means: z.record(z.string(), Figure),
      composite_mean: z.number(),
      gate: z.number(),
      ships: z.boolean().meta({ description: 'Whether the mean reaches the gate' }),
      interval_coverage: z
        .object({
          level: z.literal(0.95),
          held: z.int(),
          n: z.int(),
          share: z.number(),
          test_rows: z.int(),
        })
        .meta({ description: 'Cases whose 95 % interval holds the accuracy on rows that the compile did not see' }),
    }),
    results: Measurement.shape.results,
    leaderboard: z.object({
      spec: z.literal('svc-bench-v1'),
      rows: z.array(
        z
          .object({ engine: z.string(), composite_mean: z.number(), pass_rate: z.number() })
          .meta({ id: 'LeaderboardRow' }),
      ),
      submission_mode: z.literal('manual_review'),
    }),
    claim_scope: z.string(),
  }),
).meta({ id: 'KScoreCalibration' })

/** Answer of `GET /v1/eval/quality-calibration`. */
export const QualityCalibrationAnswer = planFrame(
  'quality-calibration',
  z.object({
    catalog: z.object({
      spec: z.literal('svc-quality-calibration-1'),
      frozen_at: z.iso.datetime(),
      dimensions: z.array(z.enum(QUALITY_DIMENSIONS)),
      thresholds: z.record(z.string(), z.number()),
      case_count: z.int(),
      task_types: z.array(z.enum(QUALITY_TASKS)),
      fixture_sha256: z.string(),
      rows: z.array(QualityRow.meta({ id: 'QualityCase' })),
      public_claim_blockers: z.array(z.string()),
    }),
    calibration: z.object({
      ok: z.literal(false),
      basis: z.literal('not_measured'),
      why: z.string(),
      local_contract_ok: z.boolean().meta({ description: 'Whether the rows are as many as the thresholds ask for' }),
      public_claim_ready: z.literal(false),
      counts: z.object({ cases: z.int(), pass_gold: z.int(), fail_gold: z.int() }),
    }),
  }),
).meta({ id: 'QualityCalibration' })
