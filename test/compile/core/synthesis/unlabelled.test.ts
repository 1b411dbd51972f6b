import { expect } from 'chai'
import { compileProgram } from '../../../../core/compile/language/evaluate/evaluate.ts'
import { pickUnlabelled } from '../../../../core/compile/synthesis/search/pick-unlabelled.ts'
import { synthesize } from '../../../../core/compile/synthesis/synthesize.ts'
import type { Row } from '../../../../core/compile/rows/task.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'

function rowsOf(pairs: readonly (readonly [Json, Json])[]): readonly Row[] {
  return pairs.map(([input, output], i) => ({ id: `row_${i + 1}`, input, output }))
}

function bestFor(rows: readonly Row[], unlabelled: readonly Json[]) {
  const [best] = synthesize(rows, { k: 5, workBudget: 1_000_000, unlabelled }).candidates
  if (best === undefined) throw new Error('no program')
  return compileProgram(best.program)
}

/** The rows show no order of day and month. */
const DATES = rowsOf([
  ['05/05/2024', '2024-05-05'],
  ['07/07/2023', '2023-07-07'],
  ['11/11/2021', '2021-11-11'],
])

describe('unlabelled inputs in the search', () => {
  it('settle the order of day and month', () => {
    expect(bestFor(DATES, ['12/25/2024']).attempt('12/26/2024')).to.equal('2024-12-26')
    expect(bestFor(DATES, ['25/12/2024']).attempt('26/12/2024')).to.equal('2024-12-26')
    expect(bestFor(DATES, ['12/25/2024']).attempt('03/04/2024')).to.equal('2024-03-04')
    expect(bestFor(DATES, ['25/12/2024']).attempt('03/04/2024')).to.equal('2024-04-03')
  })

  it('settle by what a text is cut', () => {
    const rows = rowsOf([
      ['ann lee, 12', 'ann'],
      ['bob day, 31', 'bob'],
      ['cat fox, 44', 'cat'],
    ])
    // The first word, not the first three letters.
    expect(bestFor(rows, ['alexander roe, 50', 'jo ito, 7']).attempt('maria sol, 8')).to.equal('maria')
  })

  it('prefer a program that answers them all in shapes of the outputs', () => {
    const rows = rowsOf([
      ['2010--10--5', '5'],
      ['1990--2--27', '27'],
      ['1985--12--9', '9'],
      ['2040--3--14', '14'],
    ])
    // The day of a date, not the last number of a text.
    const best = bestFor(rows, ['9/4/2031', '5.28.2016', '11.6.2007', '2018--4--30'])
    expect(best.attempt('5.28.2016')).to.equal('28')
  })

  it('may be their own answers where rows show such', () => {
    const rows = rowsOf([
      ['12.3456', '12.35'],
      ['7.5', '7.5'],
      ['81.25', '81.25'],
    ])
    expect(bestFor(rows, ['640', '3.14159']).attempt('250')).to.equal('250')
    const prices = rowsOf([
      ['$12.50', '12.50'],
      ['8.00', '8.00'],
      ['$3.99', '3.99'],
    ])
    // Not one with a mark that no answer has.
    expect(bestFor(prices, ['€4.00', '£7.25']).attempt('€6.10')).to.equal('6.10')
  })

  it('leave a compile without them as it is', () => {
    const options = { k: 5, workBudget: 1_000_000 }
    expect(synthesize(DATES, { ...options, unlabelled: [] })).to.deep.equal(synthesize(DATES, options))
  })

  it('give the same programs in any order', () => {
    const unlabelled = ['12/25/2024', '1/2/2020', '03.04.2021', 'none', '12/31/1999']
    const search = (inputs: readonly Json[]) => synthesize(DATES, { k: 8, workBudget: 1_000_000, unlabelled: inputs })
    expect(search(unlabelled.toReversed())).to.deep.equal(search(unlabelled))
  })

  it("take part up to 12, of different shapes first, and never a row's input", () => {
    const digits = Array.from({ length: 40 }, (_, i) => `${i + 1}`)
    const picked = pickUnlabelled(['7', 'x'], [...digits, 'a b', '1-2', 'A1'])
    expect(picked).to.have.length(12)
    expect(picked).to.include.members(['a b', '1-2', 'A1'])
    expect(picked).not.to.include('7')
    expect(pickUnlabelled(['7'], ['7', '8', '8'])).to.deep.equal(['8'])
  })
})
