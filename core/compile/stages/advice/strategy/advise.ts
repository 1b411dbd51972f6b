import { learnBasis, type Basis, type RunPoint } from './basis.ts'
import { ACTIONS, type ActionId, type StrategyAction } from './catalog.ts'
import type { Profile } from './profile.ts'

/** Capabilities of this installation. A trainer is always among them: the embedded one. */
export interface Facilities {
  /** True when a model provider is configured. */
  readonly hasProvider: boolean
}

/** One action with how much speaks for it. */
export interface RankedAction extends StrategyAction {
  /** 0 to 100. */
  readonly score: number
  readonly feasible: boolean
  readonly reasons: readonly string[]
}

/** Sufficiency of the rows, by the thresholds of the public format. */
export interface Sufficiency {
  readonly train_ready: boolean
  readonly distill_ready: boolean
  readonly low_holdout: boolean
}

/** A strategy plan. It starts no work and holds no secret. */
export interface StrategyPlan {
  readonly spec: 'svc-build-strategy-brain/1'
  readonly profile: Profile
  readonly sufficiency: Sufficiency
  readonly basis: Basis
  readonly recommendation: RankedAction
  readonly ranked: readonly RankedAction[]
  readonly next_actions: readonly string[]
  readonly secret_values_included: false
}

const RULE_TASKS: ReadonlySet<string> = new Set(['redaction', 'classification', 'extraction'])
const MOST_NEXT_ACTIONS = 8

/**
 * Ranks the next actions. Fitting actions follow from the profile and the installed features; the value of more rows
 * follows from the tenant's own compiles, or is reported as having no basis yet. The advice is consistent: when it
 * advises against training, it does not recommend it.
 */
export function adviseStrategy(profile: Profile, runs: readonly RunPoint[], facilities: Facilities): StrategyPlan {
  const sufficiency = judgeRows(profile)
  const basis = learnBasis(runs, profile.real_pairs)
  const ranked = rankActions(profile, sufficiency, basis, facilities)
  const feasible = ranked.filter((action) => action.feasible)
  const [recommendation] = feasible.filter((action) => action.family !== 'guardrail')
  return {
    spec: 'svc-build-strategy-brain/1',
    profile,
    sufficiency,
    basis,
    recommendation:
      recommendation ?? withScore('collect_more_real_pairs', 95, true, ['there is nothing to compile yet']),
    ranked,
    next_actions: feasible.slice(0, MOST_NEXT_ACTIONS).map((action) => action.id),
    secret_values_included: false,
  }
}

function judgeRows(profile: Profile): Sufficiency {
  const { real_pairs: real, holdout_pairs: holdout } = profile
  return {
    train_ready: real >= 50 && holdout >= 10,
    distill_ready: real >= 500 && holdout >= 100,
    low_holdout: holdout < Math.max(10, real / 10),
  }
}

function rankActions(profile: Profile, rows: Sufficiency, basis: Basis, facilities: Facilities): RankedAction[] {
  const { real_pairs: real } = profile
  const canTrain = rows.train_ready && profile.requires_training
  const canRent = canTrain && profile.no_local_gpu && profile.privacy !== 'airgap'
  const fitsRules = profile.repeat_rate >= 0.45 || RULE_TASKS.has(profile.task)
  const mayLeave = profile.privacy !== 'airgap' && facilities.hasProvider
  const canCompile = real >= 2
  const hasArtifact = profile.existing_artifact !== undefined
  const ranked = [
    withScore(
      'collect_more_real_pairs',
      rows.train_ready ? 28 + gainScore(basis) : 95,
      true,
      collectReasons(profile, rows, basis),
    ),
    withScore('prompt_rag_rule_cache_first', (fitsRules ? 82 : 52) + (rows.train_ready ? 0 : 8), true, [
      fitsRules ? 'the task or the repetition of inputs suits rules and a cache' : 'inputs seldom repeat',
    ]),
    withScore('provider_route_fallback', mayLeave ? 74 : 36, mayLeave, [
      facilities.hasProvider ? `privacy is ${profile.privacy}` : 'no provider key is configured',
    ]),
    withScore('distill_or_train', canTrain ? 35 + Math.round(45 * profile.teacher_agreement) : 10, canTrain, [
      `${real} real pairs`,
    ]),
    withScore('cloud_compute_plan', canRent ? 65 : 5, canRent, [canTrain ? 'training is due' : 'training is not due']),
    withScore(
      'compile_signed_artifact',
      canCompile ? compileScore(rows, basis) : 42,
      canCompile,
      compileReasons(profile, basis),
    ),
    withScore('quantize_runtime_target', 25, false, [
      'only an adapter holds model weights: export it with POST /v1/exports',
    ]),
    withScore('run_existing_artifact_locally', hasArtifact ? 88 : 20, hasArtifact, [
      hasArtifact ? 'an artifact was named' : 'no artifact was named',
    ]),
    withScore('do_not_train_yet', rows.train_ready ? 18 : 86, !rows.train_ready, [
      rows.train_ready
        ? 'the rows suffice'
        : `${real} real pairs and ${profile.holdout_pairs} held out do not show whether training helps`,
    ]),
  ]
  return ranked.toSorted((a, b) => Number(b.feasible) - Number(a.feasible) || b.score - a.score)
}

function collectReasons(profile: Profile, rows: Sufficiency, basis: Basis): string[] {
  const reasons = rows.train_ready ? [] : [`${profile.real_pairs} real pairs, 50 are needed to judge a result`]
  if (rows.low_holdout) reasons.push(`${profile.holdout_pairs} pairs held out are few`)
  reasons.push(
    basis.kind === 'none'
      ? `what more rows would bring: no basis yet (${basis.reason})`
      : `your ${basis.runs} compiles gained ${basis.gain_per_doubling} of K per doubling of the rows (95 %: ${basis.gain_low} to ${basis.gain_high})`,
  )
  return reasons
}

function compileReasons(profile: Profile, basis: Basis): string[] {
  if (profile.real_pairs < 2) return ['two pairs are the least that can be compiled']
  return [
    basis.kind === 'none'
      ? `K-score to expect: no basis yet (${basis.reason})`
      : `your ${basis.runs} compiles let expect a K-score of ${basis.expected_k} with ${profile.real_pairs} rows`,
  ]
}

/** Up to 40 points for a gain that is surely above zero: 0.05 of K per doubling is worth all of them. */
function gainScore(basis: Basis): number {
  if (basis.kind === 'none' || basis.gain_low <= 0) return 0
  return Math.round(40 * Math.min(1, basis.gain_per_doubling / 0.05))
}

function compileScore(rows: Sufficiency, basis: Basis): number {
  const start = rows.train_ready ? 76 : 60
  return basis.kind === 'none' ? start : Math.round(start + 20 * (basis.expected_k - 0.5))
}

function withScore(id: ActionId, score: number, feasible: boolean, reasons: readonly string[]): RankedAction {
  return { ...ACTIONS[id], score: Math.min(100, Math.max(0, score)), feasible, reasons }
}
