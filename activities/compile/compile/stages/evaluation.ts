import { asAccepted, type Acceptance } from '../../../../core/compile/archive/schemas/acceptance.ts'
import { toJsonObject } from '../../../../core/compile/archive/members/members-json.ts'
import { tolerancesOf } from '../../../../core/compile/rows/equality/tolerance.ts'
import { presentLeaves } from '../../../../core/compile/wire/jobs/leaves.ts'
import { describeKScore, describeLatency } from '../../../../core/compile/stages/scoring/k-score.ts'
import { describeStage } from '../../../../core/compile/stages/scoring/stage-figures.ts'
import { describeAdapter } from '../../../../core/compile/stages/lora/adapter-report.ts'
import type { Verdict } from '../../../../core/compile/stages/judge/verdict.ts'
import type { Verifier } from '../../../../core/compile/stages/verifier/verifier-types.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'

/**
 * Returns the evaluation as stored with a job and its artifact: the K-score with its axes and interval, the selection
 * and split of the rows, the result of each kind, and the acceptance below the floor. It holds counts, hashes and ids,
 * never rows.
 */
export function evaluationDocument(verdict: Verdict, accepted: Acceptance | null = null): JsonObject {
  const { gate, kScore, verifier, split, evals } = verdict
  const leaves = evals.spec === 'svc-evals-2' ? evals.leaves : undefined
  const tolerances = tolerancesOf(verdict.equality)
  return toJsonObject({
    k_score: gate.k_score,
    k_score_floor: gate.floor,
    k_score_envelope: kScore === null ? null : describeKScore(kScore),
    passed: gate.passed,
    reason: gate.reason,
    recipe_kind: verdict.chosen?.kind ?? null,
    comparator: verdict.evals.comparator,
    ...(tolerances.length > 0 && { tolerances }),
    split_mode: split.mode,
    train_count: split.provenance.train_count,
    holdout_count: kScore?.n ?? split.provenance.holdout_count,
    failing_count: gate.failing_count,
    kinds: verdict.kinds.map(({ kind, sampleId, evaluation, kScore: score }) => ({
      kind,
      sample_id: sampleId,
      score: describeKScore(score),
      latency: describeLatency(evaluation.latency),
    })),
    not_applicable: verdict.notApplicable,
    samples: verdict.samples.length,
    verified_samples: verdict.verifiedSampleIds.length,
    verifier: {
      hash: verifier.hash,
      output_type: verifier.output.type,
      checks: verifier.checks.length,
      soundness: verifier.soundness,
      completeness: verifier.completeness,
      abstention: verifier.abstention,
      on_doubt: verifier.on_doubt,
      ...(verifier.figures === undefined ? {} : { figures: verifier.figures }),
      inputs: describeInputs(verifier),
    },
    certificate: describeCertificate(verdict),
    ...(leaves === undefined ? {} : { leaves: presentLeaves(leaves) }),
    seed_provenance: asAccepted(split.provenance, accepted),
    ...(accepted !== null && { accepted }),
    selection: verdict.facts,
    teacher: verdict.teacher,
    costs: verdict.costs.map(describeStage),
    adapter: verdict.adapter === null ? null : describeAdapter(verdict.adapter.report),
    ...(verdict.rowAdvice ? { what_would_help: verdict.rowAdvice } : {}),
    ...(verdict.undecided === undefined ? {} : { undecided: verdict.undecided }),
  })
}

/** Counts of the checks of inputs; null for a verifier that an earlier version made. */
function describeInputs({ inputs }: Partial<Pick<Verifier, 'inputs'>>) {
  if (inputs === undefined) return null
  const { checks, dropped: _dropped, ...figures } = inputs
  return { checks: checks.length, ...figures }
}

/** The certificate without the alternatives, which are programs. */
function describeCertificate({ certificate }: Verdict) {
  if (certificate === null || certificate === undefined) return null
  const { alternatives: _alternatives, ...figures } = certificate
  return figures
}

/** Returns the ids of the rows that count against the gate, up to the listing limit. */
export function failingRowIds(verdict: Verdict): readonly string[] {
  return verdict.gate.failing_rows.map((row) => row.id)
}
