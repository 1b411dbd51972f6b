import { expect } from 'chai'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { compileProgram } from '../../../../core/compile/language/evaluate/evaluate.ts'
import { synthesize } from '../../../../core/compile/synthesis/synthesize.ts'
import { rowsOf } from '../rows/given-rows.ts'

/** Returns the answers of the first program for the rows to other inputs; null without one. */
function answers(rows: readonly (readonly [Json, Json])[], inputs: readonly Json[]): Json[] {
  const [best] = synthesize(rowsOf(rows), { k: 3, workBudget: 2_000_000 }).candidates
  const run = best === undefined ? undefined : compileProgram(best.program)
  return inputs.map((input) => run?.attempt(input) ?? null)
}

describe('a formula for rows of an office', () => {
  it('multiplies three numbers and a constant, rounded to cents', () => {
    const interest = (principal: number, rate: number, months: number) => ({ principal, rate, months })
    const rows = [
      [interest(1000, 3, 7), 17.5],
      [interest(2500, 4.5, 5), 46.88],
      [interest(800, 2, 11), 14.67],
      [interest(12_000, 1.5, 25), 375],
      [interest(400, 2.25, 13), 9.75],
      [interest(7300, 4, 2), 48.67],
    ] as const
    expect(answers(rows, [interest(3900, 4.5, 10), interest(100, 3, 12)])).to.deep.equal([146.25, 3])
  })

  it('turns three lengths of a text into a volume in another unit', () => {
    const rows = [
      ['50 x 190x30 cm', 0.285],
      ['120x80 x 100 cm', 0.96],
      ['40x30x20 cm', 0.024],
      ['200 x 150x10 cm', 0.3],
      ['60x60x60 cm', 0.216],
      ['110x20 x 240 cm', 0.528],
    ] as const
    expect(answers(rows, ['10 x 10x50 cm'])).to.deep.equal([0.005])
  })

  it('counts the workdays between two dates', () => {
    const leave = (from: string, to: string) => ({ from, to })
    const rows = [
      [leave('2025-03-03', '2025-03-14'), 10],
      [leave('2025-03-05', '2025-03-10'), 4],
      [leave('2025-03-08', '2025-03-09'), 0],
      [leave('2025-03-07', '2025-03-10'), 2],
      [leave('2024-12-20', '2025-01-06'), 12],
      [leave('2025-04-12', '2025-04-30'), 13],
    ] as const
    const others = [
      leave('2025-06-01', '2025-06-30'),
      leave('2025-06-06', '2025-06-06'),
      leave('2025-05-03', '2025-05-12'),
    ]
    expect(answers(rows, others)).to.deep.equal([21, 1, 6])
    const after = rows.map(([{ from, to }, both]) => {
      const isFirst = ![0, 6].includes(new Date(from).getUTCDay())
      return [leave(from, to), both - Number(isFirst)] as const
    })
    expect(answers(after, others)).to.deep.equal([21, 0, 6])
  })

  it('counts a letter or a word', () => {
    const days = [
      ['PPAPA', 2],
      ['PPPLP', 0],
      ['APPLAPPLAA', 4],
      ['LLAPP', 1],
    ] as const
    expect(answers(days, ['AAAPLAPPAA', 'PLPPL'])).to.deep.equal([6, 0])
    const lines = [
      ['error at 5, warn at 6, error at 9', 2],
      ['warn at 2', 0],
      ['error at 1, error at 3, error at 4, warn at 8', 3],
      ['error at 12', 1],
    ] as const
    expect(answers(lines, ['warn at 1, error at 2, ok at 3, error at 4, error at 5, error at 6'])).to.deep.equal([4])
  })

  it('rounds a weighted sum down with the weights that people choose', () => {
    const person = (years: number, disabled: boolean) => ({ years, disabled })
    const leaveDays = (years: number, disabled: boolean) => 25 + Math.floor(years / 5) + (disabled ? 5 : 0)
    const years = [0, 3, 4, 6, 8, 9, 12, 13, 17, 19, 22, 24, 27, 29]
    const rows = years.map((n, at) => [person(n, at % 3 === 0), leaveDays(n, at % 3 === 0)] as const)
    const others = [person(5, false), person(10, true), person(14, true), person(15, false), person(30, false)]
    expect(answers(rows, others)).to.deep.equal([26, 32, 32, 28, 31])
  })

  it('looks a code up by the letters that it begins with, whatever their case and the spaces around', () => {
    const chapters = { J: 'respiratory', I: 'circulatory', E: 'metabolic', F: 'mental' } as const
    const codes = [
      'J45.9',
      'i82',
      ' E11',
      'F32.1',
      'j03',
      'I10.0',
      'e66.9',
      'f41',
      'J12.2',
      'I50',
      ' E78',
      'F20',
      'j44.1',
      'i21.4',
    ]
    const rows = codes.map((code): [Json, Json] => {
      const [, letter = ''] = /([JIEF])/.exec(code.toUpperCase()) ?? []
      return [code, new Map<string, string>(Object.entries(chapters)).get(letter) ?? null]
    })
    expect(answers(rows, [' j99.9', 'f10', 'I63', 'E03.8 '])).to.deep.equal([
      'respiratory',
      'mental',
      'circulatory',
      'metabolic',
    ])
  })

  it('joins rewritten items by a word', () => {
    const rows = [
      ['Garcia, Ravi', 'Ravi Garcia'],
      ['Novak, Lena; Rossi, Hans', 'Lena Novak and Hans Rossi'],
      ['Kim, Emma; Brown, Tom; Silva, Luca', 'Emma Kim and Tom Brown and Luca Silva'],
      ['Weber, Greta; Popov, Omar', 'Greta Weber and Omar Popov'],
    ] as const
    expect(answers(rows, ['Meyer, Clara; Haddad, Noah; Tanaka, Yuki'])).to.deep.equal([
      'Clara Meyer and Noah Haddad and Yuki Tanaka',
    ])
  })

  it('multiplies a number by itself, and by one at a constant distance', () => {
    const handshakes = [4, 7, 9, 15, 22].map((people) => [people, (people * (people - 1)) / 2] as const)
    expect(answers(handshakes, [3, 100])).to.deep.equal([3, 4950])
    const tiles = [2, 5, 6, 11].map((side) => [`${side} rows`, `${side * side + 2 * side} tiles`] as const)
    expect(answers(tiles, ['30 rows'])).to.deep.equal(['960 tiles'])
    const circles = [1, 2.5, 4, 7, 11].map(
      (radius) => [radius, Math.round(Math.PI * radius * radius * 100) / 100] as const,
    )
    expect(answers(circles, [3, 9.5])).to.deep.equal([28.27, 283.53])
    const fall = [1, 2, 3, 5].map((seconds) => [{ seconds }, 4.9 * seconds * seconds] as const)
    expect(answers(fall, [{ seconds: 10 }])).to.deep.equal([490])
  })

  it('finds a line of which every value was rounded', () => {
    const degrees = [21.7, -3.4, 36.6, 100, 8.3, 54.9, 71.2, 15.5].map(
      (celsius) => [celsius, Math.round((celsius * 1.8 + 32) * 10) / 10] as const,
    )
    expect(answers(degrees, [53.7, 91.7, -40])).to.deep.equal([128.7, 197.1, -40])
    const fares = [3.1, 12.4, 7.7, 20.2, 1.6, 9.9].map((km) => [{ km }, Math.ceil(3.5 + km * 2)] as const)
    expect(answers(fares, [{ km: 5.3 }, { km: 30 }])).to.deep.equal([15, 64])
  })

  it('finds degrees of another scale in whole degrees', () => {
    const celsius = (fahrenheit: number) => Math.round((fahrenheit - 32) / 1.8)
    const degrees = [50, 68, 77, 14, 99, 212].map((fahrenheit) => [fahrenheit, celsius(fahrenheit)] as const)
    const others = [451, -40, 0, 1000]
    expect(answers(degrees, others)).to.deep.equal(others.map(celsius))
  })

  it('weighs marks by quarters rather than by the hundredths that fit as well', () => {
    const marks = [
      [6, 4, 5],
      [3, 2, 2],
      [1, 3, 6],
      [5, 5, 2],
      [2, 6, 1],
      [4, 1, 1],
      [3, 6, 4],
      [2, 2, 3],
      [6, 1, 3],
      [1, 1, 2],
    ] as const
    const mean = ([oral, first, second]: readonly [number, number, number]) =>
      (Math.round((2 * oral + first + second) * 2.5) / 10).toFixed(1)
    const row = (own: readonly [number, number, number]) => ({ oral: own[0], first: own[1], second: own[2] })
    const others = [
      [2, 6, 5],
      [6, 4, 3],
      [1, 6, 6],
    ] as const
    expect(
      answers(
        marks.map((own) => [row(own), mean(own)] as const),
        others.map(row),
      ),
    ).to.deep.equal(others.map(mean))
  })
})
