import { expect } from 'chai'
import { factsOf } from '../../../../core/compile/rows/intake/example.ts'
import type { Row } from '../../../../core/compile/rows/task.ts'
import { openCandidate } from '../../../../core/compile/stages/candidate.ts'
import { sampleCandidates } from '../../../../core/compile/stages/sample/sample.ts'
import { answerOf } from '../../../../core/compile/stages/scoring/evaluate.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { rowsOf } from '../rows/given-rows.ts'

describe('a program that tells categories by their words', () => {
  /** Answers of the first program of a compile to further inputs; null where it has none. */
  function answersTo(rows: readonly Row[], inputs: readonly string[]): Json[] {
    const given = { task: 'Convert', rows, negatives: [], facts: factsOf(rows), k: 4, budgetMs: 60_000 }
    const { kinds } = sampleCandidates({ ...given, workBudget: 1_000_000 })
    const data = kinds.find(({ kind }) => kind === 'program')?.recipes[0]?.data
    const runner = data === undefined ? undefined : openCandidate(data)
    return inputs.map((input) => {
      const answer = runner === undefined ? undefined : answerOf(runner, input)
      return answer === undefined || answer.error !== null || answer.abstained ? null : answer.output
    })
  }

  it('has no answer for one that no row shows', () => {
    const codes: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP' }
    const prices = ['$12.50', '€9.10', '£30.00', '$7.99', '€120.45', '£5.25', '$300.10', '€64.00', '£18.75']
    const rows = rowsOf(prices.map((price) => [price, `${price.slice(1)} ${codes[price.charAt(0)]}`] as const))
    expect(answersTo(rows, ['$1.20', '€3.40', '£5.60', '¥78.00'])).to.deep.equal([
      '1.20 USD',
      '3.40 EUR',
      '5.60 GBP',
      null,
    ])
  })

  it('abstains for a value that no row shows, rather than fail', () => {
    const rates: Readonly<Record<string, number>> = { north: 4, south: 7, east: 2 }
    const zones = ['north', 'east', 'south', 'east', 'north', 'south', 'south', 'north', 'east', 'north']
    const rows = zones.map((zone, at): Row => {
      const kg = at * 3 + 2
      return { id: `row_${at + 1}`, input: { zone, kg }, output: `${kg * (rates[zone] ?? 0)} for ${zone}` }
    })
    const given = { task: 'Postage', rows, negatives: [], facts: factsOf(rows), k: 4, budgetMs: 60_000 }
    const { kinds } = sampleCandidates({ ...given, workBudget: 1_000_000 })
    const data = kinds.find(({ kind }) => kind === 'program')?.recipes[0]?.data
    const runner = data === undefined ? undefined : openCandidate(data)
    expect(runner?.run({ zone: 'south', kg: 30 }).output).to.equal('210 for south')
    expect(runner?.run({ zone: 'west', kg: 30 }).abstained).to.equal(true)
  })

  it('answers everything else by its last branch where the rows show such', () => {
    const notes = [
      'URGENT: fix pump',
      'buy paper',
      'URGENT: call Ann',
      'sort mail',
      'clean desk',
      'URGENT: pay rent',
      'book train',
    ]
    const rows = rowsOf(notes.map((note) => [note, note.startsWith('URGENT') ? 'high' : 'normal'] as const))
    expect(answersTo(rows, ['URGENT: leave', 'water plants'])).to.deep.equal(['high', 'normal'])
  })

  it('answers everything else where the rows of the last of two branches share a word by chance', () => {
    const notes = ['urgent: server down', 'please water plants', 'urgent: database slow', 'please call back']
    const rows = rowsOf(notes.map((note) => [note, note.startsWith('urgent') ? 'high' : 'normal'] as const))
    expect(answersTo(rows, ['urgent: leave', 'can you call'])).to.deep.equal(['high', 'normal'])
  })
})
