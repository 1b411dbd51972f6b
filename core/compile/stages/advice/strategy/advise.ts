import { measured, notMeasured, type Figure } from '../../../../kernel/wire/figure.ts'
import { learnBasis, type Basis, type RunPoint } from './basis.ts'
import { ACTIONS, type ActionId, type StrategyAction } from './catalog.ts'
import type { Profile } from './profile.ts'

/** Capabilities of this installation. A trainer is always among them: the embedded one. */
export interface Facilities {
  /** True when a model provider is configured. */
  readonly hasProvider: boolean
}

/** One action, with what the tenant's own runs measured of it. */
export interface RankedAction extends StrategyAction {
  /** Expected K-score or gain, measured on compiles of the tenant; not measured where none tells. */
  readonly figure: Figure
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

/** Order of the actions while the rows are too few to judge a result. */
const FEW_ROWS_FIRST: readonly ActionId[] = [
  'collect_more_real_pairs',
  'run_existing_artifact_locally',
  'do_not_train_yet',
  'prompt_rag_rule_cache_first',
  'provider_route_fallback',
  'compile_signed_artifact',
]
/** Order of the actions with enough rows; rules come before a compile where the task suits them. */
const ENOUGH_ROWS_FIRST: readonly ActionId[] = [
  'run_existing_artifact_locally',
  'compile_signed_artifact',
  'provider_route_fallback',
  'distill_or_train',
  'cloud_compute_plan',
  'prompt_rag_rule_cache_first',
  'collect_more_real_pairs',
]

/**
 * Orders the next actions by the profile and the installed features. What an action is worth is measured on the tenant's
 * own compiles, or not measured. The advice is consistent: when it advises against training, it does not recommend it.
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
      recommendation ?? act('collect_more_real_pairs', notMeasured(NO_RUN), true, ['there is nothing to compile yet']),
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
  const fitsRules = (profile.repeat_rate ?? 0) >= 0.45 || RULE_TASKS.has(profile.task)
  const mayLeave = profile.privacy !== 'airgap' && facilities.hasProvider
  const canCompile = real >= 2
  const hasArtifact = profile.existing_artifact !== undefined
  const none = notMeasured(NO_RUN)
  const actions = [
    act('collect_more_real_pairs', gainFigure(basis), true, collectReasons(profile, rows, basis)),
    act('prompt_rag_rule_cache_first', none, true, [
      fitsRules ? 'the task or the repetition of inputs suits rules and a cache' : 'inputs seldom repeat',
    ]),
    act('provider_route_fallback', none, mayLeave, [
      facilities.hasProvider ? `privacy is ${profile.privacy}` : 'no provider key is configured',
    ]),
    act('distill_or_train', none, canTrain, [`${real} real pairs`]),
    act('cloud_compute_plan', none, canRent, [canTrain ? 'training is due' : 'training is not due']),
    act('compile_signed_artifact', expectedFigure(basis), canCompile, compileReasons(profile, basis)),
    act('quantize_runtime_target', none, false, [
      'only an adapter holds model weights: export it with POST /v1/exports',
    ]),
    act('run_existing_artifact_locally', none, hasArtifact, [
      hasArtifact ? 'an artifact was named' : 'no artifact was named',
    ]),
    act('do_not_train_yet', none, !rows.train_ready, [
      rows.train_ready
        ? 'the rows suffice'
        : `${real} real pairs and ${profile.holdout_pairs} held out do not show whether training helps`,
    ]),
  ]
  const first: readonly ActionId[] = fitsRules ? ['prompt_rag_rule_cache_first'] : []
  const enough = [...ENOUGH_ROWS_FIRST.slice(0, 1), ...first, ...ENOUGH_ROWS_FIRST.slice(1)]
  const order: readonly string[] = rows.train_ready ? enough : FEW_ROWS_FIRST
  const placeOf = ({ id }: RankedAction): number => (order.includes(id) ? order.indexOf(id) : order.length)
  return actions.toSorted((a, b) => Number(b.feasible) - Number(a.feasible) || placeOf(a) - placeOf(b))
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

const NO_RUN = 'no compile of yours measured what this action brings'
const HOW = 'least squares of K over log2 of the rows of your compiles'

/** The gain of K for each doubling of the rows. */
function gainFigure(basis: Basis): Figure {
  return basis.kind === 'none' ? notMeasured(basis.reason) : measured(basis.gain_per_doubling, basis.runs, HOW)
}

/** The K-score to expect of a compile. */
function expectedFigure(basis: Basis): Figure {
  return basis.kind === 'none' ? notMeasured(basis.reason) : measured(basis.expected_k, basis.runs, HOW)
}

function act(id: ActionId, figure: Figure, feasible: boolean, reasons: readonly string[]): RankedAction {
  return { ...ACTIONS[id], figure, feasible, reasons }
}
