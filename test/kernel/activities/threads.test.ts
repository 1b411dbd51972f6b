import { asyncLocalStorage, type Context } from '@temporalio/activity'
import { expect } from 'chai'
import { runActivity, type RunningActivity } from '../../../activities/kernel/run-activity.ts'
import { createCores } from '../../../core/kernel/threads/cores.ts'
import { openThreads, type Threads } from '../../../core/kernel/threads/threads.ts'
import type { GivenTasks } from '../core/threads/given-thread.ts'

/** Far longer than a busy machine keeps a thread from its processor. */
const STILL_MS = 4000
/** The thread reports progress that often, and in all for longer than `STILL_MS`. */
const PACE = { to: 20, ms: 250 }
const cores = createCores(1, { shortTurnMs: 1e9 })
const log = { info() {}, warn() {}, error() {} }

describe('an activity that computes in a thread', () => {
  let threads: Threads<GivenTasks>
  before(() => {
    const file = new URL('../core/threads/given-thread.ts', import.meta.url)
    threads = openThreads<GivenTasks>({ file, name: 'given', most: 2, cores: cores.short })
  })
  after(async () => await threads.close())

  /** Runs a body as an activity with a short still time; answers its outcome and its heartbeats. */
  async function asActivity(body: (activity: RunningActivity) => Promise<unknown>) {
    const beats: unknown[] = []
    // What `runActivity` uses of a context, which only a worker makes.
    const context: Pick<Context, 'cancellationSignal' | 'heartbeat'> & { readonly info: object } = {
      info: { attempt: 1, activityType: 'given' },
      cancellationSignal: new AbortController().signal,
      heartbeat: (details) => void beats.push(details),
    }
    const outcome: unknown = await asyncLocalStorage
      .run(context as Context, async () => await runActivity(log, body, { stillMs: STILL_MS }))
      .catch((error: unknown) => error)
    return { outcome, beats }
  }

  it('lives for as long as the thread reports progress, which is in its heartbeats', async () => {
    const { outcome, beats } = await asActivity(
      async (activity) =>
        await threads.run('pace', PACE, { signal: activity.signal, onProgress: (done) => activity.note({ done }) }),
    )
    expect(outcome).to.equal(PACE.to)
    expect(beats).to.have.length.greaterThan(1)
    expect(beats.at(-1)).to.have.property('done').that.is.greaterThan(1)
  })

  it('fails when the thread stands still, which is ended and gives its core back', async () => {
    const { outcome } = await asActivity(async ({ signal }) => await threads.run('spin', null, { signal }))
    expect(outcome).to.have.property('message').that.includes('no progress')
    expect(await threads.run('count', 2)).to.equal(2)
    expect(cores.short.held).to.equal(0)
  })
})
