import { expect } from 'chai'
import fc from 'fast-check'
import { canonicalJson, type Json } from '../../../../core/kernel/json/json.ts'
import { type Expr, LANGUAGE_2 } from '../../../../core/compile/language/ast.ts'
import { RecipeError } from '../../../../core/compile/language/errors.ts'
import { compileProgram, evaluate } from '../../../../core/compile/language/evaluate/evaluate.ts'
import { DEFAULT_FUEL } from '../../../../core/compile/language/evaluate/frame.ts'
import { parseProgram } from '../../../../core/compile/language/parse.ts'
import { equalJson, isBoundedJson } from '../../../../core/compile/language/primitives/values/json-values.ts'
import { randomBody } from './random-program.ts'

const input: Expr = { op: 'input' }

function reasonOf(expr: Expr, given: Json, fuel = DEFAULT_FUEL): string {
  try {
    evaluate(expr, given, { fuel })
  } catch (error) {
    if (error instanceof RecipeError) return error.reason
    throw error
  }
  return 'answered'
}

/** `let x = grow(x)` so many times around the body. */
function nested(times: number, first: Expr, grow: (inner: Expr) => Expr, body: (last: Expr) => Expr): Expr {
  const name = `x${times}`
  const value = times === 1 ? grow(first) : grow({ op: 'var', name: `x${times - 1}` })
  const inner = (): Expr => body({ op: 'var', name })
  return { op: 'let', name, value, in: inner() }
}

function chain(length: number, first: Expr, grow: (inner: Expr) => Expr, body: (last: Expr) => Expr): Expr {
  let build = body
  for (let times = length; times > 1; times--) {
    const rest = build
    build = (last) => {
      const name = `x${times}`
      return { op: 'let', name, value: grow(last), in: rest({ op: 'var', name }) }
    }
  }
  return nested(1, first, grow, build)
}

function reversedMembers(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(reversedMembers)
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversedMembers(member)]),
  )
}

const anyInput: fc.Arbitrary<Json> = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('2024-02-29', 'Ada Lovelace <ada@x.org> 1,234.5', '12', "o'neil"),
  fc
    .jsonValue({ maxDepth: 3 })
    .map((value): unknown => value)
    .filter((value): value is Json => isBoundedJson(value)),
)

describe('bounds of the interpreter', () => {
  it('answers or throws RecipeError, the same every time, for any program and input', () => {
    fc.assert(
      fc.property(fc.integer(), anyInput, (seed, given) => {
        const program = compileProgram(parseProgram({ language: LANGUAGE_2, body: randomBody(seed) }))
        const answer = program.attempt(given)
        if (answer === undefined) {
          expect(() => program.evaluate(given)).to.throw(RecipeError)
          return
        }
        expect(isBoundedJson(answer)).to.equal(true)
        expect(equalJson(answer, program.evaluate(reversedMembers(given)))).to.equal(true)
        expect(canonicalJson(answer)).to.equal(canonicalJson(program.evaluate(given)))
      }),
      { numRuns: 1500 },
    )
  })

  it('stops with out_of_fuel, and nothing else, when fuel is short', () => {
    fc.assert(
      fc.property(fc.integer(), anyInput, fc.nat(30), (seed, given, fuel) => {
        const { body } = parseProgram({ language: LANGUAGE_2, body: randomBody(seed) })
        try {
          evaluate(body, given, { fuel })
        } catch (error) {
          expect(error).to.be.instanceOf(RecipeError)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('bounds what programs make', () => {
    const twice = (inner: Expr): Expr => ({ op: 'concat', parts: [inner, inner] })
    const pair = (inner: Expr): Expr => ({ op: 'list', items: [inner, inner] })
    const same = (last: Expr): Expr => last
    expect(reasonOf(chain(60, input, twice, same), 'ab')).to.equal('out_of_memory')
    expect(reasonOf(chain(60, input, pair, same), 'ab')).to.equal('out_of_memory')
    expect(
      reasonOf(
        chain(60, input, pair, (last) => ({ op: 'toJson', of: last })),
        'ab',
      ),
    ).to.equal('out_of_memory')
    expect(
      reasonOf(
        chain(60, input, pair, (last) => ({ op: 'eq', left: last, right: last })),
        'ab',
      ),
    ).to.equal('out_of_fuel')
    expect(reasonOf({ op: 'repeat', text: input, times: { op: 'literal', value: 1e9 } }, 'ab')).to.equal(
      'out_of_memory',
    )
    expect(
      reasonOf({ op: 'pad', text: input, side: 'start', width: { op: 'literal', value: 1e9 }, fill: ' ' }, ''),
    ).to.equal('out_of_memory')
    const between: Expr = {
      op: 'replace',
      text: input,
      find: { kind: 'regex', regex: '' },
      with: input,
    }
    expect(reasonOf(between, 'x'.repeat(10_000))).to.equal('out_of_memory')
  })

  it('bounds how long programs run', () => {
    const over = (names: readonly string[], body: Expr): Expr =>
      names.reduceRight<Expr>((inner, as) => ({ op: 'map', list: input, as, body: inner }), body)
    const list = Array.from({ length: 1000 }, (_, i) => i)
    expect(reasonOf(over(['a', 'b', 'c', 'd'], { op: 'literal', value: 1 }), list)).to.equal('out_of_fuel')
    const big = Array.from({ length: 2000 }, (_, i) => [i, [i, [i]]])
    const compared: Expr = {
      op: 'all',
      list: input,
      as: 'x',
      where: { op: 'eq', left: input, right: { op: 'literal', value: big } },
    }
    expect(reasonOf(compared, big)).to.equal('out_of_fuel')
    const quadratic: Expr = { op: 'count', text: input, pattern: { kind: 'regex', regex: 'a*b|a' } }
    expect(reasonOf(quadratic, 'a'.repeat(100_000), 50_000)).to.equal('out_of_fuel')
  })

  it('runs regular expressions without backtracking', () => {
    for (const regex of ['(a+)+$', '(a|aa)+$', '(.*)*x', '(\\w*)*!$']) {
      const expr: Expr = { op: 'contains', text: input, pattern: { kind: 'regex', regex } }
      expect(evaluate(expr, `${'a'.repeat(50_000)}-`), regex).to.equal(false)
    }
  })

  it('refuses inputs that are no bounded JSON', () => {
    let deep: Json = []
    for (let i = 0; i < 100_000; i++) deep = [deep]
    expect(reasonOf(input, deep)).to.equal('invalid_input')
    expect(reasonOf(input, '\ud800')).to.equal('invalid_input')
    expect(reasonOf(input, { a: ['\udc00'] })).to.equal('invalid_input')
    expect(reasonOf(input, [Number.NaN])).to.equal('invalid_input')
  })

  it('keeps a member called __proto__ a member', () => {
    const given: Json = JSON.parse('{"__proto__": {"x": 1}, "a": 2}')
    const renamed = evaluate({ op: 'rename', of: input, names: [{ from: 'a', to: '__proto__' }] }, given)
    expect(JSON.stringify(renamed)).to.equal('{"__proto__":2}')
    expect(Object.getPrototypeOf(renamed)).to.equal(Object.prototype)
    expect(reasonOf({ op: 'field', of: input, name: 'toString' }, {})).to.equal('missing')
  })
})
