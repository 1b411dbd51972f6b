/**
 * Returns p-values adjusted for the false discovery rate (Benjamini and Hochberg, J. R. Stat. Soc. B 57, 1995), in the order
 * given: those at or below a level are discoveries at that level. `tests` is the number of tests made, where only the
 * smallest of their p-values are given; it defaults to the number of values.
 */
export function adjustForDiscoveries(pValues: readonly number[], tests = pValues.length): readonly number[] {
  const order = pValues.map((_, place) => place).toSorted((a, b) => (pValues[b] ?? 0) - (pValues[a] ?? 0))
  const adjusted = pValues.map(() => 1)
  let least = 1
  for (const [fromLargest, place] of order.entries()) {
    const rank = pValues.length - fromLargest
    least = Math.min(least, ((pValues[place] ?? 1) * tests) / rank)
    adjusted[place] = least
  }
  return adjusted
}

/**
 * Returns p-values adjusted for the probability of any false discovery (Holm, Scand. J. Stat. 6, 1979), in the order given.
 */
export function adjustForAny(pValues: readonly number[]): readonly number[] {
  const order = pValues.map((_, place) => place).toSorted((a, b) => (pValues[a] ?? 0) - (pValues[b] ?? 0))
  const adjusted = pValues.map(() => 1)
  let most = 0
  for (const [rank, place] of order.entries()) {
    most = Math.max(most, Math.min(1, (pValues[place] ?? 1) * (pValues.length - rank)))
    adjusted[place] = most
  }
  return adjusted
}
