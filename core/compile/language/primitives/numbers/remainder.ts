const ZERO = 48
const CAPITAL_A = 65

/** Digits of a capital letter: `A` stands for 10, `Z` for 35 (ISO/IEC 7064). */
function valueOf(unit: number): number | undefined {
  if (unit >= ZERO && unit <= ZERO + 9) return unit - ZERO
  return unit >= CAPITAL_A && unit < CAPITAL_A + 26 ? unit - CAPITAL_A + 10 : undefined
}

/**
 * Returns the remainder of a number of any length, written in digits and in capital letters that stand for two digits each
 * (ISO/IEC 7064); undefined for other texts and the empty one.
 */
export function remainderOf(text: string, divisor: number): number | undefined {
  let rest = 0
  for (let at = 0; at < text.length; at++) {
    const value = valueOf(text.charCodeAt(at))
    if (value === undefined) return undefined
    rest = (rest * (value > 9 ? 100 : 10) + value) % divisor
  }
  return text === '' ? undefined : rest
}
