import type { Json } from '../../../kernel/json/json.ts'
import { costOf, type Cost } from '../ranking/cost.ts'

const MAX_LABEL_LENGTH = 24
const FEW_ROWS = 6
const SOME_ROWS = 24

/** Returns true when the targets are short words, numbers or booleans that do not occur in the inputs. */
export function hasLabels(inputs: readonly Json[], targets: readonly Json[]): boolean {
  if (new Set(targets).size >= targets.length && targets.length < 3) return false
  return targets.every((target, row) => {
    if (typeof target !== 'string') return typeof target === 'number' || typeof target === 'boolean'
    return target.length <= MAX_LABEL_LENGTH && !JSON.stringify(inputs[row]).includes(target)
  })
}

/**
 * Returns the cost of wrong rows: higher with fewer rows, since each is then more informative, and higher for labels,
 * since a rare label is more likely than a mistake in the rows.
 */
export function missCost(rows: number, areLabels: boolean, missed: number): Cost {
  const size = rows <= FEW_ROWS ? 'row.missed.few' : rows <= SOME_ROWS ? 'row.missed.some' : 'row.missed.many'
  return costOf(size, missed).with('row.missed.label', areLabels ? missed : 0)
}
