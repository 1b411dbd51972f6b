import type { Verdict } from '../../../../core/compile/stages/judge/verdict.ts'
import type { NewJobEvent } from '../../../../db/compile/progress/events/append-event.ts'
import type { AdapterSummary, VerdictSummary } from '../results.ts'
import type { FitPlan } from './fit-plan.ts'

/** Returns a verdict as the workflow sees it: figures only. */
export function summarizeVerdict({ gate, chosen, kScore, split }: Verdict): VerdictSummary {
  return {
    passed: gate.passed,
    kind: chosen?.kind ?? null,
    kScore: gate.k_score,
    floor: gate.floor,
    holdoutRows: kScore?.n ?? split.provenance.holdout_count,
    failingRows: gate.failing_count,
  }
}

/** Returns the workflow's view of a plan, with the current verdict. */
export function summarizePlan(plan: FitPlan, verdict: Verdict): AdapterSummary {
  return {
    status: 'planned',
    code: null,
    trainer: plan.trainer,
    fits: plan.fits.map(({ inputSha256 }) => inputSha256),
    trainRows: plan.rows.trained,
    steps: 0,
    verdict: summarizeVerdict(verdict),
  }
}

/** Returns the `metric` event that reports how a stage judged the candidates. */
export function verdictMetric(step: 'verify' | 'lora-fit', { gate, kScore, chosen, split }: Verdict): NewJobEvent {
  return {
    kind: 'metric',
    body: {
      step,
      k_score: gate.k_score,
      k_score_floor: gate.floor,
      source: split.mode,
      holdout_count: kScore?.n ?? 0,
      accuracy: kScore?.accuracy ?? 0,
      accuracy_low: kScore?.interval.low ?? 0,
      accuracy_high: kScore?.interval.high ?? 1,
      recipe_kind: chosen?.kind ?? null,
    },
  }
}
