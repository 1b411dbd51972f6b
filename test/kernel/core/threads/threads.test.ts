import { expect } from 'chai'
import { openThreads, type Threads } from '../../../../core/kernel/threads/threads.ts'

describe('threads', () => {
  let threads: Threads<number, number>
  before(() => {
    const file = new URL('./greedy-thread.ts', import.meta.url)
    threads = openThreads({ file, name: 'keep', most: 2, memoryMb: 32 })
  })
  after(async () => {
    await threads.close()
  })

  it('answer those who wait although every thread died of too little memory', async () => {
    const dying = [1e6, 1e6].map(async (count) => await threads.run(count).catch((error: unknown) => error))
    const waiting = [1, 2, 3].map(async (count) => await threads.run(count))
    for (const error of await Promise.all(dying)) expect(error).to.have.property('code', 'ERR_WORKER_OUT_OF_MEMORY')
    expect(await Promise.all(waiting)).to.deep.equal([1, 2, 3])
  })
})
