import type { Json } from '../../../kernel/json/json.ts'
import type { TableTarget } from './detect-table.ts'
import { fitTabular, type FittedTabular, type NoFit, type TabularOptions } from './fit-tabular.ts'

/**
 * Fits a table with each of its targets and returns the model with the most right answers on held-back rows. Grades, counts and
 * other labels in an order are often right more often as rounded numbers, of which a later target must show over one
 * standard error of the right answers more: a smaller lead is most likely chance. Without a model it returns why the first has none.
 */
export function fitTable(
  rows: readonly { readonly input: Json; readonly output: Json }[],
  targets: readonly [TableTarget, ...TableTarget[]],
  options: Omit<TabularOptions, 'target'>,
): FittedTabular | NoFit {
  const [first, ...others] = targets
  return others.reduce<FittedTabular | NoFit>(
    (leader, target) => pickBetter(leader, fitTabular(rows, { ...options, target })),
    fitTabular(rows, { ...options, target: first }),
  )
}

function pickBetter(leader: FittedTabular | NoFit, other: FittedTabular | NoFit): FittedTabular | NoFit {
  if ('reason' in other) return leader
  if ('reason' in leader) return other
  const [right, rows] = [countRight(leader), leader.heldBack.length]
  const error = Math.sqrt((right * (rows - right)) / Math.max(1, rows))
  const steps = leader.steps + other.steps
  return countRight(other) > right + error ? { ...other, steps } : { ...leader, steps }
}

function countRight({ heldBack }: FittedTabular): number {
  return heldBack.filter(({ correct }) => correct).length
}
