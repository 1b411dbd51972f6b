import { adjustForAny, adjustForDiscoveries } from '../../../kernel/statistics/adjust.ts'
import { bcaInterval } from '../../../kernel/statistics/bca-bootstrap.ts'
import { anytimePValue } from '../../../kernel/statistics/betting.ts'
import { mean } from '../../../kernel/statistics/means.ts'
import { percentileInterval } from '../../../kernel/statistics/percentile-bootstrap.ts'
import { LEARN_ERRORS } from '../../errors.ts'

/** Kinds of members of the family that is tested together. */
export const MEMBER_KINDS = ['composite', 'axis', 'subgroup', 'regression'] as const
type MemberKind = (typeof MEMBER_KINDS)[number]

/** Numbers in a list, or packed for their way to a thread. */
type Scores = readonly number[] | Float64Array

/** Returns the same cases with their numbers packed: they reach a thread as one copy of their bytes. */
export function packCases({ composite, axes, subgroups, regression_classes: classes }: PerCase): PerCase {
  const pack = (group: Readonly<Record<string, Scores>>) =>
    Object.fromEntries(Object.entries(group).map(([name, values]) => [name, Float64Array.from(values)]))
  return {
    composite: Float64Array.from(composite),
    axes: pack(axes),
    subgroups: pack(subgroups),
    regression_classes: pack(classes),
  }
}

/** Scores of the cases of one side, 0 to 1, in the same order on both sides. */
export interface PerCase {
  readonly composite: Scores
  readonly axes: Readonly<Record<string, Scores>>
  readonly subgroups: Readonly<Record<string, Scores>>
  readonly regression_classes: Readonly<Record<string, Scores>>
}

/** Settings of the test. */
export interface SignificanceOptions {
  readonly alpha: number
  readonly min_kscore_delta: number
  readonly correction: 'bh' | 'holm'
  readonly bootstrap_method: 'bca' | 'percentile'
  readonly bootstrap_iters: number
  readonly min_samples: number
  readonly regression_min_drop: number
  readonly regression_prior_scale: number
  readonly seed: number
}

/** Both sides, case by case. */
export interface SignificanceInput {
  readonly candidate: PerCase
  readonly baseline: PerCase
  readonly options: SignificanceOptions
}

/** A member of the family with its test. */
export interface FamilyMember {
  readonly id: string
  readonly kind: MemberKind
  readonly n: number
  readonly mean_delta: number
  readonly ci_low: number
  readonly ci_high: number
  /** Anytime-valid p-value: of a gain, and of a drop for a regression class. */
  readonly avp: number
  readonly adjusted_p: number
  readonly corrected_significant: boolean
}

/** The verdict on posted cases. */
export interface SignificanceReport {
  readonly decision: 'promote' | 'block' | 'abstain'
  readonly reason: string
  readonly alpha: number
  readonly correction: 'bh' | 'holm'
  readonly family: readonly FamilyMember[]
  readonly composite: FamilyMember
}

/** Values that all resamples of all members may draw together: about two seconds. */
const MOST_DRAWS = 60_000_000

interface Vectors {
  readonly id: string
  readonly kind: MemberKind
  readonly deltas: readonly number[]
}

/**
 * Tests paired cases: composite, axes, subgroups and regression classes are one family, whose anytime-valid p-values are
 * corrected together. Abstains with too few cases, blocks on a significant regression, promotes on a significant gain whose
 * interval lies at or above the least. Throws `eval_gate_failed` for cases that are no pairs.
 */
export function testSignificance({ candidate, baseline, options }: SignificanceInput): SignificanceReport {
  const vectors = pairAll(candidate, baseline)
  const draws = vectors.reduce((sum, { deltas }) => sum + deltas.length, 0) * options.bootstrap_iters
  if (draws > MOST_DRAWS) {
    throw LEARN_ERRORS.eval_gate_failed(
      `significance.bootstrap_iters: with these cases the bootstrap draws ${draws} values; ${MOST_DRAWS} is the most`,
    )
  }
  const family = testFamily(vectors, options)
  const composite = family.find(({ kind }) => kind === 'composite')
  if (composite === undefined) throw LEARN_ERRORS.eval_gate_failed('per_case.composite: is required on both sides')
  const { alpha, correction } = options
  return { ...decide(family, composite, options), alpha, correction, family, composite }
}

