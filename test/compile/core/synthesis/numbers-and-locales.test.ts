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

  it('finds the same line in any order of the rows, however far apart they are', () => {
    const line = [100_000, 100_000.1, 0, 5].map((x) => [x, Math.round(x * 100_000) + 5] as const)
    for (const rows of [line, line.toReversed()]) expect(answers(rows, [7, 2.5])).to.deep.equal([700_005, 250_005])
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

  it('stands numbers in a column: both sides of the point filled up, or the whole number', () => {
    const sides = [
      ['7.5', '  7.5   '],
      ['42', ' 42.    '],
      ['6.25', '  6.25  '],
      ['318.125', '318.125 '],
    ] as const
    expect(answers(sides, ['90.0625', '5'])).to.deep.equal([' 90.0625', '  5.    '])
    const whole = [
      ['7.5', '|   7.50|'],
      ['42', '|  42.00|'],
      ['318.127', '| 318.13|'],
    ] as const
    expect(answers(whole, ['9', '2000.5'])).to.deep.equal(['|   9.00|', '|2000.50|'])
  })

  it('keeps the decimals of a number that has fewer than are rounded to', () => {
    const rows = [
      ['2.741', '2.7 kg'],
      ['81.55', '81.6 kg'],
      ['9', '9 kg'],
    ] as const
    expect(answers(rows, ['30.0', '12', '0.449'])).to.deep.equal(['30.0 kg', '12 kg', '0.4 kg'])
  })

  it('fills digits up although the first rows have more', () => {
    const rows = [
      ['250.5', '250.5'],
      ['8.25', '08.25'],
      ['17', '17'],
      ['3.5', '03.5'],
    ] as const
    expect(answers(rows, ['4.75', '1024.5'])).to.deep.equal(['04.75', '1024.5'])
  })

  it('writes a number in the unit of its range, from the unit on', () => {
    const sizes = [7, 350, 812, 1500, 2048, 33_000, 154_321, 700_001, 1_500_000, 7_340_032, 52_428_800, 300_000_000]
    const write = (bytes: number): string =>
      bytes < 1024
        ? `${bytes} B`
        : bytes < 1_048_576
          ? `${(bytes / 1024).toFixed(1)} KB`
          : `${(bytes / 1_048_576).toFixed(1)} MB`
    const rows = sizes.map((bytes) => [bytes, write(bytes)] as const)
    const fresh = [1023, 1024, 1_000_000, 1_048_575, 1_048_576, 99_999_999]
    expect(answers(rows, fresh)).to.deep.equal(fresh.map(write))
    const spell = (s: number): string =>
      s < 60
        ? `${s}s`
        : s < 3600
          ? `${Math.floor(s / 60)}m ${s % 60}s`
          : `${Math.floor(s / 3600)}h ${Math.floor((s % 3600) / 60)}m`
    const times = [3, 17, 48, 75, 342, 783, 1999, 3300, 4000, 9876, 24_237, 86_000].map((s) => [s, spell(s)] as const)
    expect(answers(times, [59, 60, 3599, 3600, 50_000])).to.deep.equal([59, 60, 3599, 3600, 50_000].map(spell))
  })

  it('begins the unit of its only branch there', () => {
    const rows = [
      [6_400_000, '6.4M'],
      [9_100_000, '9.1M'],
      [5_250_000, '5.3M'],
      [7_730_000, '7.7M'],
      [820, '820'],
      [95, '95'],
    ] as const
    expect(answers(rows, [1_200_000, 2_900_000, 431])).to.deep.equal(['1.2M', '2.9M', '431'])
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
  it('reads times of day without a mark', () => {
    const rows = [
      ['812', '8:00-9:00'],
      ['1345', '13:00-14:00'],
      ['630', '6:00-7:00'],
    ] as const
    expect(answers(rows, ['1559', '105', '2575'])).to.deep.equal(['15:00-16:00', '1:00-2:00', null])
    const rooms = [
      ['207', 'Floor 2, room 07'],
      ['529', 'Floor 5, room 29'],
      ['401', 'Floor 4, room 01'],
      ['1020', 'Floor 10, room 20'],
    ] as const
    expect(answers(rooms, ['1305'])).to.deep.equal(['Floor 13, room 05'])
  })

  it('finds a date between other numbers of a text', () => {
    const rows = [
      ['Invoice INV-2021-8579 of 19 Sep 2022: total 9122.64 EUR due in 30 days', '2022-09-19'],
      ['Invoice INV-2022-3386 of 09 May 2024: total 7386.03 EUR due in 14 days', '2024-05-09'],
      ['Invoice INV-2024-1738 of 10 Aug 2025: total 689.42 EUR due in 30 days', '2025-08-10'],
    ] as const
    const fresh = 'Invoice INV-2019-4444 of 01 Feb 2020: total 12.00 EUR due in 14 days'
    expect(answers(rows, [fresh])).to.deep.equal(['2020-02-01'])
  })

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
