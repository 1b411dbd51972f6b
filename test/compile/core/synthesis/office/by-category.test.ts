import { expect } from 'chai'
import type { Json } from '../../../../../core/kernel/json/json.ts'
import { compileProgram } from '../../../../../core/compile/language/evaluate/evaluate.ts'
import { learnRules } from '../../../../../core/compile/synthesis/rules/learn-rules.ts'
import { Budget } from '../../../../../core/compile/synthesis/search/budget.ts'
import { synthesize } from '../../../../../core/compile/synthesis/synthesize.ts'
import { rowsOf } from '../../rows/given-rows.ts'

function answers<I extends Json>(inputs: readonly I[], rule: (input: I) => Json, others: readonly Json[]): unknown[] {
  const rows = rowsOf(inputs.map((input) => [input, rule(input)] as const))
  const [best] = synthesize(rows, { k: 3, workBudget: 2_000_000 }).candidates
  if (best === undefined) return others.map(() => null)
  const program = compileProgram(best.program)
  return others.map((input) => program.attempt(input) ?? null)
}

describe('a program with a rule for each category', () => {
  it('computes a fee by zone, each with a base and a rate of its own', () => {
    const zones = ['near', 'far', 'abroad']
    const parcels = Array.from({ length: 36 }, (_, i) => ({
      zone: zones[i % 3] ?? '',
      kg: ((i * 37) % 190) / 10 + 0.3,
    }))
    const parcelFee = ({ zone, kg }: { zone: string; kg: number }): Json => {
      if (zone === 'near') return Math.round((3.5 + 0.4 * kg) * 100) / 100
      if (zone === 'far') return Math.round((7 + 0.9 * kg) * 100) / 100
      return zone === 'abroad' ? Math.round((15.5 + 2.2 * kg) * 100) / 100 : null
    }
    const others = [
      { zone: 'near', kg: 12.4 },
      { zone: 'far', kg: 0.7 },
      { zone: 'abroad', kg: 25 },
      { zone: 'moon', kg: 1 },
    ]
    expect(answers(parcels, parcelFee, others)).to.deep.equal(others.map(parcelFee))
  })

  it('reads prices by steps of a number that differ between categories', () => {
    const steps: Readonly<Record<string, readonly number[]>> = { home: [4, 7, 12], abroad: [11, 18, 34] }
    const parcels = Array.from({ length: 80 }, (_, i) => ({
      to: i % 2 === 0 ? 'home' : 'abroad',
      kg: ((i * 29) % 160) / 10 + 0.2,
    }))
    const price = ({ to, kg }: { to: string; kg: number }): Json => steps[to]?.[kg <= 3 ? 0 : kg <= 10 ? 1 : 2] ?? null
    const others = [
      { to: 'home', kg: 1.5 },
      { to: 'abroad', kg: 6.25 },
      { to: 'home', kg: 15 },
      { to: 'abroad', kg: 13 },
    ]
    expect(answers(parcels, price, others)).to.deep.equal(others.map(price))
  })

  it('costs no rule of all rows where its own search ends', () => {
    const people = Array.from({ length: 60 }, (_, i) => ({
      income: ((i * 7919) % 90_000) + 1000,
      married: i % 2 === 0,
      region: ['n', 's', 'e'][i % 3] ?? '',
      band: ['a', 'b', 'c', 'd'][i % 4] ?? '',
    }))
    const tax = people.map(({ income }) => {
      if (income <= 12_000) return Math.round(income * 10) / 100
      const more = income <= 40_000 ? 1200 + (income - 12_000) * 0.22 : 7360 + (income - 40_000) * 0.35
      return Math.round(more * 100) / 100
    })
    const few = learnRules(people, tax, new Budget(800))
    expect(few.map(({ isByCategory }) => isByCategory)).to.deep.equal([undefined])
    const many = learnRules(people, tax, new Budget(200_000))
    expect(many.map(({ isByCategory }) => isByCategory)).to.deep.equal([undefined, true, true, true])
  })

  it('moves a date by the time that its category has', () => {
    const HOURS: Readonly<Record<string, number>> = { P1: 4, P2: 24, P3: 72 }
    const due = ({ opened, priority }: { readonly opened: string; readonly priority: string }) => {
      const end = Date.parse(`${opened.replace(' ', 'T')}:00Z`) + (HOURS[priority] ?? 0) * 3_600_000
      return new Date(end).toISOString().slice(0, 16).replace('T', ' ')
    }
    const tickets = [
      { opened: '2025-03-04 22:15', priority: 'P1' },
      { opened: '2025-06-30 09:40', priority: 'P2' },
      { opened: '2025-12-29 17:05', priority: 'P3' },
      { opened: '2025-08-11 06:30', priority: 'P1' },
      { opened: '2025-02-27 13:20', priority: 'P3' },
      { opened: '2025-10-02 11:55', priority: 'P2' },
    ]
    const others = [
      { opened: '2025-05-31 21:10', priority: 'P1' },
      { opened: '2025-01-30 08:00', priority: 'P3' },
    ]
    expect(answers(tickets, due, others)).to.deep.equal(others.map(due))
  })

  it('moves a date by the amount that a text writes, also for a text that no row has', () => {
    const DAY_MS = 86_400_000
    const due = ({ date, terms }: { readonly date: string; readonly terms: string }) => {
      const days = Number(terms.replaceAll(/\D/g, ''))
      return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10)
    }
    const invoices = [
      { date: '2025-01-05', terms: 'net 30' },
      { date: '2025-02-11', terms: 'net 14' },
      { date: '2025-03-20', terms: 'net 30' },
      { date: '2025-05-02', terms: 'net 14' },
    ]
    const other = { date: '2025-06-01', terms: 'net 60' }
    expect(answers(invoices, due, [other])).to.deep.equal([due(other)])
  })

  it('moves a date by months and years where the rows have them in one length', () => {
    const MONTHS: Readonly<Record<string, number>> = { monthly: 1, yearly: 12 }
    const renewal = ({ start, plan }: { readonly start: string; readonly plan: string }) => {
      const date = new Date(start)
      date.setUTCMonth(date.getUTCMonth() + (MONTHS[plan] ?? 0))
      return date.toISOString().slice(0, 10)
    }
    const contracts = [
      { start: '2025-01-15', plan: 'monthly' },
      { start: '2025-03-10', plan: 'yearly' },
      { start: '2025-07-01', plan: 'monthly' },
      { start: '2025-02-02', plan: 'yearly' },
    ]
    const others = [
      { start: '2025-04-05', plan: 'monthly' },
      { start: '2027-04-05', plan: 'yearly' },
    ]
    expect(answers(contracts, renewal, others)).to.deep.equal(others.map(renewal))
  })
})
