import { expect } from 'chai'
import { countThreads, createCores } from '../../../core/kernel/threads/cores.ts'
import { readTasks } from '../../../core/learn/evals/task/read-tasks.ts'
import { openScoringThreads, type ScoringThreads } from '../../../core/learn/evals/thread/scoring-threads.ts'

const SET = readTasks({
  task: 'task: t\ntest_split: test\noutput_type: generate_until\ndoc_to_text: q\ndoc_to_target: a\n',
})
const { signal } = new AbortController()

describe('threads of evaluations', () => {
  let threads: ScoringThreads
  before(() => {
    threads = openScoringThreads()
  })
  after(async () => await threads.close())

  /** Leases a thread, and inside that lease the next one. */
  async function lease(count: number): Promise<number> {
    if (count === 0) return 0
    return await threads.withScoring(SET, signal, async () => 1 + (await lease(count - 1)))
  }

  it('are there for each evaluation while others keep theirs', async () => {
    const more = countThreads(createCores(1)) + 1
    expect(await lease(more)).to.equal(more)
  })
})
