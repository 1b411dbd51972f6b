import { expect } from 'chai'
import fc from 'fast-check'
import { createRandom, restoreRandom, shuffle } from '../../../core/model/random.ts'

describe('random numbers', () => {
  it('follow xoshiro128**', () => {
    // From the definition: for the state (1, 2, 3, 4) the first result is rotl(2·5, 7)·9 = 11520.
    const random = restoreRandom([1, 2, 3, 4])
    expect([random.uint32(), random.uint32(), random.uint32()]).to.deep.equal([11520, 0, 5927040])
  })

  it('are the same for a seed and a stream, and others for another stream', () => {
    const numbers = (seed: number, stream: string) => {
      const random = createRandom(seed, stream)
      return Array.from({ length: 8 }, () => random.uint32())
    }
    expect(numbers(7, 'a')).to.deep.equal(numbers(7, 'a'))
    expect(numbers(7, 'a')).not.to.deep.equal(numbers(7, 'b'))
    expect(numbers(7, 'a')).not.to.deep.equal(numbers(8, 'a'))
  })

  it('go on from a state', () => {
    const random = createRandom(1, 'x')
    random.normal()
    const other = restoreRandom(random.state())
    expect(Array.from({ length: 5 }, () => other.float())).to.deep.equal(
      Array.from({ length: 5 }, () => random.float()),
    )
  })

  it('are spread as they should be', () => {
    const random = createRandom(3, 'moments')
    const normal = Array.from({ length: 20_000 }, () => random.normal())
    const mean = normal.reduce((sum, x) => sum + x, 0) / normal.length
    const variance = normal.reduce((sum, x) => sum + (x - mean) ** 2, 0) / normal.length
    expect(mean).to.be.closeTo(0, 0.03)
    expect(variance).to.be.closeTo(1, 0.05)
    const counts = [0, 0, 0]
    for (let i = 0; i < 9000; i++) {
      const value = random.below(3)
      counts[value] = (counts[value] ?? 0) + 1
    }
    for (const count of counts) expect(count).to.be.closeTo(3000, 250)
  })

  it('shuffle without losing anything', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.nat(), (items, seed) => {
        const shuffled = [...items]
        shuffle(shuffled, createRandom(seed, 'shuffle'))
        expect(shuffled.toSorted((a, b) => a - b)).to.deep.equal(items.toSorted((a, b) => a - b))
      }),
    )
  })
})
