import { expect } from 'chai'
import { compileProgram } from '../../../../core/compile/language/evaluate/evaluate.ts'
import { synthesize } from '../../../../core/compile/synthesis/synthesize.ts'
import { rowsOf } from '../rows/given-rows.ts'

/** Answers of the first program for rows to other inputs; null where it has none. */
function answers(rows: readonly (readonly [string, string])[], inputs: readonly string[]): readonly unknown[] {
  const [best] = synthesize(rowsOf(rows), { k: 3, workBudget: 2_000_000 }).candidates
  if (best === undefined) throw new Error('no program')
  const program = compileProgram(best.program)
  return inputs.map((input) => program.attempt(input) ?? null)
}

describe('a program that reads dates', () => {
  const iso = ['2024-01-31', '2023-11-05', '2022-06-17', '2021-03-09'] as const

  it('has no answer for texts that name less than its examples do', () => {
    const rows = iso.map((text) => [text, text.split('-').toReversed().join('.')] as const)
    const others = ['16:30', '3-4', 'May', '12.2024', '2024-13-01', '2024-31-12']
    expect(answers(rows, others)).to.deep.equal(others.map(() => null))
    expect(answers(rows, ['2020-02-29'])).to.deep.equal(['29.02.2020'])
  })

  it('keeps the one order of numbers that its examples show', () => {
    const rows = [
      ['12/31/2024', '2024-12-31'],
      ['01/25/2023', '2023-01-25'],
      ['07/04/2022', '2022-07-04'],
      ['11/11/2021', '2021-11-11'],
    ] as const
    expect(answers(rows, ['25/12/2024', '5/6', '10/09/2020'])).to.deep.equal([null, null, '2020-10-09'])
  })
})
