import { expect } from 'chai'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { compileProgram } from '../../../../core/compile/language/evaluate/evaluate.ts'
import { synthesize } from '../../../../core/compile/synthesis/synthesize.ts'
import { rowsOf } from '../rows/given-rows.ts'

/** Returns the answers of the first program for rows to other inputs; null for one without an answer, or without a program. */
function answers<I extends Json>(inputs: readonly I[], rule: (input: I) => Json, others: readonly Json[]): unknown[] {
  const rows = rowsOf(inputs.map((input) => [input, rule(input)] as const))
  const [best] = synthesize(rows, { k: 3, workBudget: 2_000_000 }).candidates
  if (best === undefined) return others.map(() => null)
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

  it('rounds halves to even where the rows do', () => {
    const lines = [
      { count: 1, each: 0.25, off: 50 },
      { count: 3, each: 0.25, off: 50 },
      { count: 2, each: 19.99, off: 10 },
      { count: 7, each: 3.15, off: 20 },
    ]
    const totals = [0.12, 0.38, 35.98, 17.64]
    const total = (line: (typeof lines)[number]) => totals[lines.indexOf(line)] ?? 0
    expect(answers(lines, total, [{ count: 5, each: 0.25, off: 50 }])).to.deep.equal([0.62])
  })

  it('multiplies by the rate of a category, and has no answer for another one', () => {
    const rates: Readonly<Record<string, number>> = { north: 0.125, south: 0.2, west: 0.07, coast: 0 }
    const regions = Object.keys(rates)
    const amounts = [120, 35.5, 990, 410.25, 77, 5.9, 1500, 64.75, 310, 88.8, 19, 2040]
    const sales = amounts.map((amount, at) => ({ amount, region: regions[at % 4] ?? '' }))
    const levy = ({ amount, region }: (typeof sales)[number]) => {
      const rate = rates[region]
      return rate === undefined ? null : cents(amount * rate)
    }
    const others = [
      { amount: 432.1, region: 'south' },
      { amount: 27, region: 'coast' },
      { amount: 60, region: 'east' },
    ]
    expect(answers(sales, levy, others)).to.deep.equal(others.map(levy))
  })

  it('finds rates and surcharges in the texts of a spreadsheet too', () => {
    const regions = ['north', 'south', 'west']
    const rates = [0.125, 0.2, 0.07]
    const cells = Array.from({ length: 15 }, (_, at) => ({
      amount: (37.5 + at * 61.25).toFixed(2),
      region: regions[at % 3] ?? '',
    }))
    const tax = ({ amount, region }: (typeof cells)[number]) =>
      cents(Number(amount) * (rates[regions.indexOf(region)] ?? 0)).toFixed(2)
    const others = [
      { amount: '480.00', region: 'south' },
      { amount: '12.00', region: 'north' },
    ]
    expect(answers(cells, tax, others)).to.deep.equal(['96.00', '1.50'])
    const numeric = (cell: (typeof cells)[number]) => Number(tax(cell))
    expect(answers(cells, numeric, others)).to.deep.equal([96, 1.5])
  })

  it('finds the rates of many categories, beside amounts of nothing', () => {
    const kinds = Array.from({ length: 9 }, (_, at) => ({ kind: `kind ${at}`, rate: (at + 2) / 100 }))
    const sales = Array.from({ length: 36 }, (_, at) => ({ kind: `kind ${at % 9}`, net: at === 9 ? 0 : 40 + at * 37 }))
    const tax = ({ kind, net }: (typeof sales)[number]) =>
      cents(net * (kinds.find((one) => one.kind === kind)?.rate ?? 0))
    const others = [
      { kind: 'kind 7', net: 1234 },
      { kind: 'kind 0', net: 15 },
    ]
    expect(answers(sales, tax, others)).to.deep.equal(others.map(tax))
  })

  it('makes up no rate and no surcharge from a single row', () => {
    const sales = [10, 25, 40, 60, 85, 120].map((net) => ({ net, region: 'home' }))
    const abroad = ['north', 'south', 'west'].map((region, at) => ({ net: 30 + at * 21, region }))
    const flat = ({ net, region }: (typeof sales)[number]) => cents(net * 1.2 + (region === 'home' ? 0 : 15))
    const rows = rowsOf([...sales, ...abroad].map((input) => [input, flat(input)] as const))
    expect(JSON.stringify(synthesize(rows, { k: 5, workBudget: 2_000_000 }))).to.not.include('lookup')
    const slow = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((kg) => ({ kg, express: false }))
    const fee = ({ kg, express }: (typeof slow)[number]) => (4 + 1.5 * kg) * (express ? 2 : 1)
    const dear = answers([...slow, { kg: 10, express: true }], fee, [{ kg: 20, express: true }])
    expect(dear).to.not.deep.equal([53])
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
    const dated = parcels.map((parcel) => ({ ...parcel, year: 2031, test: false }))
    expect(answers(dated, fee, [{ ...dated[1], kg: 30 }])).to.deep.equal([58])
    expect(answers(parcels, fee, [{ kg: 3, to: 'moon', fragile: false }])).to.deep.equal([null])
  })

  it('takes another rate in each bracket of an income', () => {
    const incomes = [8000, 23500, 9100, 61250, 38000, 47300, 12750, 88010, 5200, 30999, 71400, 41000]
    const tax = (income: number) => cents(0.2 * Math.max(income - 10_000, 0) + 0.25 * Math.max(income - 40_000, 0))
    const others = [9999, 10_500, 39_000, 40_010, 120_000]
    expect(answers(incomes, tax, others)).to.deep.equal(others.map(tax))
  })

  it('pays more for each hour above a limit', () => {
    const weeks = [
      { hours: 38, rate: 21 },
      { hours: 45, rate: 18.5 },
      { hours: 20, rate: 30 },
      { hours: 52, rate: 24 },
      { hours: 41, rate: 40 },
      { hours: 33, rate: 19 },
      { hours: 60, rate: 22 },
      { hours: 39, rate: 27 },
    ]
    const pay = ({ hours, rate }: (typeof weeks)[number]) => rate * (hours + 0.5 * Math.max(hours - 40, 0))
    const others = [
      { hours: 40, rate: 20 },
      { hours: 48, rate: 31 },
      { hours: 12, rate: 16 },
    ]
    expect(answers(weeks, pay, others)).to.deep.equal(others.map(pay))
  })

  it('keeps a fee between a least and a most amount', () => {
    const amounts = [40, 90, 150, 420, 700, 1300, 1900, 2600, 4000, 60]
    const fee = (amount: number) => Math.min(Math.max(amount * 0.05, 5), 100)
    expect(answers(amounts, fee, [10, 300, 9000])).to.deep.equal([5, 15, 100])
  })

  it('takes another rate off a product from certain counts on', () => {
    const lines = [3, 12, 55, 7, 31, 104, 76, 9, 18, 130, 60, 2].map((count, at) => ({ count, each: 2 + at * 0.3 }))
    const total = ({ count, each }: (typeof lines)[number]) =>
      cents(count * each * (count >= 100 ? 0.8 : count >= 50 ? 0.9 : count >= 10 ? 0.95 : 1))
    const others = [
      { count: 10, each: 4 },
      { count: 99, each: 2 },
      { count: 200, each: 1.5 },
    ]
    expect(answers(lines, total, others)).to.deep.equal([38, 178.2, 240])
  })

  it('finds no brackets in a curve', () => {
    const sides = [3, 8, 14, 21, 35, 50, 77, 90]
    expect(answers(sides, (side) => side ** 2 + Math.floor(side ** 1.5), [60])).to.deep.equal([null])
  })

  it('takes no sign from the range of an amount', () => {
    const amounts = ['5.30 CR', '1804.25 CR', '7.75 CR', '530.10 CR', '156.90 DR', '612.40 CR', '14.15 CR', '395.00 CR']
    const balance = (amount: string) => `${amount.endsWith('DR') ? '-' : ''}${amount.split(' ')[0]}`
    expect(answers(amounts, balance, ['180.00 CR', '3.00 CR'])).to.deep.equal(['180.00', '3.00'])
  })

  it('adds a base fee to an amount times the rate of its category', () => {
    const rides = [
      [12, 'van'],
      [3, 'bike'],
      [25, 'car'],
      [7, 'van'],
      [18, 'bike'],
      [4, 'car'],
      [31, 'van'],
      [9, 'car'],
      [14, 'bike'],
    ].map(([km = 0, kind = '']) => ({ km: Number(km), kind: String(kind) }))
    const rates = new Map([
      ['van', 2.4],
      ['car', 1.75],
      ['bike', 0.6],
    ])
    const fare = ({ km, kind }: { km: number; kind: string }) =>
      Math.round((4.5 + km * (rates.get(kind) ?? 0)) * 100) / 100
    expect(
      answers(rides, fare, [
        { km: 40, kind: 'car' },
        { km: 10, kind: 'van' },
        { km: 50, kind: 'bike' },
      ]),
    ).to.deep.equal([74.5, 28.5, 34.5])
  })

  it('adds no base fee that the rows do not determine', () => {
    const fitted = (rows: string) => {
      const pairs = rows.split(' ').map((row) => {
        const [km, kind = '', fare] = row.split('/')
        return [{ km: Number(km), kind }, Number(fare)] as const
      })
      return JSON.stringify(synthesize(rowsOf(pairs), { k: 3, workBudget: 2_000_000 }).candidates)
    }
    const unrelated = [
      '11/van/22 3/bus/11 3/van/11 11/bus/20',
      '3/van/19 12/bus/22 12/van/29 3/bus/17',
      '4/van/46 3/bus/43 6/van/48 4/bus/44',
      '3/van/16 2/bus/12 2/van/14 11/bus/13 5/van/18 12/bus/13',
    ]
    for (const rows of unrelated) expect(fitted(rows)).not.to.include('"lookup"')
    const determined = '4/van/8.6 9/bus/10.65 17/van/26.8 22/bus/21.7 30/van/45 41/bus/37.85'
    expect(fitted(determined)).to.include('"lookup"')
  })
})
