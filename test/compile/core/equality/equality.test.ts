import { expect } from 'chai'
import { taskEquality } from '../../../../core/compile/rows/equality/task-equality.ts'
import { rowsOf } from '../rows/given-rows.ts'
import { EXACT, Equality, MAX_RULES } from '../../../../core/compile/rows/equality/equality.ts'
import { inferEquality } from '../../../../core/compile/rows/equality/infer-equality.ts'
import { isSameNumber, isSameOutput } from '../../../../core/compile/rows/equality/same-output.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'

const COMPOSED = 'caf\u00e9'
const DECOMPOSED = 'cafe\u0301'

function isSame(outputs: readonly Json[], left: Json, right: Json): boolean {
  const equality = inferEquality(outputs)
  const answer = isSameOutput(equality, left, right)
  expect(isSameOutput(equality, right, left), 'symmetric').to.equal(answer)
  return answer
}

function toleranceOf(...numbers: number[]): Json {
  const [rule] = inferEquality(numbers).rules
  return rule?.kind === 'number' ? [rule.relative, rule.absolute] : null
}

describe('the equality of outputs', () => {
  it('compares numbers up to the rounding of doubles, at any depth', () => {
    expect(isSame([98.6, 37], 98.60000000000001, 98.6)).to.equal(true)
    expect(isSame([98.6, 37], 98.61, 98.6)).to.equal(false)
    expect(isSame([{ total: { net: 1.5 } }], { total: { net: 0.1 + 0.2 } }, { total: { net: 0.3 } })).to.equal(true)
    expect(isSame([{ prices: [1.5] }], { prices: [0.1 + 0.2, 2] }, { prices: [0.3, 2] })).to.equal(true)
    expect(isSame([[[1.5]]], [[0.1 + 0.2]], [[0.3]])).to.equal(true)
    expect(isSame([{ total: 1.5 }], { total: 0.31 }, { total: 0.3 })).to.equal(false)
  })

  it('compares numbers exactly at a path where the rows have none', () => {
    expect(isSame([{ a: 1.5, b: 'x' }], { a: 1.5, b: 0.1 + 0.2 }, { a: 1.5, b: 0.3 })).to.equal(false)
    expect(isSameOutput(EXACT, 0.1 + 0.2, 0.3)).to.equal(false)
  })

  it('takes what is left of a subtraction for 0, in proportion to the decimals of the rows', () => {
    expect(isSame([0, 0.5], 0.3 - 0.1 - 0.2, 0)).to.equal(true)
    expect(isSame([0, 0.01], 1_000_000.01 - 1_000_000 - 0.01, 0)).to.equal(true)
    expect(isSame([1.6e-19, 3.2e-19], 3.2e-19, 1.6e-19)).to.equal(false)
    expect(isSame([0, 1.6e-19], 1.6e-19, 0)).to.equal(false)
  })

  it('never takes one whole number for another, however large', () => {
    expect(isSame([1_000_000_007], 9_876_543_210, 9_876_543_211)).to.equal(false)
    expect(isSame([1_700_000_000_000], 1_700_000_000_000, 1_700_000_000_001)).to.equal(false)
    expect(isSame([4_111_111_111_111_111], 4_111_111_111_111_111, 4_111_111_111_111_112)).to.equal(false)
    expect(isSame([3, 4], 0.1 * 30, 3)).to.equal(true)
  })

  it('keeps the decimals that rows show beside a large whole part', () => {
    expect(isSame([1_700_000_000.123], 1_700_000_000.124, 1_700_000_000.123)).to.equal(false)
    expect(isSame([1_700_000_000.123], 1_700_000_000.1230001, 1_700_000_000.123)).to.equal(true)
  })

  it('infers tolerances as powers of ten from the finest decimals and the largest magnitude', () => {
    expect(toleranceOf(98.6, 37)).to.deep.equal([1e-9, 1e-9])
    expect(toleranceOf(0.123456)).to.deep.equal([1e-9, 1e-12])
    expect(toleranceOf(1 / 3)).to.deep.equal([1e-9, 1e-13])
    expect(toleranceOf(0)).to.deep.equal([1e-9, 1e-9])
    expect(toleranceOf(12_345_678.9)).to.deep.equal([1e-12, 1e-9])
    expect(toleranceOf(1e300)).to.deep.equal([1e-14, 1e-9])
    expect(toleranceOf(5e-324)).to.deep.equal([1e-9, 1e-300])
  })

  it('does not depend on the order of rows and members', () => {
    const outputs: Json[] = [{ b: 1.25, a: [1, 'x'] }, { a: [0.5], b: 3 }, null]
    const turned: Json[] = [null, { b: 3, a: [0.5] }, { a: ['x', 1], b: 1.25 }]
    expect(inferEquality(turned)).to.deep.equal(inferEquality(outputs))
    expect(isSame(outputs, { a: [1], b: 2 }, { b: 2, a: [1] })).to.equal(true)
  })

  it('distinguishes null, a missing member, a text and a number', () => {
    expect(isSame([{ a: 1 }], { a: null }, {})).to.equal(false)
    expect(isSame([{ a: 1 }], { a: '1' }, { a: 1 })).to.equal(false)
    expect(isSame([1], [1], { 0: 1 })).to.equal(false)
    expect(isSame([[1]], [1, 2], [1])).to.equal(false)
    expect(isSame([1], 0, -0)).to.equal(true)
    expect(isSame([{ a: 1 }], { a: 1, b: 2 }, { a: 1, c: 2 })).to.equal(false)
  })

  it('does not take member names of the prototype for members', () => {
    expect(isSame([{ a: 1 }], { toString: 1 }, { a: 1 })).to.equal(false)
    const hostile: Json = JSON.parse('{"__proto__": 1.5, "constructor": 2}')
    expect(isSame([hostile], hostile, JSON.parse('{"constructor": 2, "__proto__": 1.5000000000000002}'))).to.equal(true)
  })

  it('compares texts exactly: case, spaces and, unless the rows mix them, composed characters', () => {
    expect(isSame(['a'], 'A', 'a')).to.equal(false)
    expect(isSame(['a'], 'a ', 'a')).to.equal(false)
    expect(isSame([COMPOSED], DECOMPOSED, COMPOSED)).to.equal(false)
    expect(isSame([DECOMPOSED], DECOMPOSED, COMPOSED)).to.equal(false)
  })

  it('compares texts in NFC where the outputs at a path hold composed and decomposed characters', () => {
    expect(isSame([COMPOSED, DECOMPOSED], DECOMPOSED, COMPOSED)).to.equal(true)
    expect(isSame([COMPOSED, DECOMPOSED], 'cafe', COMPOSED)).to.equal(false)
    expect(isSame([{ a: COMPOSED, b: DECOMPOSED }], { a: DECOMPOSED, b: 'x' }, { a: COMPOSED, b: 'x' })).to.equal(false)
    expect(inferEquality([COMPOSED, DECOMPOSED], [COMPOSED]).rules).to.deep.equal([])
  })

  it('finds no number equal to NaN or an infinity', () => {
    for (const odd of [NaN, Infinity, -Infinity]) {
      expect(isSameNumber(odd, odd)).to.equal(false)
      expect(isSameNumber(odd, 1)).to.equal(false)
    }
  })

  it('lists at most 1,024 rules and compares the other paths exactly', () => {
    const wide = Object.fromEntries(Array.from({ length: MAX_RULES + 100 }, (_, i) => [`m${i}`, i + 0.5]))
    const equality = inferEquality([wide])
    expect(equality.rules).to.have.length(MAX_RULES)
    expect(Equality.safeParse(equality).success).to.equal(true)
  })
})

