import type { Json } from '../../../kernel/json/json.ts'

const MAX_LABEL_LENGTH = 24

/** Returns true when the targets are short words, numbers or booleans that do not occur in the inputs. */
export function hasLabels(inputs: readonly Json[], targets: readonly Json[]): boolean {
  if (new Set(targets).size >= targets.length && targets.length < 3) return false
  return targets.every((target, row) => {
    if (typeof target !== 'string') return typeof target === 'number' || typeof target === 'boolean'
    return target.length <= MAX_LABEL_LENGTH && !JSON.stringify(inputs[row]).includes(target)
  })
}

/**
 * Returns the cost of a wrong row: higher with fewer rows, since each is then more informative, and higher for labels,
 * since a rare label is more likely than a mistake in the rows.
 */
export function missCost(rows: number, areLabels: boolean): number {
  return (areLabels ? 4 : 0) + (rows <= 6 ? 11.5 : rows <= 12 ? 9 : 5)
}