function pairAll(candidate: PerCase, baseline: PerCase): readonly Vectors[] {
  const groups = [
    ['axis', 'axes'],
    ['subgroup', 'subgroups'],
    ['regression', 'regression_classes'],
  ] as const
  return [
    { id: 'composite', kind: 'composite', deltas: pair(candidate.composite, baseline.composite, 'composite') },
    ...groups.flatMap(([kind, group]) =>
      [...new Set([...Object.keys(candidate[group]), ...Object.keys(baseline[group])])].map((name) => {
        const field = `${group}.${name}`
        const [values, others] = [candidate[group][name], baseline[group][name]]
        if (values === undefined) throw LEARN_ERRORS.eval_gate_failed(`candidate.per_case.${field}: is required`)
        if (others === undefined) throw LEARN_ERRORS.eval_gate_failed(`baseline.per_case.${field}: is required`)
        return { id: `${kind}:${name}`, kind, deltas: pair(values, others, field) }
      }),
    ),
  ]
}

function pair(candidate: Scores, baseline: Scores, field: string): readonly number[] {
  if (candidate.length !== baseline.length) {
    throw LEARN_ERRORS.eval_gate_failed(
      `per_case.${field}: has ${candidate.length} cases of the candidate and ${baseline.length} of the baseline; cases are paired by their place`,
    )
  }
  return Array.from(candidate, (value, place) => value - (baseline[place] ?? 0))
}

function testFamily(vectors: readonly Vectors[], options: SignificanceOptions): readonly FamilyMember[] {
  const tested = vectors.map(({ id, kind, deltas }) => {
    const isRegression = kind === 'regression'
    const gains = isRegression ? deltas.map((delta) => -delta) : deltas
    const planned = isRegression ? options.regression_prior_scale : options.min_kscore_delta
    const n = deltas.length
    const { low, high } = intervalOf(deltas, options)
    const avp = n === 0 ? 1 : anytimePValue(gains, { mean: 0, least: -1, planned })
    return { id, kind, n, mean_delta: n === 0 ? 0 : mean(deltas), ci_low: low, ci_high: high, avp }
  })
  const pValues = tested.map(({ avp }) => avp)
  const adjusted = options.correction === 'bh' ? adjustForDiscoveries(pValues) : adjustForAny(pValues)
  return tested.map((member, place) => {
    const p = adjusted[place] ?? 1
    return { ...member, adjusted_p: p, corrected_significant: p <= options.alpha }
  })
}

function intervalOf(deltas: readonly number[], options: SignificanceOptions) {
  if (deltas.length < 2) return { low: deltas[0] ?? 0, high: deltas[0] ?? 0 }
  const settings = { resamples: options.bootstrap_iters, seed: options.seed }
  return options.bootstrap_method === 'bca' ? bcaInterval(deltas, settings) : percentileInterval(deltas, settings)
}

function decide(
  family: readonly FamilyMember[],
  composite: FamilyMember,
  options: SignificanceOptions,
): Pick<SignificanceReport, 'decision' | 'reason'> {
  const small = family.find(({ n }) => n < options.min_samples)
  if (small !== undefined) {
    return { decision: 'abstain', reason: `${small.id} has ${small.n} cases; ${options.min_samples} are the least` }
  }
  const regression = family.find(
    (member) =>
      member.kind === 'regression' &&
      member.corrected_significant &&
      -member.mean_delta > options.regression_min_drop &&
      member.ci_high < 0,
  )
  if (regression !== undefined) {
    return { decision: 'block', reason: `${regression.id} drops significantly, by ${-regression.mean_delta}` }
  }
  if (composite.corrected_significant && composite.ci_low >= options.min_kscore_delta) {
    return { decision: 'promote', reason: `the gain is significant and at least ${options.min_kscore_delta}` }
  }
  return {
    decision: 'abstain',
    reason: composite.corrected_significant
      ? `the gain is significant, but its interval begins below ${options.min_kscore_delta}`
      : 'the gain is not significant',
  }
}
