import { expect } from 'chai'
import { answer } from './first-answer.ts'

describe('rows of spreadsheets and records', () => {
  it('writes the word that a code stands for inside a text, and has no answer for a code that no row shows', () => {
    const rows = [
      ['63E', '63 degrees east'],
      ['69S', '69 degrees south'],
      ['45N', '45 degrees north'],
      ['32E', '32 degrees east'],
      ['53S', '53 degrees south'],
      ['58N', '58 degrees north'],
    ] as const
    expect(answer(rows, '17N')).to.equal('17 degrees north')
    expect(answer(rows, '36W')).to.equal(null)
  })

  it('writes the words that a code stands for, several of them too', () => {
    const rows = [
      ['NZ71', 'New Zealand team 71'],
      ['SA15', 'South Africa team 15'],
      ['FJ8', 'Fiji team 8'],
      ['SA33', 'South Africa team 33'],
      ['FJ40', 'Fiji team 40'],
      ['NZ26', 'New Zealand team 26'],
    ] as const
    expect(answer(rows, 'SA9')).to.equal('South Africa team 9')
    expect(answer(rows, 'PE9')).to.equal(null)
  })

  it('puts the first letters of several members together, in capitals', () => {
    const rows = [
      [{ maker: 'Bosch', kind: 'drill', year: 2019 }, 'BOS/DR19'],
      [{ maker: 'Makita', kind: 'grinder', year: 2022 }, 'MAK/GR22'],
      [{ maker: 'Festool', kind: 'saw', year: 2017 }, 'FES/SA17'],
      [{ maker: 'Hilti', kind: 'mixer', year: 2024 }, 'HIL/MI24'],
    ] as const
    expect(answer(rows, { maker: 'Metabo', kind: 'planer', year: 2018 })).to.equal('MET/PL18')
    expect(
      answer(
        rows.map(([{ maker, kind }, code]) => [`${maker} ${kind}`, code.slice(0, 6)] as const),
        'Metabo planer',
      ),
    ).to.equal('MET/PL')
  })

  it('copies a name into the answer of the only row without a place', () => {
    const rows = [
      [{ guest: 'Nora', table: 'window' }, 'Nora, at window'],
      [{ guest: 'Ravi' }, 'Ravi, anywhere'],
      [{ guest: 'Bea', table: 'corner' }, 'Bea, at corner'],
      [{ guest: 'Sten', table: 'terrace' }, 'Sten, at terrace'],
      [{ guest: 'Inga', table: 'bar' }, 'Inga, at bar'],
    ] as const
    expect(answer(rows, { guest: 'Oskar' })).to.equal('Oskar, anywhere')
  })

  it('lists a member of records in the order of another one', () => {
    const offers = [
      { lamp: 90, chair: 40, mug: 7 },
      { cable: 12, clock: 55 },
      { bottle: 18, stand: 66, lamp: 31, pen: 2 },
      { case: 25, tape: 9, chair: 14 },
    ].map((prices) => Object.entries(prices).map(([name, price]) => ({ name, price })))
    const sorted = (list: readonly { name: string; price: number }[], sign: 1 | -1) =>
      list.toSorted((a, b) => sign * (a.price - b.price)).map(({ name }) => name)
    const next = [
      { name: 'desk', price: 300 },
      { name: 'ink', price: 20 },
      { name: 'mouse', price: 45 },
    ]
    expect(
      answer(
        offers.map((list) => [list, sorted(list, 1)] as const),
        next,
      ),
    ).to.deep.equal(['ink', 'mouse', 'desk'])
    expect(
      answer(
        offers.map((list) => [list, sorted(list, -1).join(' > ')] as const),
        next,
      ),
    ).to.equal('desk > mouse > ink')
  })

  it('takes the first and the last of several texts in their order', () => {
    const days = [
      ['2024-03-02', '2022-11-30', '2025-01-01'],
      ['2021-07-09', '2021-07-08'],
      ['2019-05-05', '2023-12-24', '2018-02-28', '2020-06-17'],
      ['2026-01-31', '2026-02-01'],
    ]
    const next = ['2020-02-02', '2019-09-09', '2024-04-04', '2019-08-01', '2023-03-03']
    expect(
      answer(
        days.map((list) => [list, list.toSorted()[0] ?? ''] as const),
        next,
      ),
    ).to.equal('2019-08-01')
    expect(
      answer(
        days.map((list) => [{ visits: list }, list.toSorted().at(-1) ?? ''] as const),
        { visits: next },
      ),
    ).to.equal('2024-04-04')
  })

  it('reads the serial number of a day', () => {
    const rows = [
      [45292, '2024-01-01'],
      [43831, '2020-01-01'],
      [45046, '2023-04-30'],
      [44620, '2022-02-28'],
    ] as const
    expect(answer(rows, 45351)).to.equal('2024-02-29')
  })

  it('counts the numbers of a list beyond another number', () => {
    const rows = [
      { scores: [70, 56, 11, 91], mine: 91 },
      { scores: [26, 74, 66, 36], mine: 66 },
      { scores: [63, 49, 4, 11], mine: 4 },
      { scores: [97, 10, 89, 82, 55], mine: 82 },
      { scores: [33, 38], mine: 38 },
    ].map((input) => [input, input.scores.filter((score) => score > input.mine).length + 1] as const)
    expect(answer(rows, { scores: [5, 80, 61, 40, 77, 12], mine: 61 })).to.equal(3)
  })

  it('compounds a growth over so many periods', () => {
    const grown = ({ principal, years }: { principal: number; years: number }) =>
      Math.round(principal * 1.05 ** years * 100) / 100
    const rows = [
      { principal: 1000, years: 2 },
      { principal: 2500, years: 1 },
      { principal: 700, years: 5 },
      { principal: 4200, years: 3 },
      { principal: 8800, years: 4 },
    ].map((input) => [input, grown(input)] as const)
    expect(answer(rows, { principal: 3000, years: 6 })).to.equal(4020.29)
    const rated = ({ amount, percent, months }: { amount: number; percent: number; months: number }) =>
      Math.round(amount * (1 + percent / 100) ** months * 100) / 100
    const byRate = [
      { amount: 500, percent: 2, months: 3 },
      { amount: 1200, percent: 4, months: 2 },
      { amount: 90, percent: 10, months: 5 },
      { amount: 3300, percent: 3, months: 1 },
      { amount: 760, percent: 5, months: 4 },
    ].map((input) => [input, rated(input)] as const)
    expect(answer(byRate, { amount: 2000, percent: 6, months: 2 })).to.equal(2247.2)
  })

  it('divides by the same unit as the remainder', () => {
    const rows = [157, 158, 85, 177, 122, 99, 128, 172].map(
      (hours) => [hours, `${Math.floor(hours / 24)}d ${hours % 24}h`] as const,
    )
    expect(answer(rows, 215)).to.equal('8d 23h')
  })

  it('takes the factor of a conversion as exactly as the rows allow', () => {
    const rows = [96, 301, 355, 143, 295, 199].map((km) => [km, `${(km * 0.621371).toFixed(1)} mi`] as const)
    expect(answer(rows, 339)).to.equal('210.6 mi')
  })

  it('takes the largest divisor that all shown multiples have', () => {
    const years = [1961, 1912, 1929, 1940, 1928, 1931, 1932]
    const rows = years.map((year) => [year, year % 4 === 0] as const)
    expect([answer(rows, 1994), answer(rows, 1996)]).to.deep.equal([false, true])
  })

  it('puts the article of a word by its first letter', () => {
    const rows = [
      ['jacket', 'a jacket'],
      ['umbrella', 'an umbrella'],
      ['pencil', 'a pencil'],
      ['ink', 'an ink'],
      ['orange', 'an orange'],
      ['table', 'a table'],
    ] as const
    expect([answer(rows, 'egg'), answer(rows, 'finger'), answer(rows, 'apple')]).to.deep.equal([
      'an egg',
      'a finger',
      'an apple',
    ])
  })

  it('draws bars of which one kind may be missing', () => {
    const bar = (n: number) => `${'★'.repeat(n)}${'☆'.repeat(5 - n)}`
    const rows = [3, 5, 1, 4, 0].map((stars) => [{ stars }, bar(stars)] as const)
    expect(answer(rows, { stars: 2 })).to.equal('★★☆☆☆')
  })

  it('writes an amount with two decimals where every row has two', () => {
    const rows = [12.95, 740.54, 50.66, 227.83].map((amount) => [{ amount }, `$${amount}`] as const)
    expect(answer(rows, { amount: 99.5 })).to.equal('$99.50')
  })

  it('reads no amount of money in a code', () => {
    const rows = [
      ['B38637', 'Books'],
      ['C51120', 'Clothing'],
      ['A50973', 'Audio'],
      ['B61233', 'Books'],
      ['A20418', 'Audio'],
      ['C18845', 'Clothing'],
    ] as const
    expect([answer(rows, 'B90001'), answer(rows, 'A77310'), answer(rows, 'C40000')]).to.deep.equal([
      'Books',
      'Audio',
      'Clothing',
    ])
  })

  it('puts the ending of several by the count that is written', () => {
    const rows = [
      ['2019-04-24 - 2019-04-25', '1 night'],
      ['2023-02-27 - 2023-03-03', '4 nights'],
      ['2019-07-25 - 2019-07-26', '1 night'],
      ['2022-10-31 - 2022-11-13', '13 nights'],
    ] as const
    expect(answer(rows, '2018-01-09 - 2018-01-23')).to.equal('14 nights')
  })
})
