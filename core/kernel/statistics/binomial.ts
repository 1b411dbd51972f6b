/** Halvings of an interval of doubles from 0 to 1: more change no digit that is shown. */
const HALVINGS = 60

/**
 * Returns P(X <= k) for X binomial with n trials of success probability p. Sums the terms by their logarithms, so no
 * power or factorial leaves the range of doubles.
 */
export function binomialCdf(k: number, n: number, p: number): number {
  if (k < 0) return 0
  if (k >= n || p <= 0) return 1
  if (p >= 1) return 0
  const odds = Math.log(p) - Math.log1p(-p)
  let term = n * Math.log1p(-p)
  let sum = Math.exp(term)
  for (let i = 0; i < k; i++) {
    term += Math.log((n - i) / (i + 1)) + odds
    sum += Math.exp(term)
  }
  return Math.min(1, sum)
}

/**
 * Returns the one-sided upper Clopper–Pearson bound of a share (Biometrika 26, 1934): the largest p with
 * P(X <= successes) >= level. 1 without trials.
 */
export function upperBound(successes: number, trials: number, level: number): number {
  if (successes >= trials) return 1
  let low = successes / trials
  let high = 1
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2
    if (binomialCdf(successes, trials, middle) >= level) low = middle
    else high = middle
  }
  return high
}

/** Returns the least number of answers, none of them wrong, that shows a share of wrong answers of at most `maxError`. */
export function leastAnswers(maxError: number, level: number): number {
  return Math.ceil(Math.log(level) / Math.log1p(-maxError))
}
