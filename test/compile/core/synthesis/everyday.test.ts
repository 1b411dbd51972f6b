import { expect } from 'chai'
import { answer } from './first-answer.ts'

describe('a program for everyday rows', () => {
  it('counts the items of a list that have a certain text', () => {
    const ticket = (status: string) => ({ status })
    const rows = (['oc', 'ooc', 'c', 'cco', 'oooc', 'o'] as const).map((letters) => {
      const tickets = Array.from(letters, (letter) => ticket(letter === 'o' ? 'open' : 'closed'))
      return [{ tickets }, tickets.filter(({ status }) => status === 'open').length] as const
    })
    expect(answer(rows, { tickets: ['open', 'open', 'closed', 'open', 'open', 'open'].map(ticket) })).to.equal(5)
  })

  it('adds the amounts of one kind', () => {
    const rows = [
      [
        ['in', 5],
        ['out', 2],
        ['in', 7],
      ],
      [
        ['out', 4],
        ['in', 1],
      ],
      [
        ['in', 3],
        ['in', 9],
        ['out', 8],
        ['out', 6],
      ],
      [
        ['out', 2],
        ['in', 11],
        ['out', 1],
      ],
    ].map((entries) => {
      const moves = entries.map(([kind = '', amount = 0]) => ({ kind, amount }))
      return [
        { moves },
        moves.reduce((sum, { kind, amount }) => sum + (kind === 'in' ? Number(amount) : 0), 0),
      ] as const
    })
    const moves = [
      { kind: 'in', amount: 20 },
      { kind: 'out', amount: 5 },
      { kind: 'in', amount: 30 },
    ]
    expect(answer(rows, { moves })).to.equal(50)
  })

  it('counts the numbers of a list from a limit on, and balances two kinds of entries', () => {
    const lists = [[48, 81, 38], [50, 72], [12, 49, 95, 60], [33], [88, 51, 54, 20, 47], [64, 70, 90]]
    const passed = lists.map((scores) => [{ scores }, scores.filter((score) => score >= 50).length] as const)
    expect(answer(passed, { scores: [10, 50, 51, 99, 45] })).to.equal(3)
    const accounts = ['+3-1', '-4+9+2', '+8', '-5-6+1', '+7-2+4'].map((text) => {
      const entries = Array.from(text.matchAll(/([+-])(\d)/g), ([, sign, digit]) => ({
        kind: sign === '+' ? 'credit' : 'debit',
        amount: Number(digit),
      }))
      const balance = entries.reduce((sum, { kind, amount }) => sum + (kind === 'credit' ? amount : -amount), 0)
      return [{ entries }, balance] as const
    })
    const entries = [
      { kind: 'debit', amount: 20 },
      { kind: 'credit', amount: 5 },
    ]
    expect(answer(accounts, { entries })).to.equal(-15)
  })

  it('takes the only row of a label for a limit', () => {
    const grade = (score: number) =>
      score >= 90 ? 'A' : score >= 80 ? 'B' : score >= 70 ? 'C' : score >= 60 ? 'D' : 'F'
    const scores = [64, 37, 68, 43, 54, 79, 80, 75, 57, 45, 33, 40, 72, 90, 31, 60, 52]
    const rows = scores.map((score) => [{ score }, grade(score)] as const)
    expect([99, 85, 61].map((score) => answer(rows, { score }))).to.deep.equal(['A', 'B', 'D'])
  })

  it('sorts tags once each, whatever their letter case', () => {
    const rows = [
      ['red, Blue, blue', ['blue', 'red']],
      ['Green', ['green']],
      ['gold, Red, red, gold', ['gold', 'red']],
      ['blue, green, Blue', ['blue', 'green']],
    ] as const
    expect(answer(rows, 'Silver, amber, silver')).to.deep.equal(['amber', 'silver'])
  })

  it('parts measured numbers by limits rather than listing them', () => {
    const widths = [0.2, 1.3, 0.3, 1.4, 0.2, 1.5, 0.4, 1.3, 0.3, 1.4, 0.4, 1.5]
    const rows = widths.map((width, at) => [{ width, at: `n${at}` }, width < 1 ? 'small' : 'wide'] as const)
    expect([0.1, 2.7].map((width) => answer(rows, { width, at: 'x' }))).to.deep.equal(['small', 'wide'])
  })

  it('puts the limit of an age where laws put it', () => {
    const ages = [12, 40, 14, 33, 11, 25, 70, 13, 21, 52, 10, 29]
    const rows = ages.map((age) => [{ age }, age >= 18 ? 'adult' : 'minor'] as const)
    expect([17, 18].map((age) => answer(rows, { age }))).to.deep.equal(['minor', 'adult'])
  })

  it('writes the last segment of an address as a title', () => {
    const rows = [
      ['https://shop.example.com/blog/new-summer-shoes', 'New Summer Shoes'],
      ['https://shop.example.com/p/tips', 'Tips'],
      ['https://shop.example.com/news/easy-travel', 'Easy Travel'],
      ['https://shop.example.com/p/cheap-tools-for-homes', 'Cheap Tools For Homes'],
    ] as const
    const input = 'https://shop.example.com/news/a-very-long-story-of-garden-tools'
    expect(answer(rows, input)).to.equal('A Very Long Story Of Garden Tools')
  })

  it('spells out letters that the rows do not show, as their language does', () => {
    const rows = [
      ['Müller', 'Mueller'],
      ['Jäger Straße', 'Jaeger Strasse'],
      ['Schulz', 'Schulz'],
      ['Größe', 'Groesse'],
    ] as const
    expect(answer(rows, 'Übungsgelände Ärmel')).to.equal('Uebungsgelaende Aermel')
  })

  it('cuts texts at the round one of two limits', () => {
    const rows = [
      ['alpha beta', 'alpha beta'],
      ['alpha beta gamma delta', 'alpha beta gamma ...'],
      ['zeta epsilon gamma beta alpha', 'zeta epsilon gamm...'],
      ['beta gamma delta', 'beta gamma delta'],
    ] as const
    expect(answer(rows, 'alpha delta epsilon')).to.equal('alpha delta epsilon')
  })

  it('copies a name from the text rather than choosing among the names that it saw', () => {
    const rows = (
      [
        ['Globex Ltd', 7],
        ['ACME GmbH', 12],
        ['ACME GmbH', 3],
        ['Globex Ltd', 41],
        ['Globex Ltd', 5],
        ['ACME GmbH', 19],
        ['Globex Ltd', 2],
        ['ACME GmbH', 8],
        ['ACME GmbH', 6],
        ['Globex Ltd', 11],
      ] as const
    ).map(([name, count]) => [`Invoice 4${count}\nBill to: ${name}\nItems: ${count}\n`, name] as const)
    expect(answer(rows, 'Invoice 418\nBill to: Initech LLC\nItems: 9\n')).to.equal('Initech LLC')
  })
})
