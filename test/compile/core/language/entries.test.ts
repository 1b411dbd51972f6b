import { expect } from 'chai'
import { LANGUAGE_2 } from '../../../../core/compile/language/ast.ts'
import { evaluatorOf } from '../../../../core/compile/language/evaluate/columns.ts'
import { compileProgram } from '../../../../core/compile/language/evaluate/evaluate.ts'
import { DEFAULT_FUEL, Frame } from '../../../../core/compile/language/evaluate/frame.ts'
import type { AnyOperator } from '../../../../core/compile/language/operators/entry.ts'
import { NUMBER_NAMES } from '../../../../core/compile/language/operators/numbers/texts.ts'
import { OPERATORS } from '../../../../core/compile/language/operators/table.ts'
import { MEASURING } from '../../../../core/compile/language/operators/text/measure.ts'
import { parseProgram } from '../../../../core/compile/language/parse.ts'
import { CivilDate } from '../../../../core/compile/language/primitives/dates/civil-date.ts'
import { romanText } from '../../../../core/compile/language/primitives/numbers/number-words.ts'
import { printProgram } from '../../../../core/compile/language/print.ts'
import type { Value } from '../../../../core/compile/language/value-types.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { vectorLines } from './document-of.ts'
import { randomBody } from './random-program.ts'

const INPUTS: readonly Json[] = [null, 3, 'a1-b2', '2024-02-29', ['b', 'a'], [1, 2], { a: 1, key: 'x' }]
const CASES = 10_000

/** Checks that every operand that a witness gives makes the answer that it was found for. */
function expectInverse<T extends Value>(
  operandOf: (seed: number) => T,
  evaluate: (operand: T, frame: Frame) => Value | undefined,
  witness: (answer: Value) => Value | undefined,
): void {
  for (let seed = 1; seed <= CASES; seed++) {
    const operand = operandOf(seed)
    const answer = evaluate(operand, new Frame(null, DEFAULT_FUEL))
    if (answer === undefined) throw new Error(`no answer for ${JSON.stringify(operand)}`)
    expect(witness(answer)).to.deep.equal(operand)
  }
}

describe('entries of the operators', () => {
  it('hold vectors that use their operator, each a program of the language', () => {
    for (const [op, entry] of Object.entries<AnyOperator>(OPERATORS)) {
      const lines = vectorLines(entry)
      expect(lines.length, op).to.be.greaterThan(0)
      for (const line of lines) {
        expect(line).to.include(`"op":"${op}"`)
        parseProgram({ language: LANGUAGE_2, body: JSON.parse(line).body })
      }
    }
  })

  it('name operands that are fields with an expression', () => {
    for (const [op, { fields, operands }] of Object.entries<AnyOperator>(OPERATORS))
      for (const name of operands) expect(fields[name]?.kind, `${op}.${name}`).to.equal('expr')
  })

  it('check, print and run random programs alike in search and interpreter', () => {
    for (let seed = 1; seed <= 1500; seed++) {
      const program = parseProgram({ language: LANGUAGE_2, body: randomBody(seed * 31) })
      const again = parseProgram(JSON.parse(JSON.stringify(program)))
      expect(printProgram(again)).to.equal(printProgram(program))
      const compiled = compileProgram(program)
      const evaluate = evaluatorOf(program.body)
      for (const input of INPUTS) {
        const answer = evaluate(input)
        expect(compiled.attempt(input)).to.deep.equal(answer instanceof CivilDate ? undefined : answer)
      }
    }
  })

  it('have witnesses that invert their evaluation', () => {
    const { roman, parseRoman, formatRadix, parseRadix } = NUMBER_NAMES
    expectInverse(
      (seed) => 1 + (seed % 3999),
      roman.evaluate({}, 'roman'),
      (answer) => roman.witness?.(answer, {}),
    )
    expectInverse(
      (seed) => romanText(1 + (seed % 3999)) ?? '',
      parseRoman.evaluate({}, 'parseRoman'),
      (answer) => parseRoman.witness?.(answer, {}),
    )
    for (const radix of [2, 16, 36]) {
      expectInverse(
        (seed) => seed * 7919 - 999_999,
        formatRadix.evaluate({ radix }, 'formatRadix'),
        (answer) => formatRadix.witness?.(answer, { radix }),
      )
      expectInverse(
        (seed) => (seed * 7919).toString(radix),
        parseRadix.evaluate({ radix }, 'parseRadix'),
        (answer) => parseRadix.witness?.(answer, { radix }),
      )
    }
    expectInverse(
      (seed) => `a😀${seed}`,
      MEASURING.reverse.evaluate({}, 'reverse'),
      (answer) => MEASURING.reverse.witness?.(answer, {}),
    )
  })
})
