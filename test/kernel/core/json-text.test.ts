import { expect } from 'chai'
import fc from 'fast-check'
import { parseJsonText } from '../../../core/kernel/json/json-text.ts'
import { canonicalJson, hashJson } from '../../../core/kernel/json/json.ts'
import { fromOutline, outlineOf } from '../../../core/kernel/json/json-outline.ts'
import { canonicalHash, jsonPieces } from '../../../core/kernel/json/json-pieces.ts'
import { storableJson } from '../../../core/kernel/json/storable.ts'

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

  it('refuses what is small in bytes and large in memory', () => {
    expect(() => parseJsonText(`[${'{},'.repeat(1_000_000)}{}]`, 64)).to.throw('body: holds more than 1000000')
  })

  it('names the first fault with its place or its path, also below a root', () => {
    for (const [text, message] of [
      ['{"a":[1,{"b":2,"b":3}]}', 'line[7].a[1].b: is given twice in one object'],
      ['[[0],[1,-12345678901234567890]]', 'line[7][1][1]: is an integer that a double cannot hold; send it as a text'],
      ['{"a":1e400}', 'line[7].a: is a number too large for a double'],
      ['[1,\n 2 3]', 'line[7]: is not valid JSON at line 2, column 4'],
      ['{"a" 1}', 'line[7]: is not valid JSON at line 1, column 6'],
      ['["\\x"]', 'line[7]: is not valid JSON at line 1, column 2'],
      ['[1', 'line[7]: is not valid JSON at line 1, column 3'],
      ['[01]', 'line[7]: is not valid JSON at line 1, column 3'],
      ['nope', 'line[7]: is not valid JSON at line 1, column 1'],
    ] as const) {
      expect(() => parseJsonText(text, 64, 'line[7]'), text).to.throw(message)
    }
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

describe('the text of a large value, in pieces', () => {
  const value = {
    z: ['𝄞'.repeat(40_000), `a${'𝄞'.repeat(40_000)}`, '"\\\n'.repeat(20_000)],
    é: { b: [], a: {}, '10': null, '9': -0 },
    a: Array.from({ length: 5_000 }, (_, i) => ({ n: i / 7, t: i % 2 === 0 })),
  }

  it('is that of the whole value, plain and canonical', () => {
    const plain = [...jsonPieces(value, 'plain')]
    expect(plain.join('')).to.equal(JSON.stringify(value))
    expect(plain.length).to.be.greaterThan(4)
    expect([...jsonPieces(value, 'canonical')].join('')).to.equal(canonicalJson(value))
  })

  it('comes back from its outline, whatever it holds', async () => {
    expect(JSON.stringify(await fromOutline(outlineOf(value)))).to.equal(JSON.stringify(value))
    for (const small of [null, 'x', 0, [], {}, [[1], { a: 'b' }]])
      expect(await fromOutline(outlineOf(small))).to.deep.equal(small)
  })

  it('has the hash of the canonical form, which a lone surrogate does not have', async () => {
    expect(`sha256:${await canonicalHash(value)}`).to.equal(hashJson(value))
    const lone = { text: `${'x'.repeat(64 * 1024 - 1)}\ud834${'x'.repeat(10)}` }
    expect(() => [...jsonPieces(lone, 'canonical')]).to.throw(TypeError)
    expect([...jsonPieces(lone, 'plain')].join('')).to.equal(JSON.stringify(lone))
  })
})

describe('JSON for the database', () => {
  it('holds neither U+0000 nor halves of surrogate pairs, in texts and in names, and leaves the rest as it is', () => {
    const given = { 'a\0': ['\0', { b: '\ud834x' }, null, 1], c: '\\u0000 𝄞' }
    expect(JSON.parse(storableJson(given))).to.deep.equal({
      'a\u{FFFD}': ['\u{FFFD}', { b: '\u{FFFD}x' }, null, 1],
      c: '\\u0000 𝄞',
    })
  })
})
