import { z } from 'zod'
import { isGivenRows, type GivenRows } from '../../compile/wire/given-rows.ts'
import { CaptureNamespace } from '../../gateway/wire/captures/fields.ts'
import { GateId, GivenArtifactId, GivenEvaluationId } from '../../kernel/wire/ids.ts'
import { NextCursor } from '../../kernel/wire/page.ts'
import { JsonValue } from '../../kernel/wire/values.ts'
import { GateReceipt, MEASURED_MODES } from '../../ledger/receipts/gate-receipt.ts'
import { MEMBER_KINDS } from '../gate/posted/significance.ts'
import { GATE_DECISIONS, GATE_STATES } from '../gate/states.ts'
import type { Limits } from '../limits.ts'
import { HoldoutName } from './holdouts.ts'

const Score = z.number().min(0).max(1)
const Label = z.string().min(1).max(128)
const MOST_CASES = 10_000
const MOST_MEMBERS = 64

const isScore = (one: unknown): boolean => typeof one === 'number' && one >= 0 && one <= 1
/** Read by a plain loop: there may be many thousands of numbers. */
const Cases = z
  .custom<readonly number[]>((value) => Array.isArray(value) && value.length <= MOST_CASES && value.every(isScore), {
    error: `must be a list of at most ${MOST_CASES} numbers from 0 to 1`,
  })
  .meta({ override: { type: 'array', maxItems: MOST_CASES, items: { type: 'number', minimum: 0, maximum: 1 } } })
const Group = z
  .record(Label, Cases)
  .refine((group) => Object.keys(group).length <= MOST_MEMBERS, { error: `must have at most ${MOST_MEMBERS} members` })
  .default({})

const PerCaseField = z
  .strictObject({ composite: Cases, axes: Group, subgroups: Group, regression_classes: Group })
  .meta({ id: 'PerCase', description: 'Scores of cases, 0 to 1; those of both sides are paired by their place' })

const Side = z
  .strictObject({
    artifact_id: GivenArtifactId.optional(),
    evaluation_id: GivenEvaluationId.optional().meta({
      description: 'A finished evaluation of yours; those of both sides are paired by row',
    }),
    k_score: Score.optional().meta({ description: 'Posted, so asserted: what follows from it is not measured' }),
    axes: z.record(Label, Score).optional().meta({ description: 'Values of the axes A, S, L, C, V, R, T, F, E, Z' }),
    regression_classes: z.array(Label).max(1000).default([]),
    per_case: PerCaseField.optional(),
  })
  .meta({ id: 'GateSide' })

const Significance = z
  .strictObject({
    alpha: z.number().gt(0).max(0.5).default(0.05),
    min_kscore_delta: z.number().min(0).max(1).default(0.02),
    correction: z.enum(['bh', 'holm']).default('bh'),
    bootstrap_method: z.enum(['bca', 'percentile']).default('bca'),
    bootstrap_iters: z.int().min(200).max(200_000).default(2000),
    min_samples: z.int().min(2).max(MOST_CASES).default(12),
    regression_min_drop: z.number().min(0).max(1).default(0.01),
    regression_prior_scale: z.number().gt(0).max(1).default(0.05),
    seed: z.int().min(0).max(4_294_967_295).default(0),
  })
  .meta({ id: 'GateSignificance' })
export type Significance = z.output<typeof Significance>

/** The settings of a test that was asked for by `true`. */
export const DEFAULT_SIGNIFICANCE: Significance = Significance.parse({})

/** Body of `POST /v1/eval/gate`. */
export function gateBody(limits: Limits) {
  return z
    .strictObject({
      candidate: Side.optional(),
      candidate_artifact: GivenArtifactId.optional().meta({ description: 'In place of `candidate.artifact_id`' }),
      baseline: Side.optional(),
      baseline_artifact: GivenArtifactId.optional().meta({ description: 'In place of `baseline.artifact_id`' }),
      thresholds: z
        .strictObject({
          min_kscore_delta: z.number().min(-1).max(1).default(0.02).meta({
            description: 'Least gain in K-score; of a measured gate, least gain in accuracy over its rows',
          }),
          max_regression_classes: z.int().min(0).max(1000).default(0),
          min_kscore_abs: Score.default(0).meta({
            description: 'Least K-score of the candidate; of a measured gate, its least accuracy over the rows',
          }),
        })
        .prefault({}),
      significance: z.union([z.boolean(), Significance]).default(false),
      corpus_id: HoldoutName.optional().meta({
        description: 'The sealed holdout whose rows both artifacts are scored on',
      }),
      rows: z
        .custom<GivenRows>(isGivenRows, { error: 'must be a list of {input, output}' })
        .optional()
        .meta({
          description: `Up to ${limits.gate_rows} rows that both artifacts are scored on, one after another, until the evidence suffices`,
          override: {
            type: 'array',
            minItems: 1,
            maxItems: limits.gate_rows,
            items: { type: 'object', properties: { input: {}, output: {} } },
          },
        }),
      rows_of: GivenArtifactId.optional().meta({
        description: 'In place of `rows`: the held-out rows of the compile of this artifact',
      }),
      alpha: z.number().gt(0).max(0.5).optional().meta({
        description:
          'Probability of promoting a candidate that is no better, 0.05 when absent; that of a holdout is fixed',
      }),
      planned_effect: z.number().min(0.001).max(1).default(0.05).meta({
        description:
          'Gain in accuracy that is hoped for: half of the bets are on it, and it is given up when less is evident',
      }),
      futility: z.number().gt(0).max(0.5).default(0.1).meta({
        description: 'Probability of giving up a candidate that gains the planned effect',
      }),
      namespace_id: CaptureNamespace.optional(),
    })
    .meta({
      id: 'EvalGate',
      example: {
        candidate: { k_score: 0.93 },
        baseline: { k_score: 0.9 },
        thresholds: { min_kscore_delta: 0.02 },
      },
    })
}