describe('an equality document', () => {
  const rule = { path: ['a'], kind: 'number', relative: 1e-9, absolute: 1e-9 }
  const parses = (...rules: unknown[]) => Equality.safeParse({ spec: 'svc-equality-1', rules }).success

  it('is refused when a tolerance is none', () => {
    expect(parses(rule)).to.equal(true)
    for (const odd of [NaN, Infinity, -1e-9, 0, 1e-8, 1, '1e-9', null, undefined]) {
      expect(parses({ ...rule, relative: odd }), `relative ${String(odd)}`).to.equal(false)
      expect(parses({ ...rule, absolute: odd }), `absolute ${String(odd)}`).to.equal(false)
    }
  })

  it('is refused when a path, a kind or a form is none', () => {
    for (const path of ['a', [1], [null], null, Array.from({ length: 65 }, () => '*')]) {
      expect(parses({ ...rule, path }), JSON.stringify(path)).to.equal(false)
    }
    expect(parses({ path: [], kind: 'fuzzy' })).to.equal(false)
    expect(parses({ path: [], kind: 'text', form: 'nfkc' })).to.equal(false)
    expect(parses({ path: [], kind: 'text', form: 'nfc' })).to.equal(true)
    expect(parses({ ...rule, note: 'loose' })).to.equal(false)
  })

  it('has tolerances under the second version alone', () => {
    const stated = { path: [], kind: 'tolerance', relative: 0, absolute: 5 }
    const parsesAs = (spec: string, rules: unknown[]) => Equality.safeParse({ spec, rules }).success
    expect(parsesAs('svc-equality-2', [stated])).to.equal(true)
    expect(parsesAs('svc-equality-1', [stated])).to.equal(false)
    expect(parsesAs('svc-equality-2', [rule])).to.equal(false)
    for (const odd of [NaN, Infinity, -1, '5', null]) {
      expect(parsesAs('svc-equality-2', [{ ...stated, absolute: odd }]), String(odd)).to.equal(false)
    }
    expect(parsesAs('svc-equality-2', [{ ...stated, relative: 1 }])).to.equal(false)
  })

  it('is refused when rules are out of order or double', () => {
    const other = { ...rule, path: ['b'] }
    expect(parses(rule, other)).to.equal(true)
    expect(parses(other, rule)).to.equal(false)
    expect(parses(rule, rule)).to.equal(false)
    expect(
      parses(...Array.from({ length: MAX_RULES + 1 }, (_, i) => ({ ...rule, path: [`${i}`.padStart(5, '0')] }))),
    ).to.equal(false)
  })

  it('of a task has the text rule at the items of outputs that are lists', () => {
    const rows = rowsOf([
      ['a', ['caf\u00e9', 'tea']],
      ['b', ['cafe\u0301', null]],
      ['c', null],
    ])
    const { rules } = taskEquality(rows, { holdout: [0, 1, 2] })
    expect(rules).to.deep.equal([{ path: ['*'], kind: 'text', form: 'nfc' }])
  })
})
