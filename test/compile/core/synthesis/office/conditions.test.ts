import { expect } from 'chai'
import { closedBranches } from '../../../../../core/compile/synthesis/conditions/closed-branches.ts'
import { compileProgram } from '../../../../../core/compile/language/evaluate/evaluate.ts'
import { LANGUAGE_2 } from '../../../../../core/compile/language/names.ts'
import { synthesize } from '../../../../../core/compile/synthesis/synthesize.ts'
import { rowsOf } from '../../rows/given-rows.ts'
import { answer } from '../first-answer.ts'

const SIZED =
  'Hat/S/red Shirt/L/blue Sock/XL/red Shirt/S/green Hat/L/red Sock/S/blue Shirt/XL/green Hat/XL/blue Sock/L/red Shirt/S/blue'
    .split(' ')
    .map((item) => {
      const [kind = '', size = ''] = item.split('/')
      return [item, kind.toLowerCase(), size] as const
    })

/** Returns the answers of the first program, its branches closed where it has some. */
function closedAnswers(pairs: readonly (readonly [string, string])[], others: readonly string[]): unknown[] {
  const [best] = synthesize(rowsOf(pairs), { k: 1, workBudget: 2_000_000 }).candidates
  if (best === undefined) return []
  const closed = closedBranches(
    best.program.body,
    pairs.map(([input]) => input),
  )
  const run = compileProgram({ language: LANGUAGE_2, body: closed ?? best.program.body })
  return others.map((item) => run.attempt(item))
}

