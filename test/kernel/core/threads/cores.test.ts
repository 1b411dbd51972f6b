import { expect } from 'chai'
import { createCores, evenShare, onCore, takeCore } from '../../../../core/kernel/threads/cores.ts'
import { openThreads } from '../../../../core/kernel/threads/threads.ts'
import type { GivenTasks } from './given-thread.ts'

const file = new URL('./given-thread.ts', import.meta.url)
const A_LONG_TURN = { shortTurnMs: 1e9, longTurnMs: 1e9 }

describe('the budget of cores', () => {
  it('is kept by two pools together', async () => {
    const cores = createCores(2, A_LONG_TURN)
    const pools = ['one', 'two'].map((name) => openThreads<GivenTasks>({ file, name, most: 2, cores: cores.short }))
    try {
      const running = new Int32Array(new SharedArrayBuffer(4))
      const work = Array.from({ length: 6 }, (_, i) =>
        pools.map(async (pool) => await pool.run('meet', { running, ms: 50 }, { share: evenShare(`caller ${i}`) })),
      ).flat()
      expect(Math.max(...(await Promise.all(work)))).to.equal(2)
      expect(cores.short.held).to.equal(0)
    } finally {
      await Promise.all(pools.map(async (pool) => await pool.close()))
    }
  })

  it('is given back when a task is aborted, and not before its thread is gone', async () => {
    const cores = createCores(1, A_LONG_TURN)
    const pool = openThreads<GivenTasks>({ file, name: 'given', most: 2, cores: cores.short })
    try {
      const abort = new AbortController()
      const spinning = pool
        .run('spin', null, { signal: abort.signal, onProgress: () => abort.abort(new Error('enough')) })
        .catch((error: unknown) => error)
      expect(await pool.run('count', 1)).to.equal(1)
      expect(await spinning).to.have.property('message', 'enough')
      expect(cores.short.held).to.equal(0)
    } finally {
      await pool.close()
    }
  })

  it('lets short work in while every place of long work is held', async () => {
    const cores = createCores(1, A_LONG_TURN)
    const fit = await takeCore(cores.long, evenShare('fitting'))
    expect(await onCore(cores.short, evenShare('asking'), undefined, async () => 'answered')).to.equal('answered')
    fit.release()
  })

  it('lets others in when work outlasts its turn', async () => {
    const cores = createCores(1, { shortTurnMs: 10 })
    const lasting = await takeCore(cores.short, evenShare('lasting'))
    expect(await onCore(cores.short, evenShare('asking'), undefined, async () => cores.short.held)).to.equal(2)
    lasting.release()
  })

  it('refuses a caller that has too many requests waiting', async () => {
    const cores = createCores(1, A_LONG_TURN)
    const held = await takeCore(cores.short, evenShare('one'))
    const waiting = Array.from(
      { length: 48 },
      async () => await onCore(cores.short, evenShare('one'), undefined, async () => 1),
    )
    const error = await onCore(cores.short, evenShare('one'), undefined, async () => 1).catch((cause: unknown) => cause)
    expect(error).to.have.property('code', 'busy')
    held.release()
    expect(await Promise.all(waiting)).to.have.lengthOf(48)
  })

  it('gives long work the cores of its threads, and leaves one', () => {
    expect(createCores(8, { longThreads: 2 }).long.most).to.equal(3)
    expect(createCores(2, { longThreads: 2 }).long.most).to.equal(1)
    expect(createCores(1).long.most).to.equal(1)
  })
})
