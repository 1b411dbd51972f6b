/** @typedef {import('../../../core/compile/rows/equality/tolerance.ts').Tolerance} Tolerance */

const BOUND = /^(\d+(?:\.\d+)?(?:e[-+]?\d+)?)\s*(%)?$/i

/**
 * Reads tolerances as a person writes them, separated by commas: `50`, `5 %`, `minutes = 10`, `items.*.price = 0.5 or 2 %`. Text that is none
 * of these is sent as it is, so that the service says what is wrong with it.
 *
 * @param {string} text
 * @returns {{ tolerances: readonly Tolerance[] | string }}
 */
export function tolerancesIn(text) {
  if (text.trim() === '') return { tolerances: [] }
  const read = text.split(',').map(toleranceIn)
  return { tolerances: read.some((one) => one === undefined) ? text : read.flatMap((one) => one ?? []) }
}

/**
 * @param {string} text
 * @returns {Tolerance | undefined}
 */
function toleranceIn(text) {
  const at = text.lastIndexOf('=')
  const path = at < 0 ? [] : text.slice(0, at).trim().split('.')
  const bounds = text
    .slice(at + 1)
    .split(/\s+or\s+/)
    .map((bound) => BOUND.exec(bound.trim()))
  if (path.includes('') || bounds.includes(null)) return undefined
  const [absolute, relative] = [undefined, '%'].map((sign) => bounds.find((bound) => bound?.[2] === sign)?.[1])
  return {
    path,
    ...(absolute !== undefined && { absolute: Number(absolute) }),
    ...(relative !== undefined && { relative: Number(relative) / 100 }),
  }
}

/**
 * Writes tolerances as `tolerancesIn` reads them.
 *
 * @param {readonly Tolerance[]} [tolerances]
 */
export function tolerancesText(tolerances = []) {
  return tolerances
    .map(({ path, absolute, relative }) => {
      const bounds = [
        ...(absolute === undefined ? [] : [String(absolute)]),
        // Rounded, since 0.07 times 100 is 7.000000000000001.
        ...(relative === undefined ? [] : [`${Number((relative * 100).toPrecision(15))} %`]),
      ]
      return `${path.length === 0 ? '' : `${path.join('.')} = `}${bounds.join(' or ')}`
    })
    .join(', ')
}
