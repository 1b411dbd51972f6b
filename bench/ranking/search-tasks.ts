import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { rankingText, type RankingFile } from './ranking-file.ts'
import type { RankingTask } from './ranking-tasks.ts'
import type { SearchedTask, SearchThreadData } from './search-thread.ts'

/** Searches every task with the weights of a ranking, in order; `k` programs of each are kept. */
export async function searchTasks(
  tasks: readonly RankingTask[],
  ranking: RankingFile,
  k: number,
): Promise<ReadonlyMap<RankingTask, SearchedTask>> {
  const workerData: SearchThreadData = { ranking: rankingText(ranking), k }
  const thread = new Worker(new URL('./search-thread.ts', import.meta.url), { workerData })
  const found = new Map<RankingTask, SearchedTask>()
  try {
    for (const task of tasks) {
      thread.postMessage(task)
      const [searched]: SearchedTask[] = await once(thread, 'message')
      if (searched !== undefined) found.set(task, searched)
    }
  } finally {
    await thread.terminate()
  }
  return found
}
