import { followResults, isPromoted, type SequentialPlan } from '../../../core/learn/gate/decide.ts'
import { BASELINE_RIGHT, CANDIDATE_RIGHT } from '../../../core/learn/gate/results.ts'
import { ALPHA, nextLevel } from '../../../core/learn/gate/spending.ts'
import { binomialCdf } from '../../../core/kernel/statistics/binomial.ts'
import { wilsonInterval } from '../../../core/kernel/statistics/wilson-interval.ts'
import type { Random } from '../../../core/model/random.ts'

/** Share of rows on which two artifacts differ, and the mean difference. */
export interface Pairs {
  /** Share of rows on which one of them alone is right. */
  readonly differing: number
  /** Gain in accuracy of the candidate. */
  readonly gain: number
}

/** No threshold but the test itself, and no futility: what is counted are promotions by the evidence alone. */
const ANY = { minDelta: -1, minAccuracy: 0 }
const NEVER_FUTILE = 1e-300
/** A power of 0.8 at a two-sided level of 0.05. */
const POWER = 0.8
const LEVEL = 0.05

/** Draws the results of rows. */
export function drawResults(random: Random, { differing, gain }: Pairs, rows: number): Uint8Array {
  const won = (differing + gain) / 2
  return Uint8Array.from({ length: rows }, () => {
    const draw = random.float()
    if (draw < won) return CANDIDATE_RIGHT
    if (draw < differing) return BASELINE_RIGHT
    return CANDIDATE_RIGHT | BASELINE_RIGHT
  })
}

/** Returns the share of null pairs that a sequential gate promotes, looked at after every row. */
export function falsePromotions(
  random: Random,
  { pairs, rows, differing }: { readonly pairs: number; readonly rows: number; readonly differing: number },
): { readonly gate: number; readonly wilson: number } {
  let [gate, wilson] = [0, 0]
  for (let pair = 0; pair < pairs; pair++) {
    const results = drawResults(random, { differing, gain: 0 }, rows)
    if (followResults(results, rows, planOf(0.05)).end === 'promote') gate++
    if (everAboveWilson(results)) wilson++
  }
  return { gate: gate / pairs, wilson: wilson / pairs }
}

/** Looks at the 95 % Wilson interval of the share of won rows after every row that differs. */
function everAboveWilson(results: Uint8Array): boolean {
  let [won, lost] = [0, 0]
  for (const bits of results) {
    if (bits === CANDIDATE_RIGHT) won++
    else if (bits === BASELINE_RIGHT) lost++
    else continue
    if (wilsonInterval(won, won + lost).low > 0.5) return true
  }
  return false
}

/** Returns the median number of rows until promotion. */
export function medianRows(
  random: Random,
  {
    runs,
    pairs,
    planned,
    most,
  }: { readonly runs: number; readonly pairs: Pairs; readonly planned: number; readonly most: number },
): number {
  const rows = Array.from({ length: runs }, () => {
    const state = followResults(drawResults(random, pairs, most), most, planOf(planned))
    return state.end === 'promote' ? state.rows : Number.POSITIVE_INFINITY
  }).toSorted((a, b) => a - b)
  return rows[Math.floor(runs / 2)] ?? Number.POSITIVE_INFINITY
}

function planOf(planned: number): SequentialPlan {
  return { alpha: ALPHA, planned, futility: NEVER_FUTILE, thresholds: ANY }
}

/** Returns the smallest fixed number of rows at which McNemar's exact test, two-sided, finds a gain with a power of 0.8. */
export function fixedSample(pairs: Pairs): number {
  let high = 64
  while (powerOf(pairs, high) < POWER) high *= 2
  let low = high / 2
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (powerOf(pairs, middle) >= POWER) high = middle
    else low = middle
  }
  return high
}

function powerOf({ differing, gain }: Pairs, rows: number): number {
  const share = (differing + gain) / 2 / differing
  let power = 0
  for (let count = 0; count <= rows; count++) {
    const probability = binomialCdf(count, rows, differing) - binomialCdf(count - 1, rows, differing)
    if (probability < 1e-9) continue
    power += probability * (1 - binomialCdf(neededWins(count) - 1, count, share))
  }
  return power
}

/** The fewest wins among rows that differ that are significant; more than there are where none suffices. */
function neededWins(count: number): number {
  const known = needed.get(count)
  if (known !== undefined) return known
  let wins = Math.ceil(count / 2)
  while (wins <= count && 2 * binomialCdf(count - wins, count, 0.5) > LEVEL) wins++
  needed.set(count, wins)
  return wins
}

const needed = new Map<number, number>()

/**
 * Adversaries by how they make their next candidate: from fresh rows, from the last one with a part redrawn, or fresh with a
 * better candidate now and then, which is promoted by right and makes the attempts after it cheaper.
 */
export const STRATEGIES = ['fresh', 'near_copies', 'half_copies', 'true_gains'] as const
type Strategy = (typeof STRATEGIES)[number]

/** Part of the rows that a candidate differs in from the one before it. */
const REDRAWN: Readonly<Record<Strategy, number>> = { fresh: 1, near_copies: 0.1, half_copies: 0.5, true_gains: 1 }
/** Every so many attempts `true_gains` has a better candidate. */
const GAIN_EVERY = 20

/** The size of an attack: its adversaries, their attempts and their rows. */
export interface AttackSetting {
  readonly adversaries: number
  readonly attempts: number
  readonly rows: number
  /** Share of rows on which a candidate differs from its baseline. */
  readonly differing: number
}

/** Returns the share of adversaries whose null candidates are ever promoted, at the levels that are spent and at 0.05 each time. */
export function everPromoted(
  random: Random,
  setting: AttackSetting,
): { readonly spent: number; readonly each: number } {
  let [spent, each] = [0, 0]
  for (let adversary = 0; adversary < setting.adversaries; adversary++) {
    const promoted = attack(random, STRATEGIES[adversary % STRATEGIES.length] ?? 'fresh', setting)
    if (promoted.spent) spent++
    if (promoted.each) each++
  }
  return { spent: spent / setting.adversaries, each: each / setting.adversaries }
}

function attack(random: Random, strategy: Strategy, { attempts, rows, differing }: AttackSetting) {
  const promoted = { spent: false, each: false }
  const earlier: boolean[] = []
  let last = drawResults(random, { differing, gain: 0 }, rows)
  for (let attempt = 1; attempt <= attempts && !(promoted.spent && promoted.each); attempt++) {
    const isBetter = strategy === 'true_gains' && attempt % GAIN_EVERY === 0
    const results = isBetter
      ? drawResults(random, { differing, gain: 0.9 * differing }, rows)
      : redraw(random, last, { differing, share: REDRAWN[strategy] })
    const isSpentPromotion = isPromoted(results, { level: nextLevel(ALPHA, earlier).level, thresholds: ANY })
    if (!isBetter) {
      promoted.spent ||= isSpentPromotion
      promoted.each ||= isPromoted(results, { level: ALPHA, thresholds: ANY })
      last = results
    }
    earlier.push(isSpentPromotion)
  }
  return promoted
}

function redraw(
  random: Random,
  last: Uint8Array,
  { differing, share }: { readonly differing: number; readonly share: number },
): Uint8Array {
  const fresh = drawResults(random, { differing, gain: 0 }, last.length)
  return share === 1 ? fresh : fresh.map((bits, row) => (random.float() < share ? bits : (last[row] ?? bits)))
}
