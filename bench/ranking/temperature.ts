import type { Weights } from './ranking-file.ts'
import type { SearchedTask } from './search-thread.ts'

const LEAST = 0.05
const STEP = 1.05
const STEPS = 120
const NONE_STEP = 0.05

/** The costs of a task's candidates that get all shown rows right, and which of them are right on the others too. */
export interface CostedTask {
  readonly shown: number
  readonly costs: readonly number[]
  readonly areRight: readonly boolean[]
}

/** The candidates of a task by their costs under some weights. */
export function costed({ shown, candidates }: SearchedTask, weights: Weights): CostedTask {
  const fitting = candidates.filter(({ fits }) => fits)
  const costs = fitting.map(({ features }) =>
    Object.entries(features).reduce((sum, [name, count]) => sum + (weights[name] ?? 0) * count, 0),
  )
  return { shown, costs, areRight: fitting.map(({ isRight }) => isRight) }
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

/**
 * The share of tasks with candidates that are misjudged when none of them is held for right where the cheapest one costs
 * more than `none` for each shown row.
 */
export function misjudged(tasks: readonly CostedTask[], none: number): number {
  const judged = tasks.filter(({ costs }) => costs.length > 0)
  const wrong = judged.filter(
    ({ shown, costs, areRight }) => Math.min(...costs) > none * shown === areRight.includes(true),
  )
  return wrong.length / Math.max(1, judged.length)
}

function leastLoss(points: readonly number[], lossAt: (point: number) => number): number {
  let best = points[0] ?? LEAST
  let bestLoss = Infinity
  for (const point of points) {
    const loss = lossAt(point)
    if (loss < bestLoss) {
      best = point
      bestLoss = loss
    }
  }
  return best
}

/** The temperature of a fixed geometric grid with the least log loss, to three decimals. */
export function fitTemperature(tasks: readonly CostedTask[]): number {
  const points = Array.from({ length: STEPS }, (_, step) => Number((LEAST * STEP ** step).toFixed(3)))
  return leastLoss(points, (temperature) => logLoss(tasks, temperature))
}

/** The cost for each shown row, on a fixed grid, of "no candidate is right" by which the fewest tasks are misjudged. */
export function fitNone(tasks: readonly CostedTask[]): number {
  const points = Array.from({ length: STEPS }, (_, step) => Number(((step + 1) * NONE_STEP).toFixed(2)))
  return leastLoss(points, (none) => misjudged(tasks, none))
}
