import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { DomainError } from '../../../../core/kernel/errors.ts'
import { createCores, evenShare, takeCore } from '../../../../core/kernel/threads/cores.ts'
import { runInThread } from '../../../../core/kernel/threads/task-thread.ts'
import { ThreadFailure } from '../../../../core/kernel/threads/thread-failure.ts'
import { openThreads, type PoolOptions, type Threads } from '../../../../core/kernel/threads/threads.ts'
import type { GivenTasks } from './given-thread.ts'

const file = new URL('./given-thread.ts', import.meta.url)

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => error,
  )
}

/** The thread that is started for a piece of work, once the work is done. */
async function workerOf(work: () => Promise<unknown>): Promise<Worker> {
  const started: Worker[] = []
  const note = (message: unknown): void => {
    if (typeof message !== 'object' || message === null || !('worker' in message)) return
    if (message.worker instanceof Worker) started.push(message.worker)
  }
  subscribe('worker_threads', note)
  await work().finally(() => unsubscribe('worker_threads', note))
  const [worker] = started
  if (worker === undefined) throw new Error('the work started no thread')
  return worker
}

describe('threads', () => {
  const opened: Threads<GivenTasks>[] = []
  const open = (options: Partial<PoolOptions> = {}): Threads<GivenTasks> => {
    const threads = openThreads<GivenTasks>({ file, name: 'given', most: 2, cores: createCores(2).short, ...options })
    opened.push(threads)
    return threads
  }
  after(async () => {
    await Promise.all(opened.map(async (threads) => await threads.close()))
  })

  it('report progress in order and before the answer', async () => {
    const seen: number[] = []
    const output = await open().run('count', 1000, { onProgress: (value) => seen.push(value) })
    expect(output).to.equal(1000)
    expect(seen).to.deep.equal(Array.from({ length: 1000 }, (_, i) => i + 1))
  })

  it('take what their caller feeds them', async () => {
    const numbers = [3, 4, 5, 0]
    const sum = await open().run('add', null, { onProgress: (_, feed) => feed(numbers.shift() ?? 0) })
    expect(sum).to.equal(12)
  })

  it('let no task wait for the feed of one that is over', async () => {
    const threads = open({ most: 1 })
    await threads.run('lend', null)
    expect(await threads.run('borrow', null)).to.equal('Error: the task is over')
  })

  it('throw the errors of their tasks with code, details and message', async () => {
    const threads = open()
    const error = await errorOf(threads.run('fail', 'busy'))
    expect(error).to.be.instanceOf(DomainError)
    expect(error).to.deep.include({ code: 'busy', message: 'not now', retryAfterS: 3, details: { why: 'test' } })
    expect(await errorOf(threads.run('fail', 'bug'))).to.have.property('message', 'a bug')
    expect(await threads.run('count', 1)).to.equal(1)
  })

  it('end a task whose signal is aborted, whatever it does, and do the next one', async () => {
    const threads = open({ most: 1 })
    const abort = new AbortController()
    const reason = new Error('enough')
    const spinning = threads.run('spin', null, { signal: abort.signal, onProgress: () => abort.abort(reason) })
    const waiting = threads.run('count', 2)
    expect(await errorOf(spinning)).to.equal(reason)
    expect(await waiting).to.equal(2)
    expect(await errorOf(threads.run('count', 1, { signal: abort.signal }))).to.equal(reason)
  })

  it('drop a task that is aborted before its turn', async () => {
    const threads = open({ most: 1 })
    const [first, second] = [new AbortController(), new AbortController()]
    const begun = Promise.withResolvers<void>()
    const spinning = threads.run('spin', null, { signal: first.signal, onProgress: () => begun.resolve() })
    await begun.promise
    const waiting = threads.run('count', 1, { signal: second.signal })
    second.abort(new Error('not any more'))
    expect(await errorOf(waiting)).to.have.property('message', 'not any more')
    first.abort(new Error('enough'))
    expect(await errorOf(spinning)).to.have.property('message', 'enough')
  })

  it('wait for the end of a task that must not be cut off', async () => {
    const abort = new AbortController()
    const work = runInThread<GivenTasks, 'spinPolitely'>(
      { file, name: 'given', onAbort: 'wait' },
      'spinPolitely',
      null,
      { signal: abort.signal, onProgress: () => abort.abort() },
    )
    expect(await work).to.equal('ended')
  })

  it('end a task whose callback throws, with that error', async () => {
    const fault = new Error('the disk is full')
    const onProgress = (): never => {
      throw fault
    }
    expect(await errorOf(open().run('spin', null, { onProgress }))).to.equal(fault)
    const polite = runInThread<GivenTasks, 'spinPolitely'>(
      { file, name: 'given', onAbort: 'wait' },
      'spinPolitely',
      null,
      { onProgress },
    )
    expect(await errorOf(polite)).to.equal(fault)
  })

  it('fail the task of a thread that dies, and do the next one', async () => {
    const threads = open({ most: 1 })
    const error = await errorOf(threads.run('exit', null))
    expect(error).to.be.instanceOf(ThreadFailure).with.property('code', 'thread_ended')
    expect(await threads.run('count', 3)).to.equal(3)
  })

  it('do a task whose thread dies while it waits for a core', async () => {
    const { short: cores } = createCores(1)
    const threads = open({ most: 1, cores })
    const told = new Int32Array(new SharedArrayBuffer(4))
    const worker = await workerOf(async () => await threads.run('exitWhenTold', told))
    const core = await takeCore(cores, evenShare('another'))
    const waiting = threads.run('count', 3)
    const exit = once(worker, 'exit')
    Atomics.store(told, 0, 1)
    await exit
    core.release()
    expect(await waiting).to.equal(3)
  })

  it('reject a task that waits for a core when they are closed', async () => {
    const { short: cores } = createCores(1)
    const threads = open({ most: 1, cores })
    const core = await takeCore(cores, evenShare('another'))
    const waiting = errorOf(threads.run('count', 3))
    await threads.close()
    expect(await waiting).to.have.property('code', 'thread_closed')
    core.release()
    expect([cores.waiting, cores.held]).to.deep.equal([0, 0])
  })

  it('fail every task of a thread that serves several at once when it dies', async () => {
    const threads = open({ most: 1, tasksPerThread: 10 })
    const begun = Promise.withResolvers<void>()
    const adding = threads.run('add', null, { onProgress: () => begun.resolve() })
    await begun.promise
    const [first, second] = await Promise.all([errorOf(adding), errorOf(threads.run('exit', null))])
    for (const error of [first, second]) expect(error).to.have.property('code', 'thread_ended')
    expect(await threads.run('count', 3)).to.equal(3)
  })

  it('answer those who wait although every thread died of too little memory', async () => {
    const threads = open({ memoryMb: 32, youngMb: 12 })
    const dying = [1e6, 1e6].map(async (count) => await errorOf(threads.run('keep', count)))
    const waiting = [1, 2, 3].map(async (count) => await threads.run('keep', count))
    for (const error of await Promise.all(dying)) expect(error).to.have.property('code', 'thread_out_of_memory')
    expect(await Promise.all(waiting)).to.deep.equal([1, 2, 3])
  })

  it('end a task that stands still, and do the next one', async () => {
    const threads = open({ most: 1 })
    // The bound is the one task's own: on a busy machine the thread of the next one takes as long to start.
    const spinning = threads.run('spin', null, { stillMs: 300 })
    expect(await errorOf(spinning)).to.have.property('code', 'thread_still')
    expect(await threads.run('count', 3)).to.equal(3)
    const polite = runInThread<GivenTasks, 'spinPolitely'>(
      { file, name: 'given', onAbort: 'wait', stillMs: 300 },
      'spinPolitely',
      null,
      {},
    )
    expect(await errorOf(polite)).to.have.property('code', 'thread_still')
  })

  it('are lent for several tasks, and kept for the next borrower', async () => {
    const threads = open()
    await threads.use({}, async (thread) => {
      await thread.run('lend', null)
      // Another one gets another thread meanwhile.
      expect(await threads.run('borrow', null)).to.equal('undefined')
      expect(await thread.run('borrow', null)).to.equal('Error: the task is over')
    })
    const both = await Promise.all(
      [1, 2].map(async () => await threads.use({}, (thread) => thread.run('borrow', null))),
    )
    expect(both).to.have.members(['undefined', 'Error: the task is over'])
  })

  it('end with a task that their borrower leaves under way', async () => {
    const threads = open({ most: 1 })
    const left = Promise.withResolvers<unknown>()
    const used = threads.use({}, async (thread) => {
      const begun = Promise.withResolvers<void>()
      left.resolve(errorOf(thread.run('spin', null, { onProgress: () => begun.resolve() })))
      await begun.promise
      throw new Error('the store is gone')
    })
    expect(await errorOf(used)).to.have.property('message', 'the store is gone')
    expect(await left.promise).to.have.property('code', 'thread_closed')
    expect(await threads.run('count', 3)).to.equal(3)
  })

  it('ends the last thread after `lastIdleMs`', async () => {
    const [ended, kept] = [open({ most: 1, lastIdleMs: 100 }), open({ most: 1 })]
    for (const threads of [ended, kept]) await threads.run('lend', null)
    // Timers of one process fire in their order, however late.
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(await ended.run('borrow', null)).to.equal('undefined')
    expect(await kept.run('borrow', null)).to.equal('Error: the task is over')
  })

  it('reject what waits and runs when they are closed', async () => {
    const threads = open({ most: 1 })
    const begun = Promise.withResolvers<void>()
    const work = [threads.run('spin', null, { onProgress: () => begun.resolve() }), threads.run('count', 1)]
    const errors = work.map(async (each) => await errorOf(each))
    await begun.promise
    await threads.close()
    for (const error of await Promise.all(errors)) expect(error).to.have.property('code', 'thread_closed')
    expect(await errorOf(threads.run('count', 1))).to.have.property('code', 'thread_closed')
  })
})
