import type { z } from 'zod'
import { decidePoint, kScoreOfAxes, type PointSide } from '../../../core/learn/gate/posted/point.ts'
import type { GateThresholds } from '../../../core/learn/gate/registration.ts'
import type { SignificanceReport } from '../../../core/learn/gate/posted/significance.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { DEFAULT_SIGNIFICANCE, type gateBody, type PostedGateAnswer } from '../../../core/learn/wire/gates.ts'
import { findArtifact } from '../../../db/compile/artifacts/find-artifact.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { LearnServices } from '../services.ts'

export type GateBody = z.output<ReturnType<typeof gateBody>>
type Side = NonNullable<GateBody['candidate']>

/** Decides on posted numbers. Throws `eval_gate_failed` for cases that are no pairs, and `not_found`. */
export async function decidePosted(
  { op, services }: { readonly op: Operation; readonly services: LearnServices },
  body: GateBody,
): Promise<z.input<typeof PostedGateAnswer>> {
  const [candidateId, baselineId] = [artifactOf(body, 'candidate'), artifactOf(body, 'baseline')]
  const candidate = await pointSide(op, body.candidate, candidateId)
  const baseline = await pointSide(op, body.baseline, baselineId)
  const point = decidePoint(candidate, baseline, body.thresholds)
  const report = await testPosted({ op, services }, body)
  const { decision, reason } = report ?? point
  const verdict = { decision, promote: decision === 'promote', reason }
  return {
    tenant: op.tenantId,
    mode: report === null ? 'point' : 'significance_bounded',
    measured: false,
    ...verdict,
    gate: report === null ? null : { ...report, family: [...report.family] },
    receipt: null,
    eval_summary: {
      schema: 'svc-eval-summary-1',
      ...verdict,
      evaluated_at: services.now().toISOString(),
      candidate_artifact_id: candidateId ?? null,
      baseline_artifact_id: baselineId ?? null,
      kscore: {
        candidate: candidate.kScore,
        baseline: baseline.kScore,
        delta: point.delta,
        candidate_source: candidate.source,
        baseline_source: baseline.source,
      },
      regressions: {
        new_count: point.newClasses.length,
        new_classes: [...point.newClasses],
        candidate_classes: [...candidate.regressionClasses],
        baseline_classes: [...baseline.regressionClasses],
      },
      thresholds: body.thresholds,
    },
  }
}

/** The artifact of a side, by either of its names. */
export function artifactOf(body: GateBody, side: 'candidate' | 'baseline'): string | undefined {
  return body[side]?.artifact_id ?? (side === 'candidate' ? body.candidate_artifact : body.baseline_artifact)
}

/** The thresholds of a measured gate. */
export function thresholdsOf({ thresholds }: GateBody): GateThresholds {
  return { minDelta: thresholds.min_kscore_delta, minAccuracy: thresholds.min_kscore_abs }
}

async function testPosted(
  { op, services }: { readonly op: Operation; readonly services: LearnServices },
  { significance, candidate, baseline }: GateBody,
): Promise<SignificanceReport | null> {
  if (significance === false) return null
  if (candidate?.per_case === undefined || baseline?.per_case === undefined) {
    const side = candidate?.per_case === undefined ? 'candidate' : 'baseline'
    throw LEARN_ERRORS.eval_gate_failed(`${side}.per_case: is required for a test of significance`)
  }
  return await services.learnThread.significance(op.tenantId, {
    candidate: candidate.per_case,
    baseline: baseline.per_case,
    options: significance === true ? DEFAULT_SIGNIFICANCE : significance,
  })
}

async function pointSide(op: Operation, side: Side | undefined, artifactId: string | undefined): Promise<PointSide> {
  const regressionClasses = side?.regression_classes ?? []
  if (side?.k_score !== undefined) return { kScore: side.k_score, source: 'asserted_k_score', regressionClasses }
  const ofAxes = side?.axes === undefined ? null : kScoreOfAxes(side.axes)
  if (ofAxes !== null) return { kScore: ofAxes, source: 'asserted_axes', regressionClasses }
  if (artifactId !== undefined) {
    const { kScore } = await findArtifact(op, artifactId)
    return { kScore, source: 'signed_artifact', regressionClasses }
  }
  return { kScore: null, source: 'none', regressionClasses }
}
