import { serveTasks } from '../../kernel/threads/serve-tasks.ts'
import { testSignificance } from '../gate/posted/significance.ts'
import { prepareCorpus } from '../holdout/prepare-corpus.ts'
import type { LearnTasks } from './learn-task.ts'

serveTasks<LearnTasks>({
  corpus: ({ json, ...corpus }) => {
    const rows: unknown = JSON.parse(Buffer.from(json).toString('utf8'))
    return prepareCorpus({ ...corpus, rows: Array.isArray(rows) ? rows : [] })
  },
  significance: testSignificance,
})
