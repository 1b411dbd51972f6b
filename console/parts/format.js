const number = new Intl.NumberFormat()
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const instant = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** @param {number} value */
export function formatNumber(value) {
  return number.format(value)
}

/** @param {number} share of one */
export function formatPercent(share) {
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`
}

/** @param {string | null | undefined} iso */
export function formatInstant(iso) {
  return iso === null || iso === undefined ? '–' : instant.format(new Date(iso))
}

/** @param {string} iso */
export function formatDay(iso) {
  return day.format(new Date(iso))
}

/** @param {number} bytes */
export function formatBytes(bytes) {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** @param {number | undefined} score */
export function formatScore(score) {
  return score === undefined ? '–' : score.toFixed(3)
}

/**
 * A machine's word for people: `step.end` and `past_due` become words with spaces.
 *
 * @param {string} word
 */
export function formatWord(word) {
  return word.replaceAll(/[._-]/g, ' ')
}
