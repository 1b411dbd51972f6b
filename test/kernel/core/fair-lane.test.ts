import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import {
  createFairLane,
  LaneFull,
  type FairLane,
  type LaneOptions,
  type Slot,
} from '../../../core/kernel/threads/fair/fair-lane.ts'

/** A lane whose clock stands still until the test moves it; turns never end unless a test says so. */
function givenLane(options: Partial<LaneOptions> = {}) {
  let ms = 0
  const lane = createFairLane({
    places: 1,
    extraPlaces: 0,
    turnMs: 1e9,
    waitingPerFlow: 1000,
    now: () => ms,
    ...options,
  })
  return { lane, pass: (more: number) => (ms += more) }
}

const never = new AbortController().signal

/** Callers that note when they are served, under a name each. */
function callers(lane: FairLane) {
  const served: string[] = []
  const slots = new Map<string, Slot>()
  return {
    served,
    slots,
    call: async (name: string, flow: string, options: { weight?: number; member?: string } = {}): Promise<void> => {
      const slot = await lane.take(
        { flow, member: options.member ?? flow, weight: options.weight ?? 1 },
        { signal: never },
      )
      served.push(name)
      slots.set(name, slot)
    },
    end: async (name: string): Promise<void> => {
      slots.get(name)?.release()
      slots.delete(name)
      await sleep(0)
    },
  }
}

describe('fair lane', () => {
  it('serves another flow after at most one of a flow with ten in line', async () => {
    const { lane, pass } = givenLane()
    const { served, call, end } = callers(lane)
    for (let i = 0; i < 10; i++) void call(`a${i}`, 'a')
    await sleep(0)
    void call('b', 'b')
    await sleep(0)
    pass(60_000)
    await end('a0')
    expect(served).to.deep.equal(['a0', 'b'])
  })

  it('shares by weight: of 90 places a flow of weight 8 gets eight times those of weight 1', async () => {
    const { lane, pass } = givenLane()
    const { served, call, end } = callers(lane)
    for (let i = 0; i < 90; i++) {
      void call(`heavy ${i}`, 'heavy', { weight: 8 })
      void call(`light ${i}`, 'light', { weight: 1 })
    }
    for (let i = 0; i < 90; i++) {
      await sleep(0)
      pass(1000)
      await end(served.at(-1) ?? '')
    }
    const heavy = served.slice(0, 90).filter((name) => name.startsWith('heavy')).length
    expect(heavy).to.be.within(78, 82)
  })

  it('gives fifty members of one flow the share of one, in equal parts', async () => {
    const { lane, pass } = givenLane()
    const { served, call, end } = callers(lane)
    for (let i = 0; i < 50; i++) {
      void call(`anonymous ${i} first`, 'anonymous', { member: `${i}` })
      void call(`anonymous ${i} second`, 'anonymous', { member: `${i}` })
    }
    for (let i = 0; i < 50; i++) void call(`account ${i}`, 'account')
    for (let i = 0; i < 100; i++) {
      await sleep(0)
      pass(1000)
      await end(served.at(-1) ?? '')
    }
    const first = served.slice(0, 100)
    expect(first.filter((name) => name.startsWith('account')).length).to.equal(50)
    expect(first.filter((name) => name.endsWith('second'))).to.deep.equal([])
  })

  it('lets a flow that comes back save nothing up, and keeps what it owes', async () => {
    const { lane, pass } = givenLane()
    const { served, call, end } = callers(lane)
    void call('a0', 'a')
    await sleep(0)
    pass(100_000)
    void call('b0', 'b')
    void call('a1', 'a')
    await end('a0')
    pass(1000)
    void call('b1', 'b')
    await end('b0')
    // `b` has used 1 s since it came and `a` nothing: the 100 s before that count for neither.
    expect(served).to.deep.equal(['a0', 'b0', 'a1'])
  })

  it('lets one flow hold as many places as there are, and moves those beyond their turn aside for others', async () => {
    const { lane, pass } = givenLane({ places: 2, extraPlaces: 2, turnMs: 20 })
    const { served, call, end } = callers(lane)
    for (let i = 0; i < 3; i++) void call(`a${i}`, 'a')
    pass(1000)
    await sleep(10)
    expect(served, 'the third is beyond the places').to.deep.equal(['a0', 'a1'])
    void call('b', 'b')
    void call('c', 'c')
    await sleep(10)
    expect(served).to.deep.equal(['a0', 'a1', 'b', 'c'])
    void call('d', 'd')
    await sleep(10)
    expect(served, 'no extra place is left').to.deep.equal(['a0', 'a1', 'b', 'c'])
    pass(1000)
    await end('a1')
    expect([served.at(-1), lane.waiting, lane.held]).to.deep.equal(['d', 1, 4])
  })

  it('asks a caller whose turn is over to stop when a flow waits that is behind, and lets it come back first', async () => {
    const { lane, pass } = givenLane({ turnMs: 20 })
    const { served, slots, call, end } = callers(lane)
    void call('a0', 'a')
    await sleep(0)
    void call('a1', 'a')
    pass(1000)
    await sleep(30)
    const turn = slots.get('a0')
    expect(turn?.turnOver.aborted, 'no other flow waits').to.equal(false)
    void call('b', 'b')
    pass(1)
    await sleep(30)
    expect(turn?.turnOver.aborted).to.equal(true)
    const back = lane.take({ flow: 'a', member: 'a', weight: 1 }, { signal: never, ticket: turn?.ticket })
    await end('a0')
    expect(served).to.deep.equal(['a0', 'b'])
    pass(5000)
    await end('b')
    expect((await back).ticket).to.equal(turn?.ticket)
    expect(served).to.deep.equal(['a0', 'b'])
  })

  it('forgets a caller that leaves the line, frees a place once, and turns away more than may wait', async () => {
    const { lane } = givenLane({ waitingPerFlow: 1 })
    const { served, slots, call } = callers(lane)
    await call('a0', 'a')
    const leaving = new AbortController()
    const left = lane.take({ flow: 'a', member: 'a', weight: 1 }, { signal: leaving.signal })
    const refused = lane.take({ flow: 'a', member: 'a', weight: 1 }, { signal: never })
    expect(await refused.catch((error: unknown) => error)).to.be.instanceOf(LaneFull)
    leaving.abort(new Error('gone'))
    expect(await left.catch(String)).to.equal('Error: gone')
    void call('a1', 'a')
    void call('b', 'b')
    slots.get('a0')?.release()
    slots.get('a0')?.release()
    await sleep(0)
    expect([served.length, lane.held, lane.waiting]).to.deep.equal([2, 1, 1])
  })
})
