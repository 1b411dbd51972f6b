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
