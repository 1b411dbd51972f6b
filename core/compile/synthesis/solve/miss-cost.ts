import type { Json } from '../../../kernel/json/json.ts'

const MAX_LABEL_LENGTH = 24

/** Whether the targets are short words, numbers or truth values that do not stand in the inputs. */
export function hasLabels(inputs: readonly Json[], targets: readonly Json[]): boolean {
  if (new Set(targets).size >= targets.length && targets.length < 3) return false
  return targets.every((target, row) => {
    if (typeof target !== 'string') return typeof target === 'number' || typeof target === 'boolean'
    return target.length <= MAX_LABEL_LENGTH && !JSON.stringify(inputs[row]).includes(target)
  })
}

/**
 * What a row costs that the program gets wrong: the fewer rows there are, the more each of them says; and a label that
 * few rows have is more likely than a mistake.
 */
export function missCost(rows: number, areLabels: boolean): number {
  return (areLabels ? 4 : 0) + (rows <= 6 ? 11.5 : rows <= 12 ? 9 : 5)
}
