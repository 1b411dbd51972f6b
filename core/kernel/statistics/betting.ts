/** A bet on the mean of bounded observations. */
export interface BettingOptions {
  /** The mean that is tested: the null hypothesis is a mean of at most this, whatever came before. */
  readonly mean: number
  /** The least value of an observation; observations go up to 1. */
  readonly least: number
  /** The mean that is hoped for: half of the capital bets for it. */
  readonly planned: number
}

/** The capital of a gambler who starts with 1 and bets that the mean is above the tested one. */
export interface Betting {
  /** Takes an observation and returns the capital. */
  add(value: number): number
  /** The capital, an e-value: at most 1 on average when the null hypothesis is true, at any time. */
  readonly capital: number
  /** The largest capital so far: 1 over it is an anytime-valid p-value (Ville's inequality). */
  readonly peak: number
}

/** Parts of the capital that bet constant fractions, from cautious to bold. */
const GRID = [0.02, 0.05, 0.1, 0.2, 0.35, 0.55, 0.8] as const
/** Share of the capital that follows the planned mean; the rest is divided among the grid. */
const PLANNED_SHARE = 0.5
/** Largest part of what may be lost that is staked: no observation takes all of a capital. */
const MOST_STAKED = 0.9
/** Observations that the guess of the spread counts for. */
const PRIOR_ROWS = 8

/**
 * Opens a betting e-process (Waudby-Smith and Ramdas, J. R. Stat. Soc. B 86, 2024, "Estimating means of bounded random
 * variables by betting"): the capital is multiplied by 1 + lambda (x - mean) with each observation, lambda fixed before it is
 * seen. It is the mean of several such capitals: one stakes planned gain over the mean square seen so far, which is the
 * Kelly bet for the planned mean; the others stake constant fractions (section 4.3, the diversified Kelly bettor), for
 * means that were not planned. Rows may be looked at one by one, and the bet ended at any time.
 */
export function openBetting({ mean, least, planned }: BettingOptions): Betting {
  const most = MOST_STAKED / (mean - least)
  const gain = Math.max(planned - mean, 0)
  const fixed = GRID.map((part) => (part * most) / MOST_STAKED).map((lambda) => Math.min(lambda, most))
  const logs = fixed.map(() => 0)
  let plannedLog = 0
  let squares = PRIOR_ROWS * Math.max(gain, 0.25 * (1 - mean) ** 2)
  let rows = PRIOR_ROWS
  let capital = 1
  let peak = 1
  return {
    add(value) {
      const won = value - mean
      const lambda = Math.min(gain / (squares / rows), most)
      plannedLog += Math.log1p(lambda * won)
      for (const [at, stake] of fixed.entries()) logs[at] = (logs[at] ?? 0) + Math.log1p(stake * won)
      squares += won * won
      rows++
      const others = logs.reduce((sum, log) => sum + Math.exp(log), 0) / logs.length
      capital = PLANNED_SHARE * Math.exp(plannedLog) + (1 - PLANNED_SHARE) * others
      peak = Math.max(peak, capital)
      return capital
    },
    get capital() {
      return capital
    },
    get peak() {
      return peak
    },
  }
}

/** Returns the smallest anytime-valid p-value of a mean of at most `mean` over all prefixes of the observations. */
export function anytimePValue(values: readonly number[], options: BettingOptions): number {
  const betting = openBetting(options)
  for (const value of values) betting.add(value)
  return Math.min(1, 1 / betting.peak)
}
