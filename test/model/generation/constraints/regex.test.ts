import { expect } from 'chai'
import fc from 'fast-check'
import { DomainError } from '../../../../core/kernel/errors.ts'
import { Dfa } from '../../../../core/model/generation/constraints/dfa.ts'
import { readRegex } from '../../../../core/model/generation/constraints/regex.ts'
import { createRandom } from '../../../../core/model/random.ts'
import { accepts, randomText } from './automaton.ts'

const atom = fc.constantFrom('a', 'b', 'é', '日', '[ab]', '[^a]', '.', '\\d', '\\w', '\\.', '[a-c_\\d]', '[^\\x{e9}b]')
const { pattern } = fc.letrec<{ pattern: string; term: string }>((tie) => ({
  term: fc.oneof(
    {
      weight: 5,
      arbitrary: fc
        .tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?'))
        .map(([a, q]) => a + q),
    },
    { weight: 1, arbitrary: tie('pattern').map((inner) => `(?:${inner})?`) },
  ),
  pattern: fc.oneof(
    { weight: 3, arbitrary: fc.array(tie('term'), { minLength: 1, maxLength: 4 }).map((terms) => terms.join('')) },
    { weight: 1, arbitrary: fc.tuple(tie('term'), tie('term')).map(([a, b]) => `(${a}|${b})`) },
  ),
}))
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '日', '1', '.', '_', '😀', '\n'), maxLength: 6 })

describe('readRegex', () => {
  it('accepts what the regular expressions of the language accept', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { maxLength: 8 }), (source, texts) => {
        const dfa = new Dfa(readRegex(source))
        // JavaScript writes code points as \u{…}, and its dot leaves out more line ends than RE2's.
        const reference = new RegExp(`^(?:${source.replaceAll('\\x{', '\\u{').replaceAll('.', '.')})$`, 'u')
        for (const each of texts)
          expect(accepts(dfa, each), `${source} on ${JSON.stringify(each)}`).to.equal(reference.test(each))
      }),
      { numRuns: 200 },
    )
  })

  it('leads to a text that matches from wherever a random walk has come', () => {
    fc.assert(
      fc.property(pattern, fc.nat(), fc.nat({ max: 12 }), (source, seed, steps) => {
        const dfa = new Dfa(readRegex(source))
        const written = randomText(dfa, createRandom(seed, 'walk'), steps)
        expect(accepts(dfa, written), `${source} gave ${JSON.stringify(written)}`).to.equal(true)
      }),
      { numRuns: 100 },
    )
  })

  it('takes anchors at the ends, lazy quantifiers and named groups for what they mean to a whole match', () => {
    const dfa = new Dfa(readRegex('^(?P<year>\\d{4})-(?:0?[1-9]|1[0-2])$'))
    expect(accepts(dfa, '2024-12')).to.equal(true)
    expect(accepts(dfa, '2024-13')).to.equal(false)
  })

  it('matches a part of the text where that is asked for', () => {
    const dfa = new Dfa(readRegex('^ab|c$', 'search'))
    expect(['abx', 'xc', 'c'].map((each) => accepts(dfa, each))).to.deep.equal([true, true, true])
    expect(['xab', 'cx'].map((each) => accepts(dfa, each))).to.deep.equal([false, false])
  })

  it('repeats what may be empty without end, in no time', () => {
    const dfa = new Dfa(readRegex('((((((){1000}){1000}){1000}){1000}){1000}a){2}'))
    expect(['', 'a', 'aa', 'aaa'].map((each) => accepts(dfa, each))).to.deep.equal([false, false, true, false])
  })

  it('refuses an automaton that would take too much memory, as soon as it does', () => {
    const dfa = new Dfa(readRegex('.*a.{900}'))
    const random = createRandom(1, 'bytes')
    expect(() => {
      let state = dfa.start
      for (;;) state = dfa.step(state, 97 + random.below(2))
    }).to.throw(DomainError, 'members of states')
  })

  for (const [source, problem] of [
    ['(a', 'missing )'],
    ['a)', 'unbalanced )'],
    ['[a', 'missing ]'],
    ['a**', 'a quantifier after a quantifier'],
    ['*a', 'nothing before it'],
    ['a{3,1}', 'the wrong way round'],
    ['a{1001}', 'above 1000'],
    ['[b-a]', 'the wrong way round'],
    ['(?=a)', 'not supported'],
    ['(?i)a', 'not supported'],
    ['\\bword', 'not supported'],
    ['\\1', 'not supported'],
    ['\\p{L}', 'not supported'],
    ['[[:alpha:]]', 'not supported'],
    ['a^b', 'an anchor inside'],
    ['(a$)', 'an anchor inside'],
    ['a\\', 'a backslash at the end'],
    ['\\x{110000}', 'names no character'],
    ['(?:a{1000}){1000}', 'states'],
    ['[^\\x{0}-\\x{10ffff}]', 'no text satisfies'],
  ] as const) {
    it(`refuses ${source}: ${problem}`, () => {
      expect(() => new Dfa(readRegex(source)))
        .to.throw(DomainError, problem)
        .with.property('code', 'invalid_constraint')
    })
  }
})
