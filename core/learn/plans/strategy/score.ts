import type { DistillStrategy } from './catalog.ts'
import type { StrategyProfile } from './profile.ts'

const TOO_FEW_REAL = 50
const TOO_FEW_HELD_OUT = 10

/** A fact of a profile that speaks for or against strategies. */
interface Special {
  readonly when: (profile: StrategyProfile) => boolean
  readonly points: Readonly<Record<string, number>>
}

const isTextOnly = (profile: StrategyProfile): boolean => profile.hasTextTeacher && !profile.hasOpenTeacher

/** Reference 15.3. */
const SPECIALS: readonly Special[] = [
  { when: ({ task }) => task === 'redaction', points: { rule_or_cache_first: 18 } },
  { when: (profile) => profile.task === 'generation' && !isTextOnly(profile), points: { kd_softmax: 14 } },
  { when: (profile) => profile.task === 'generation' && isTextOnly(profile), points: { kd_softmax: -20 } },
  { when: ({ task }) => task === 'extraction', points: { lora_sft: 12 } },
  { when: ({ label_noise: noise }) => noise >= 0.18, points: { rejection_sampling: 18 } },
  { when: ({ teacher_agreement: agreement }) => agreement < 0.65, points: { rejection_sampling: 12 } },
  { when: isTextOnly, points: { rejection_sampling: 8, gad: 45, ropd: 32 } },
  {
    when: ({ hasOpenTeacher }) => hasOpenTeacher,
    points: { gkd_onpolicy: 24, distillm2: 14, bond_jeffreys: 13, reverse_kl_minillm: 12 },
  },
  { when: ({ teacher_agreement: agreement }) => agreement < 0.7, points: { bond_jeffreys: 8 } },
  { when: (profile) => profile.moe_teacher, points: { moe_to_dense_distill: 48 } },
  { when: (profile) => profile.moe_base, points: { moe_to_dense_distill: 22 } },
  { when: ({ moe_teacher: moe, hasOpenTeacher }) => moe && hasOpenTeacher, points: { moe_to_dense_distill: 10 } },
  { when: ({ moe_teacher: moe, task }) => moe && task === 'reasoning', points: { moe_to_dense_distill: 10 } },
  { when: ({ task }) => task === 'reasoning', points: { cot_distill: 30, gad: 12, ropd: 10 } },
  { when: ({ preference_pairs: pairs }) => pairs >= 50, points: { preference_optimization: 22 } },
  {
    when: ({ existing_artifact: artifact }) => artifact !== undefined,
    points: { onpolicy_distill: 16, gad: 12, ropd: 10 },
  },
  { when: ({ repeat_rate: rate }) => rate >= 0.45, points: { rule_or_cache_first: 16 } },
  { when: ({ target_latency_ms: ms }) => ms <= 60, points: { speculative_decoding_train: 14 } },
  {
    when: ({ budget_usd: usd }) => usd > 0,
    points: { kd_softmax: -5, speculative_decoding_train: -5, gad: -5, ropd: -5 },
  },
]

/** Scores a strategy for a profile: feasible 50, made for the task 16, 10 less for each blocker, and the specials of 15.3. */
export function scoreStrategy(strategy: DistillStrategy, profile: StrategyProfile, blockers: number): number {
  const isShort = profile.real_pairs < TOO_FEW_REAL || profile.holdout_pairs < TOO_FEW_HELD_OUT
  const special = SPECIALS.filter(({ when }) => when(profile)).reduce(
    (sum, { points }) => sum + (points[strategy.id] ?? 0),
    0,
  )
  return (
    (blockers === 0 ? 50 : 0) +
    (strategy.bestFor.includes(profile.task) ? 16 : 0) -
    10 * blockers +
    (strategy.family === 'data' && isShort ? 30 : 0) +
    special
  )
}
