const COUNT = new Intl.NumberFormat('en-GB')

/** Returns a count as people write it, with its noun: "1,024 rows", "1 row". */
export function formatCount(count: number, noun?: string): string {
  const number = COUNT.format(count)
  if (noun === undefined) return number
  return `${number} ${noun}${count === 1 ? '' : 's'}`
}

/** Returns a share as a percentage: whole, and with a decimal where rounding would make it 0 % or 100 %. */
export function formatShare(share: number): string {
  const percent = share * 100
  const isEnd = share === 0 || share === 1
  const decimals = !isEnd && (Math.round(percent) === 0 || Math.round(percent) === 100) ? 1 : 0
  return `${percent.toFixed(decimals)} %`
}

/** Returns a K-score with its three decimals. */
export function formatScore(score: number): string {
  return score.toFixed(3)
}

/** Rounds a positive number up to significant digits, so that a bound stays one. */
export function roundedUp(bound: number, digits: number): number {
  const near = Number(bound.toPrecision(digits))
  return near >= bound ? near : Number((near + 10 ** (Math.floor(Math.log10(bound)) - digits + 1)).toPrecision(digits))
}

/** Digits of the width of an interval in words. */
const WIDTH_DIGITS = 3

/** Returns the interval of estimated numbers as a sentence without its end: "90 % of its answers are within 0.4 of the right number". */
export function widthInWords({
  coverage,
  half_width: width,
}: {
  readonly coverage: number
  readonly half_width: number
}) {
  return `${formatShare(coverage)} of its answers are within ${roundedUp(width, WIDTH_DIGITS)} of the right number`
}
