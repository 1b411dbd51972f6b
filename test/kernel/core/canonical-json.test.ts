import canonicalize from 'canonicalize'
import { expect } from 'chai'
import fc from 'fast-check'
import { canonicalJson, type Json } from '../../../core/kernel/json/json.ts'

/** The text that a serializer gives, or the message of its error. */
function outcome(serialize: () => string | undefined): string | undefined {
  try {
    return serialize()
  } catch (error) {
    return String(error)
  }
}

describe('the canonical form of JSON', () => {
  it('is that of RFC 8785 for any value, whatever the order of its members', () => {
    const value = fc.jsonValue({ stringUnit: 'binary' })
    fc.assert(
      fc.property(value, (drawn) => {
        const given: Json = JSON.parse(JSON.stringify(drawn))
        const text = outcome(() => canonicalize(given))
        expect(outcome(() => canonicalJson(given))).to.equal(text)
        if (text?.startsWith('{') || text?.startsWith('[')) expect(canonicalJson(JSON.parse(text))).to.equal(text)
      }),
      { numRuns: 2000 },
    )
  })

  it('orders members by UTF-16 code units, numbers as names too', () => {
    expect(canonicalJson({ a: 1, '9': 2, '10': 3 })).to.equal('{"10":3,"9":2,"a":1}')
    expect(canonicalJson({ '\u{10000}': 1, '\ue000': 2 })).to.equal('{"\u{10000}":1,"\ue000":2}')
    expect(canonicalJson({ '\ue000': 2, '\u{10000}': 1 })).to.equal('{"\u{10000}":1,"\ue000":2}')
    expect(canonicalJson([-0, 1e21, 0.1, { z: [{ b: 1, a: null }] }])).to.equal(
      '[0,1e+21,0.1,{"z":[{"a":null,"b":1}]}]',
    )
  })

  it('refuses lone surrogates and numbers without an end, at any depth', () => {
    const deep = (inner: string | number, levels: number): object =>
      levels === 0 ? [inner] : { a: deep(inner, levels - 1) }
    for (const levels of [0, 3, 300]) {
      expect(() => canonicalJson(JSON.parse(JSON.stringify(deep('\ud800', levels))))).to.throw('surrogate')
    }
    expect(() => canonicalJson({ a: [Number.NaN] })).to.throw('NaN')
    expect(() => canonicalJson({ '\udfff': 1 })).to.throw('surrogate')
    const nested = '['.repeat(5000) + ']'.repeat(5000)
    expect(canonicalJson(JSON.parse(nested))).to.equal(nested)
  })
})