describe('conditions of office rows', () => {
  it('puts a limit between the rows that reach its condition', () => {
    const fee = (zone: string, order: number) => (zone === 'abroad' ? 12.5 : order >= 100 ? 0 : 4.5)
    const orders = [
      ['abroad', 41.2],
      ['home', 133.6],
      ['abroad', 62.7],
      ['home', 36.4],
      ['abroad', 107.3],
      ['home', 148.9],
      ['abroad', 155.1],
      ['abroad', 38.5],
    ] as const
    const rows = orders.map(([zone, order]) => [{ zone, order }, fee(zone, order)] as const)
    expect([70, 99, 101].map((order) => answer(rows, { zone: 'home', order }))).to.deep.equal([4.5, 4.5, 0])
  })

  it('takes for a limit of lengths and counts the least that is shown above it', () => {
    const words = ['a', 'ab', 'abc', 'abcd', 'abcde', 'abcdef', 'abcdefgh', 'abcdefghi', 'abcdefghij', 'abcdefghijk']
    const lengths = words.map((word) => [word, word.length >= 8 ? 'ok' : 'too short'] as const)
    expect(answer(lengths, 'abcdefg')).to.equal('too short')
  })

  it('gives each label a range of one number before it mixes conditions on several', () => {
    const part = (hour: number) => (hour < 6 ? 'night' : hour < 12 ? 'morning' : hour < 18 ? 'afternoon' : 'evening')
    const times = '14:07 12:17 02:43 04:28 16:34 19:28 16:42 17:29 02:51 11:54 21:36 00:46 11:25 15:26'.split(' ')
    const rows = times.map((time) => [time, part(Number(time.slice(0, 2)))] as const)
    expect(['20:47', '10:05', '18:00'].map((time) => answer(rows, time))).to.deep.equal([
      'evening',
      'morning',
      'evening',
    ])
  })

  it('lets a range of months go on in the next year', () => {
    const seasons = ['winter', 'spring', 'summer', 'autumn']
    const season = (date: string) => seasons[Math.floor((Number(date.slice(5, 7)) % 12) / 3)] ?? ''
    const dates =
      '2019-07-19 2020-12-08 2024-03-09 2021-02-07 2020-09-11 2023-03-27 2022-03-22 2022-12-06 2016-05-18 2024-04-22 2024-01-17 2022-05-02 2018-10-14 2023-11-28'
    const rows = dates.split(' ').map((date) => [date, season(date)] as const)
    expect(['2019-01-29', '2024-12-24', '2019-09-29'].map((date) => answer(rows, date))).to.deep.equal([
      'winter',
      'winter',
      'autumn',
    ])
  })

  it('tells codes by their shape', () => {
    const codes =
      'KT402918 PL118743 83920174 ABX203944 C449021 LM770215 QR501336 D20417 ZZZ10 XV664120 19203847 GH903551'
    const rows = codes.split(' ').map((code) => [code, /^[A-Z]{2}\d{6}$/.test(code)] as const)
    expect(['NB123456', 'NBC12345', 'N123456', 'NB1234567'].map((code) => answer(rows, code))).to.deep.equal([
      true,
      false,
      false,
      false,
    ])
  })

  it('looks for short words in their place, and answers no category that the rows do not show', () => {
    const names = { S: 'Small', L: 'Large', XL: 'Extra large' }
    const pairs = SIZED.map(([item, kind, size]) => {
      return [item, `${Object.entries(names).find(([key]) => key === size)?.[1]} ${kind}`] as const
    })
    expect(closedAnswers(pairs, ['Shirt/S/red', 'Sock/L/blue', 'Shirt/M/red'])).to.deep.equal([
      'Small shirt',
      'Large sock',
      undefined,
    ])
  })

  it('answers no category that the rows do not show where each has words in other places', () => {
    const names = new Map([
      ['S', (kind: string) => `Small ${kind}`],
      ['L', (kind: string) => `Large ${kind}`],
      ['XL', (kind: string) => `${kind}, extra large`],
    ])
    const pairs = SIZED.map(([item, kind, size]) => [item, names.get(size)?.(kind) ?? ''] as const)
    expect(closedAnswers(pairs, ['Shirt/S/red', 'Sock/L/blue', 'Hat/XL/red', 'Shirt/M/red'])).to.deep.equal([
      'Small shirt',
      'Large sock',
      'hat, extra large',
      undefined,
    ])
  })

  it('finds the rule of the rows with numbers beside rows with a word', () => {
    const rows = (
      [
        [45, 180],
        [150, 120],
        [12, 160],
        [99, 180],
        [70, 60],
        [26, 160],
        [240, 120],
        [33, 90],
        [190, 60],
        [31, 120],
      ] as const
    ).map(([used, limit]) => [{ used, limit }, used > limit ? 'over' : `${Math.floor((used * 100) / limit)}%`] as const)
    expect([17, 119, 121].map((used) => answer(rows, { used, limit: 120 }))).to.deep.equal(['14%', '99%', 'over'])
  })

  it('reads numbers where one row has none', () => {
    const phones =
      '415-238-9176|(212) 640-3318|n/a|3058217740|1-617-555-0182|702 934 1265|1-503-228-4471|206.781.5590|(917) 402-8836|1-312-664-2075|844 190 3327|1-408-973-1154|8085521940|619-285-7703'
    const rows = phones.split('|').map((phone) => {
      const digits = phone.replace(/\D/g, '').slice(-10)
      return [phone, digits === '' ? '' : digits.replace(/(...)(...)/, '$1-$2-')] as const
    })
    expect(['5128840917', '1-646-300-2218'].map((phone) => answer(rows, phone))).to.deep.equal([
      '512-884-0917',
      '646-300-2218',
    ])
  })

  it('tells words by their last letters', () => {
    const plural = (word: string) => (word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`)
    const words = ['copy', 'lamp', 'entry', 'reply', 'pen', 'form', 'query', 'desk', 'folder', 'party']
    const rows = words.map((word) => [word, plural(word)] as const)
    expect(['category', 'chair'].map((word) => answer(rows, word))).to.deep.equal(['categories', 'chairs'])
  })

  it('compares a value with both ends of a range that a text writes', () => {
    const judged = (value: number, low: number, high: number) =>
      [{ value, range: `${low}-${high}` }, value < low ? 'low' : value > high ? 'high' : 'normal'] as const
    const rows = [
      judged(40.7, 23.5, 58.6),
      judged(40.3, 28.7, 35.4),
      judged(18.5, 18.7, 35.9),
      judged(27.2, 19.4, 38.2),
      judged(32.8, 8.8, 32.1),
      judged(24.4, 17.3, 23.5),
      judged(13.1, 1.2, 13.9),
      judged(47.8, 44.8, 64.8),
      judged(54.1, 38.9, 44.4),
      judged(5.5, 16.1, 28.3),
      judged(22.1, 35.1, 46.1),
      judged(17.5, 31.9, 38.2),
      judged(45.7, 23.7, 33.8),
      judged(72.5, 47.3, 78.1),
      judged(34.5, 38.5, 55.4),
      judged(23.8, 12.1, 45.4),
    ]
    const others = [judged(59.6, 38.4, 52.5), judged(61.2, 70.3, 85.9), judged(9.1, 2.6, 30.2)]
    for (const [input, output] of others) expect(answer(rows, input)).to.equal(output)
  })

  it('compares two scores of which one may be zero', () => {
    const result = (home: number, away: number) =>
      [`${home}-${away}`, home > away ? 'home' : home < away ? 'away' : 'draw'] as const
    const rows = [
      result(3, 1),
      result(0, 2),
      result(2, 2),
      result(4, 0),
      result(1, 3),
      result(1, 1),
      result(2, 0),
      result(0, 1),
    ]
    expect(answer(rows, '0-0')).to.equal('draw')
  })
})