const FamilyMemberView = z
  .object({
    id: z.string(),
    kind: z.enum(MEMBER_KINDS),
    n: z.int(),
    mean_delta: z.number(),
    ci_low: z.number().meta({ description: 'Lower end of the 95 % bootstrap interval of the mean paired difference' }),
    ci_high: z.number(),
    avp: z.number().meta({ description: 'Anytime-valid p-value of a gain; of a drop for a regression class' }),
    adjusted_p: z.number(),
    corrected_significant: z.boolean(),
  })
  .meta({ id: 'GateFamilyMember' })

const SideSource = z.enum(['asserted_k_score', 'asserted_axes', 'signed_artifact', 'none'])

/** Answer of a gate on posted numbers. */
export const PostedGateAnswer = z
  .object({
    tenant: z.string(),
    mode: z.enum(['point', 'significance_bounded']),
    measured: z.literal(false).meta({ description: 'Posted numbers are decided on and never signed' }),
    decision: z.enum(['promote', 'block', 'abstain']),
    promote: z.boolean(),
    reason: z.string(),
    gate: z
      .object({
        decision: z.enum(['promote', 'block', 'abstain']),
        reason: z.string(),
        alpha: z.number(),
        correction: z.enum(['bh', 'holm']),
        family: z.array(FamilyMemberView),
        composite: FamilyMemberView,
      })
      .nullable(),
    receipt: z.null(),
    eval_summary: z.object({
      schema: z.literal('svc-eval-summary-1'),
      decision: z.enum(['promote', 'block', 'abstain']),
      promote: z.boolean(),
      reason: z.string(),
      evaluated_at: z.iso.datetime(),
      candidate_artifact_id: z.string().nullable(),
      baseline_artifact_id: z.string().nullable(),
      kscore: z.object({
        candidate: z.number().nullable(),
        baseline: z.number().nullable(),
        delta: z.number().nullable(),
        candidate_source: SideSource,
        baseline_source: SideSource,
      }),
      regressions: z.object({
        new_count: z.int(),
        new_classes: z.array(z.string()),
        candidate_classes: z.array(z.string()),
        baseline_classes: z.array(z.string()),
      }),
      thresholds: z.object({
        min_kscore_delta: z.number(),
        max_regression_classes: z.int(),
        min_kscore_abs: z.number(),
      }),
    }),
  })
  .meta({ id: 'PostedGate' })

/** A measured gate as it stands. */
export const GateView = z
  .object({
    gate_id: GateId,
    mode: z.enum(MEASURED_MODES),
    measured: z.literal(true),
    state: z.enum(GATE_STATES),
    decision: z.enum(GATE_DECISIONS).nullable(),
    promote: z.boolean().nullable(),
    candidate_artifact_id: z.string().nullable().meta({ description: 'Null for a gate on evaluations' }),
    baseline_artifact_id: z.string().nullable(),
    candidate_evaluation_id: z.string().nullable().meta({ description: 'Null for a gate on artifacts' }),
    baseline_evaluation_id: z.string().nullable(),
    rows: z.int(),
    registration: z.record(z.string(), JsonValue).meta({
      description:
        'Thresholds, data, test and level, in the audit ledger since before the first row was scored; of a gate on evaluations, since the decision',
    }),
    registration_hash: z.string(),
    outcome: z.record(z.string(), JsonValue).nullable().meta({
      description:
        'Figures of a gate on evaluations, figures and evidence of a sequential one, also while it is under way (`ended_by` is null then); null for one on a sealed holdout, which answers no figure',
    }),
    receipt: GateReceipt.nullable(),
    error_code: z.string().nullable(),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    poll: z.string(),
  })
  .meta({ id: 'Gate' })

/** Answer of `GET /v1/eval/gates`. */
export const ListGatesAnswer = z.object({ gates: z.array(GateView), count: z.int(), next_cursor: NextCursor })
