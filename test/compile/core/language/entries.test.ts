import { expect } from 'chai'
import { LANGUAGE_2 } from '../../../../core/compile/language/ast.ts'
import type { Expr } from '../../../../core/compile/language/ast.ts'
import { evaluatorOf } from '../../../../core/compile/language/evaluate/columns.ts'
import { compileProgram } from '../../../../core/compile/language/evaluate/evaluate.ts'
import { DEFAULT_FUEL, Frame } from '../../../../core/compile/language/evaluate/frame.ts'
import type { AnyOperator } from '../../../../core/compile/language/operators/entry.ts'
import { NUMBER_NAMES, NUMBER_TEXTS } from '../../../../core/compile/language/operators/numbers/texts.ts'
import { WRITTEN_NUMBERS } from '../../../../core/compile/language/operators/numbers/written.ts'
import { OPERATORS } from '../../../../core/compile/language/operators/table.ts'
import { MEASURING } from '../../../../core/compile/language/operators/text/measure.ts'
import { parseProgram } from '../../../../core/compile/language/parse.ts'
import { CivilDate } from '../../../../core/compile/language/primitives/dates/civil-date.ts'
import { formatNumberText } from '../../../../core/compile/language/primitives/numbers/number-text.ts'
import { romanText } from '../../../../core/compile/language/primitives/numbers/number-words.ts'
import { printProgram } from '../../../../core/compile/language/print.ts'
import type { Value } from '../../../../core/compile/language/value-types.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { vectorLines } from './document-of.ts'
import { randomBody } from './random-program.ts'

const INPUTS: readonly Json[] = [null, 3, 'a1-b2', '2024-02-29', ['b', 'a'], [1, 2], { a: 1, key: 'x' }]
const CASES = 10_000
const PLAIN_WRITING = {
  minDecimals: 0,
  maxDecimals: undefined,
  mode: 'halfUp',
  decimal: '.',
  group: '',
  minDigits: 1,
  sign: 'negative',
} as const

/** An evaluation of one operand. */
type Unary<A extends Value> = (operand: A, frame: Frame) => Value | undefined

/** Checks that one evaluation undoes another. */
function expectInverse<A extends Value, B extends Value>(
  operandOf: (seed: number) => A,
  evaluate: Unary<A>,
  undo: Unary<B>,
): void {
  for (let seed = 1; seed <= CASES; seed++) {
    const operand = operandOf(seed)
    const answer = evaluate(operand, new Frame(null, DEFAULT_FUEL))
    if (answer === undefined) throw new Error(`no answer for ${JSON.stringify(operand)}`)
    expect(undo(answer as B, new Frame(null, DEFAULT_FUEL))).to.deep.equal(operand)
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
      const body = JSON.stringify(program.body)
      const evaluate = evaluatorOf((of): Expr => JSON.parse(body.replaceAll('{"op":"input"}', JSON.stringify(of))))
      for (const input of INPUTS) {
        const answer = evaluate(input)
        expect(compiled.attempt(input)).to.deep.equal(answer instanceof CivilDate ? undefined : answer)
      }
    }
  })

  it('undo one another where one reads what the other writes', () => {
    const { roman, parseRoman, formatRadix, parseRadix } = NUMBER_NAMES
    const [write, read] = [roman.evaluate({}, 'roman'), parseRoman.evaluate({}, 'parseRoman')]
    expectInverse((seed) => 1 + (seed % 3999), write, read)
    expectInverse((seed) => romanText(1 + (seed % 3999)) ?? '', read, write)
    for (const radix of [2, 16, 36]) {
      const [format, parse] = [
        formatRadix.evaluate({ radix }, 'formatRadix'),
        parseRadix.evaluate({ radix }, 'parseRadix'),
      ]
      expectInverse((seed) => seed * 7919 - 999_999, format, parse)
      expectInverse((seed) => (seed * 7919).toString(radix), parse, format)
    }
    const { parseNumber, formatNumber } = NUMBER_TEXTS
    for (const marks of [
      {},
      { group: ',' },
      { group: ',', groups: 'indian' },
      { group: '.', decimal: ',' },
      { group: '\u202f', decimal: ',' },
      { group: "'" },
    ] as const) {
      const [format, parse] = [formatNumber.evaluate(marks, 'formatNumber'), parseNumber.evaluate(marks, 'parseNumber')]
      expectInverse((seed) => (seed * 7919 - 39_000_000) / 100, format, parse)
      expectInverse((seed) => formatNumberText((seed * 7919) / 8, { ...PLAIN_WRITING, ...marks }), parse, format)
    }
    const { decimal } = WRITTEN_NUMBERS
    const [add, subtract] = [decimal.evaluate({ do: 'add' }, 'decimal'), decimal.evaluate({ do: 'sub' }, 'decimal')]
    expectInverse<string, string>(
      (seed) => `${seed % 3 === 0 ? '-' : ''}${seed * 7919}.${String(seed % 1000).padStart(3, '0')}`,
      (text, frame) => add(text, '0.25', frame),
      (text, frame) => subtract(text, '0.25', frame),
    )
    const reverse = MEASURING.reverse.evaluate({}, 'reverse')
    expectInverse((seed) => `a😀${seed}`, reverse, reverse)
  })
})
