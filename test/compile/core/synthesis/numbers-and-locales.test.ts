import { expect } from 'chai'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { compileProgram } from '../../../../core/compile/language/evaluate/evaluate.ts'
import { synthesize } from '../../../../core/compile/synthesis/synthesize.ts'
import { rowsOf } from '../rows/given-rows.ts'

/** Answers of the first program for rows to other inputs; null where it has none. */
function answers(rows: readonly (readonly [Json, Json])[], inputs: readonly Json[]): readonly unknown[] {
  const [best] = synthesize(rowsOf(rows), { k: 3, workBudget: 2_000_000 }).candidates
  if (best === undefined) throw new Error('no program')
  const program = compileProgram(best.program)
  return inputs.map((input) => program.attempt(input) ?? null)
}

describe('a program that computes numbers in texts', () => {
  it('keeps the decimals that are written', () => {
    const rows = [
      [{ price: '2.00', quantity: 3 }, '6.00'],
      [{ price: '19.9', quantity: 2 }, '39.8'],
      [{ price: '0.355', quantity: 10 }, '3.550'],
    ] as const
    expect(answers(rows, [{ price: '12345678901234567.05', quantity: 2 }])).to.deep.equal(['24691357802469134.10'])
  })

  it('groups digits as the examples do', () => {
    const rows = [
      [1_234_567, '12,34,567'],
      [45_678, '45,678'],
      [98_765_432, '9,87,65,432'],
    ] as const
    expect(answers(rows, [912, 1_000_000_000])).to.deep.equal(['912', '1,00,00,00,000'])
  })

  it('converts units of measure', () => {
    const rows = [
      ['12 km', '7.5 mi'],
      ['5 km', '3.1 mi'],
      ['100 km', '62.1 mi'],
    ] as const
    expect(answers(rows, ['250 km', '250 kg'])).to.deep.equal(['155.3 mi', null])
  })

  it('reads durations with any of their parts', () => {
    const rows = [
      ['1h 30m', 90],
      ['45m', 45],
      ['2h', 120],
    ] as const
    expect(answers(rows, ['3 hours', '1d', '90s'])).to.deep.equal([180, 1440, 1.5])
  })

  it('reads digits of other scripts', () => {
    const rows = [
      ['السعر ٢٥٠ ريال', 250],
      ['السعر ١٢ ريال', 12],
      ['السعر ٩٩ ريال', 99],
    ] as const
    expect(answers(rows, ['السعر ١٠٠١ ريال'])).to.deep.equal([1001])
  })
})

describe('a program that reads dates of other locales', () => {
  it('reads the names of the locale that its examples are in, and no others', () => {
    const rows = [
      ['31 de octubre de 2024', '2024-10-31'],
      ['14 de julio de 2021', '2021-07-14'],
      ['9 de mayo de 2022', '2022-05-09'],
    ] as const
    expect(answers(rows, ['3 de noviembre de 2025', '3 November 2025'])).to.deep.equal(['2025-11-03', null])
  })

  it('takes six digits for a code where nothing shows a date', () => {
    const rows = [
      ['240305', '24-0305'],
      ['231112', '23-1112'],
      ['220709', '22-0709'],
    ] as const
    expect(answers(rows, ['999999'])).to.deep.equal(['99-9999'])
  })

  it('counts no years from one that the texts do not name', () => {
    const rows = [
      ['Tue 5 Mar', '2024-03-05'],
      ['Sun 12 May', '2024-05-12'],
      ['Mon 1 Jul', '2024-07-01'],
    ] as const
    expect(answers(rows, ['Wed 5 Mar'])).to.deep.equal(['2024-03-05'])
  })
})
