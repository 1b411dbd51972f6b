import { expect } from 'chai'
import fc from 'fast-check'
import { parseJsonText } from '../../core/json-text.ts'

describe('strict JSON', () => {
  it('reads what JSON.parse reads, unless it refuses it for a reason', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const value: unknown = JSON.parse(text)
        const isDoubtful = JSON.stringify(value) !== JSON.stringify(JSON.parse(JSON.stringify(value)))
        if (isDoubtful || text.includes('__proto__') || !text.isWellFormed() || /\\ud[89a-f]/i.test(text)) return
        expect(parseJsonText(text, 64)).to.deep.equal(value)
      }),
    )
  })

  it('never lets a repeated name pass, wherever it stands', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 3 }), fc.nat(3), (name, value, depth) => {
        if (name === '__proto__') return
        const [member, other] = [JSON.stringify(name), JSON.stringify(value)]
        const twice = `{${member}:${other},"x-other":[{}],${member}:1}`
        expect(() => parseJsonText('['.repeat(depth) + twice + ']'.repeat(depth), 64)).to.throw()
      }),
    )
  })
})
