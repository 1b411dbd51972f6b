import { STRATEGIES, STRATEGY_SPEC, type DistillStrategy } from './catalog.ts'
import type { StrategyProfile } from './profile.ts'
import { scoreStrategy } from './score.ts'

/** A strategy with its place for a profile. */
export interface RankedStrategy extends DistillStrategy {
  readonly score: number
  readonly feasible: boolean
  readonly blockers: readonly string[]
}

/** A plan: it starts nothing and holds no secret. */
export interface DistillPlan {
  readonly spec: typeof STRATEGY_SPEC
  readonly profile: StrategyProfile
  /** The first feasible strategy; collecting pairs always is. */
  readonly recommendation: RankedStrategy
  readonly ranked: readonly RankedStrategy[]
}

/**
 * Ranks the strategies for a profile: by score, then by id. A strategy that this service does not run is never feasible.
 * Under airgap a teacher has to be local.
 */
export function planDistillation(profile: StrategyProfile): DistillPlan {
  const ranked = STRATEGIES.map((strategy) => {
    const blockers = blockersOf(strategy, profile)
    return {
      ...strategy,
      score: scoreStrategy(strategy, profile, blockers.length),
      feasible: blockers.length === 0,
      blockers,
    }
  }).toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
  const recommendation = ranked.find(({ feasible }) => feasible)
  if (recommendation === undefined) throw new Error('no strategy is free of conditions')
  return { spec: STRATEGY_SPEC, profile, recommendation, ranked }
}

function blockersOf(strategy: DistillStrategy, profile: StrategyProfile): readonly string[] {
  const { minReal, minHoldout, minPreference } = strategy
  const { real_pairs: real, synthetic_pairs: synthetic, holdout_pairs: heldOut, preference_pairs: pairs } = profile
  const isTraining = minReal > 0
  return [
    ...(strategy.command === null ? ['not_available'] : []),
    ...(strategy.privacy.includes(profile.privacy) ? [] : [`privacy_mode_${profile.privacy}_not_allowed`]),
    ...(real < minReal ? [`real_pairs_below_min:${real}<${minReal}`] : []),
    ...(heldOut < minHoldout ? [`holdout_pairs_below_min:${heldOut}<${minHoldout}`] : []),
    ...(pairs < minPreference ? [`preference_pairs_below_min:${pairs}<${minPreference}`] : []),
    ...(isTraining && real === 0 && synthetic > 0 ? ['synthetic_only_not_trainable'] : []),
    ...teacherBlockers(strategy, profile),
    ...(strategy.needsMoe && !profile.moe_teacher && !profile.moe_base ? ['moe_teacher_or_base_required'] : []),
  ]
}

function teacherBlockers({ needsTeacher, needsLogits }: DistillStrategy, profile: StrategyProfile): readonly string[] {
  const { hasOpenTeacher, hasTextTeacher, privacy, teacher_local: isLocal, teachers } = profile
  if (needsTeacher && !hasOpenTeacher && !hasTextTeacher) return ['teacher_not_configured']
  const isAtHand = isLocal === true || teachers.some((name) => name.startsWith('local:'))
  if (needsTeacher && privacy === 'airgap' && !isAtHand) return ['teacher_not_local']
  return needsLogits && !hasOpenTeacher ? ['teacher_logits_required'] : []
}
