/** Terms of a series or a fraction: more change no digit of a double. */
const TERMS = 400
const SQRT_TWO_PI = Math.sqrt(2 * Math.PI)

/**
 * Returns P(X <= x) for X of the standard normal distribution, to about 14 digits: by the series of Marsaglia (J. Stat. Softw. 11,
 * 2004) near zero, by the continued fraction of the tail beyond.
 */
export function normalCdf(x: number): number {
  if (Math.abs(x) > 38) return x > 0 ? 1 : 0
  if (Math.abs(x) < 5) {
    let term = x
    let sum = x
    for (let i = 1; i < TERMS && Math.abs(term) > 1e-18; i++) {
      term *= (x * x) / (2 * i + 1)
      sum += term
    }
    return 0.5 + density(x) * sum
  }
  const a = Math.abs(x)
  let fraction = a
  for (let i = 60; i > 0; i--) fraction = a + i / fraction
  const tail = density(a) / fraction
  return x > 0 ? 1 - tail : tail
}

/** Returns the x with P(X <= x) = p, for 0 < p < 1: by halving, then two steps of Newton's method. */
export function normalQuantile(p: number): number {
  if (p <= 0) return Number.NEGATIVE_INFINITY
  if (p >= 1) return Number.POSITIVE_INFINITY
  let [low, high] = [-38, 38]
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2
    if (normalCdf(middle) < p) low = middle
    else high = middle
  }
  let x = (low + high) / 2
  for (let i = 0; i < 2; i++) {
    const slope = density(x)
    if (slope > 0) x -= (normalCdf(x) - p) / slope
  }
  return x
}

function density(x: number): number {
  return Math.exp((-x * x) / 2) / SQRT_TWO_PI
}
