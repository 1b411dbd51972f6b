import { fitWeights } from './fit-weights.ts'
import { rounded, type RankingFile } from './ranking-file.ts'
import type { RankingTask } from './ranking-tasks.ts'
import { searchTasks } from './search-tasks.ts'
import type { SearchedTask } from './search-thread.ts'

/** Settings of fitting the weights. */
export interface FitOptions {
  /** Fits; before each one but the first, the tasks are searched again. */
  readonly rounds: number
  /** Strength of the L2 term. */
  readonly lambda: number
  /** Difference of costs that counts as one in the loss. */
  readonly temperature: number
  /** Programs that are kept of each search. */
  readonly k: number
}

/**
 * Fits the weights of a ranking on tasks, given their candidates under its present weights. Searches and fits take
 * turns, so that the weights are fitted on the candidates that they bring up too.
 */
export async function fitRanking(
  tasks: readonly RankingTask[],
  present: RankingFile,
  before: ReadonlyMap<RankingTask, SearchedTask>,
  options: FitOptions,
): Promise<RankingFile> {
  const searched: SearchedTask[] = tasks.flatMap((task) => before.get(task) ?? [])
  let weights = rounded(fitWeights(present.weights, searched, options))
  for (let round = 1; round < options.rounds; round++) {
    const again = await searchTasks(tasks, { ...present, weights }, options.k)
    searched.push(...tasks.flatMap((task) => again.get(task) ?? []))
    weights = rounded(fitWeights(present.weights, searched, options))
  }
  const prior = Object.entries(present.weights).filter(([name, weight]) => weights[name] !== weight)
  return { ...present, prior: Object.fromEntries(prior), weights }
}
