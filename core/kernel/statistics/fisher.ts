/** Logarithms of the factorials that were asked for so far; grown as needed. */
let factorials = Float64Array.of(0, 0)

/** Returns ln(n!), exact to the rounding of a sum. */
function logFactorial(n: number): number {
  if (n >= factorials.length) {
    const grown = new Float64Array(Math.max(n + 1, factorials.length * 2))
    grown.set(factorials)
    for (let i = factorials.length; i < grown.length; i++) grown[i] = (grown[i - 1] ?? 0) + Math.log(i)
    factorials = grown
  }
  return factorials[n] ?? 0
}

/** A group of rows within all rows, and how many of either have a property. */
export interface GroupCounts {
  /** Rows of the group that have it. */
  readonly hits: number
  /** Rows of the group. */
  readonly size: number
  /** Rows that have it, in the group or not. */
  readonly allHits: number
  /** All rows. */
  readonly total: number
}

/**
 * Returns the one-sided p-value of Fisher's exact test (Fisher, 1922): the probability that a group of this size, drawn at
 * random from all rows, has at least as many hits. Sums hypergeometric terms, each from the one before.
 */
export function fisherGreater({ hits, size, allHits, total }: GroupCounts): number {
  const most = Math.min(size, allHits)
  const least = Math.max(0, size + allHits - total)
  if (hits <= least) return 1
  if (hits > most) return 0
  let term = Math.exp(logChoose(allHits, hits) + logChoose(total - allHits, size - hits) - logChoose(total, size))
  let sum = term
  for (let k = hits; k < most && term > 0; k++) {
    term *= ((allHits - k) * (size - k)) / ((k + 1) * (total - allHits - size + k + 1))
    sum += term
  }
  return Math.min(1, sum)
}

function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k)
}
