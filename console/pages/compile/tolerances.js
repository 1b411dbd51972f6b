/** @typedef {import('../../../core/compile/rows/equality/tolerance.ts').Tolerance} Tolerance */

/**
 * Reads tolerances as a person writes them, separated by commas: `50`, `5 %`, `minutes = 10`, `items.*.price = 2 %`. Text that is none of these
 * is sent as it is, so that the service says what is wrong with it.
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
  const [, digits, percent] = /^\s*(\d+(?:\.\d+)?)\s*(%)?\s*$/.exec(text.slice(at + 1)) ?? []
  if (digits === undefined || path.includes('')) return undefined
  return percent === undefined ? { path, absolute: Number(digits) } : { path, relative: Number(digits) / 100 }
}

/**
 * Writes tolerances as `tolerancesIn` reads them.
 *
 * @param {readonly Tolerance[]} [tolerances]
 */
export function tolerancesText(tolerances = []) {
  const bounds = tolerances.flatMap(({ path, absolute, relative }) => {
    const name = path.length === 0 ? '' : `${path.join('.')} = `
    return [
      ...(absolute === undefined ? [] : [`${name}${absolute}`]),
      ...(relative === undefined ? [] : [`${name}${Number((relative * 100).toPrecision(6))} %`]),
    ]
  })
  return bounds.join(', ')
}
