import { expect } from 'chai'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { compileProgram } from '../../../../core/compile/language/evaluate/evaluate.ts'
import { synthesize } from '../../../../core/compile/synthesis/synthesize.ts'
import { rowsOf } from '../rows/given-rows.ts'

/** Returns the answers of the first program for rows to other inputs. */
function answers<I extends Json>(inputs: readonly I[], rule: (input: I) => Json, others: readonly I[]): unknown[] {
  const rows = rowsOf(inputs.map((input) => [input, rule(input)] as const))
  const [best] = synthesize(rows, { k: 3, workBudget: 2_000_000 }).candidates
  if (best === undefined) throw new Error('no program')
  const program = compileProgram(best.program)
  return others.map((input) => program.attempt(input) ?? null)
}

const cents = (value: number): number => Math.round(value * 100) / 100

describe('a program that computes prices', () => {
  it('takes a discount in percent off a product, rounded to cents', () => {
    const lines = [
      { count: 3, each: 12.49, off: 10 },
      { count: 1, each: 80.05, off: 0 },
      { count: 7, each: 4.35, off: 15 },
      { count: 12, each: 0.99, off: 5 },
      { count: 2, each: 150, off: 30 },
    ]
    const total = ({ count, each, off }: (typeof lines)[number]) => cents(count * each * (1 - off / 100))
    const others = [
      { count: 5, each: 19.9, off: 20 },
      { count: 4, each: 33.33, off: 25 },
    ]
    expect(answers(lines, total, others)).to.deep.equal(others.map(total))
  })

  it('adds a rate that is a share of one', () => {
    const sums = [
      { net: 100, rate: 0.19 },
      { net: 49.9, rate: 0.07 },
      { net: 12, rate: 0.19 },
      { net: 230.45, rate: 0 },
    ]
    const gross = ({ net, rate }: (typeof sums)[number]) => cents(net * (1 + rate))
    expect(answers(sums, gross, [{ net: 80, rate: 0.2 }])).to.deep.equal([96])
  })

  it('adds surcharges for a flag and for a category to a base and a price by weight', () => {
    const parcels = [
      { kg: 2, to: 'home', fragile: false },
      { kg: 5, to: 'abroad', fragile: false },
      { kg: 1, to: 'home', fragile: true },
      { kg: 8, to: 'island', fragile: true },
      { kg: 3, to: 'abroad', fragile: true },
      { kg: 10, to: 'island', fragile: false },
      { kg: 4, to: 'home', fragile: false },
      { kg: 7, to: 'home', fragile: true },
      { kg: 6, to: 'abroad', fragile: false },
    ]
    const fee = ({ kg, to, fragile }: (typeof parcels)[number]) =>
      4 + kg * 1.5 + (fragile ? 3 : 0) + (to === 'abroad' ? 9 : to === 'island' ? 6 : 0)
    const others = [
      { kg: 20, to: 'island', fragile: true },
      { kg: 9, to: 'abroad', fragile: true },
      { kg: 11, to: 'home', fragile: false },
    ]
    expect(answers(parcels, fee, others)).to.deep.equal(others.map(fee))
  })
})
