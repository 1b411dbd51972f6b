import type { Weights } from './ranking-file.ts'
import type { SearchedTask } from './search-thread.ts'

const LEAST = 0.05
const STEP = 1.05
const STEPS = 120

/** The costs of a task's candidates, and which of them are right. */
export interface CostedTask {
  readonly costs: readonly number[]
  readonly areRight: readonly boolean[]
}

/** The candidates of a task by their costs under some weights. */
export function costed({ candidates }: SearchedTask, weights: Weights): CostedTask {
  const costs = candidates.map(({ features }) =>
    Object.entries(features).reduce((sum, [name, count]) => sum + (weights[name] ?? 0) * count, 0),
  )
  return { costs, areRight: candidates.map(({ isRight }) => isRight) }
}

/** The mean log loss of the softmax of cost over temperature, over the tasks that have a right candidate. */
export function logLoss(tasks: readonly CostedTask[], temperature: number): number {
  let loss = 0
  let count = 0
  for (const { costs, areRight } of tasks) {
    if (!areRight.includes(true)) continue
    const least = Math.min(...costs)
    let all = 0
    let right = 0
    for (const [at, cost] of costs.entries()) {
      const share = Math.exp((least - cost) / temperature)
      all += share
      if (areRight[at] === true) right += share
    }
    loss -= Math.log(Math.max(right / all, Number.MIN_VALUE))
    count++
  }
  return loss / Math.max(1, count)
}

/** The temperature of a fixed geometric grid with the least log loss, to three decimals. */
export function fitTemperature(tasks: readonly CostedTask[]): number {
  let best = LEAST
  let bestLoss = Infinity
  for (let step = 0; step < STEPS; step++) {
    const temperature = Number((LEAST * STEP ** step).toFixed(3))
    const loss = logLoss(tasks, temperature)
    if (loss < bestLoss) {
      best = temperature
      bestLoss = loss
    }
  }
  return best
}
