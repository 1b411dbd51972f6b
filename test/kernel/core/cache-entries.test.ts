import { expect } from 'chai'
import { LRUCache } from 'lru-cache'
import { boundedBy } from '../../../core/kernel/storage/cache-entries.ts'

describe('bounds of a cache', () => {
  it('drops the entry that was used the longest ago when one more than the most is added', () => {
    const cache = new LRUCache<string, number>(boundedBy(3))
    for (const [index, name] of ['a', 'b', 'c'].entries()) cache.set(name, index)
    cache.get('a')
    cache.set('d', 3)
    expect([...cache.keys()].toSorted()).to.deep.equal(['a', 'c', 'd'])
  })

  it('keeps the most entries, and room for one more after a deletion', () => {
    const cache = new LRUCache<number, number>({ ...boundedBy(100), ttl: 60_000 })
    for (let index = 0; index < 1000; index++) cache.set(index, index)
    expect(cache.size).to.equal(100)
    cache.delete(999)
    cache.set(1000, 1000)
    expect(cache.size).to.equal(100)
    expect(cache.has(901)).to.equal(true)
  })
})
