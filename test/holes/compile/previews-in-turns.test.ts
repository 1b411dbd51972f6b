import { expect } from 'chai'
import { createPreviews } from '../../../api/compile/build/preview-seats.ts'
import { createComputePool, type ComputePool } from '../../../core/compile/stages/pool/pool.ts'
import { createCores } from '../../../core/kernel/threads/cores.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'

const ROWS = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Barbara Liskov'].map((input, i) => ({
  id: `row_${i}`,
  input,
  output: input.toUpperCase(),
}))
const INPUT = { task: 'Write it in capitals', rows: ROWS, floor: 0.5 }

describe('previews of one caller', () => {
  let pool: ComputePool
  before(async () => {
    pool = createComputePool({ threads: 2, memoryMb: 256, cores: createCores(2).short })
    // A thread that has to start first takes longer than a preview waits for its place.
    const run = async () => await createPreviews(pool, DEFAULT_LIMITS).run(INPUT, 'early', new AbortController().signal)
    await Promise.all([run(), run()])
  })
  after(async () => await pool.close())

  it('leave a place to others, and only one more may wait', async () => {
    const held = Promise.withResolvers<void>()
    const begun: string[] = []
    const holding: ComputePool = {
      ...pool,
      preview: async (input, call) => {
        begun.push(input.task)
        if (input.task === 'hold') await held.promise
        return await pool.preview(input, call)
      },
    }
    const previews = createPreviews(holding, DEFAULT_LIMITS)
    const open = new AbortController().signal
    const first = previews.run({ ...INPUT, task: 'hold' }, 'one', open)
    const second = previews.run({ ...INPUT, task: 'hold' }, 'one', open)
    const third = await previews.run({ ...INPUT, task: 'hold' }, 'one', open).catch((error: unknown) => error)
    expect(third).to.be.instanceOf(DomainError).with.property('code', 'busy')
    expect(await previews.run(INPUT, 'other', open)).to.have.property('accepted')
    expect(begun).to.deep.equal(['hold', INPUT.task])
    held.resolve()
    for (const each of [first, second]) expect(await each).to.have.property('accepted')
  })
})
