import { expect } from 'chai'
import { answer } from './first-answer.ts'

describe('values of office rows', () => {
  it('takes the remainder by any number that the rows determine', () => {
    const rows = [482913, 70214, 995031, 38877, 610248, 127].map((number) => [number, number % 97] as const)
    expect(answer(rows, 730_551)).to.equal(730_551 % 97)
  })

  it('cuts a text into parts of one length', () => {
    const grouped = (text: string) => text.match(/.{1,4}/g)?.join(' ') ?? ''
    const accounts = [
      'DE89370400440532013000',
      'NL91ABNA0417164300',
      'AT611904300234573201',
      'BE68539007547034',
      'FR7630006000011234567890189',
    ]
    const rows = accounts.map((account) => [account, grouped(account)] as const)
    expect(answer(rows, 'CH9300762011623852957')).to.equal('CH93 0076 2011 6238 5295 7')
    const lists = rows.map(([account, text]) => [account, text.split(' ')] as const)
    expect(answer(lists, 'GB29NWBK60161331926819')).to.deep.equal(['GB29', 'NWBK', '6016', '1331', '9268', '19'])
  })

  it('takes the median, and the mean of the middle two of an even number', () => {
    const lists = [
      [31, 4, 17],
      [8, 90, 55, 21],
      [12, 3, 77, 40, 26],
      [60, 2],
      [5, 19, 33, 81, 7, 64],
    ]
    const median = (list: readonly number[]) => {
      const sorted = list.toSorted((a, b) => a - b)
      const [low = 0, high = 0] = [sorted[(list.length - 1) >> 1], sorted[list.length >> 1]]
      return (low + high) / 2
    }
    const rows = lists.map((list) => [list, median(list)] as const)
    expect(
      [
        [9, 1, 100],
        [10, 20, 1, 99],
      ].map((list) => answer(rows, list)),
    ).to.deep.equal([9, 15])
  })

  it('does not take a decimal point for a separator', () => {
    const rows = [
      ['120V', '120 V'],
      ['36  kg', '36 kg'],
      ['1.5  kg', '1.5 kg'],
      ['2.7 cm', '2.7 cm'],
      ['400 V', '400 V'],
      ['55 V', '55 V'],
      ['60V', '60 V'],
      ['3.9 cm', '3.9 cm'],
    ] as const
    expect(answer(rows, '8.4kg')).to.equal('8.4 kg')
  })

  it('covers a word with as many marks as it has letters', () => {
    const rows = ['Nora Jensen', 'Piotr Lis', 'Amelie Fontaine', 'Rui Alves', 'Dana Whitfield'].map((name) => {
      const [first = '', last = ''] = name.split(' ')
      return [name, `${first} ${last.charAt(0)}${'*'.repeat(last.length - 1)}`] as const
    })
    expect(answer(rows, 'Theodora Ek')).to.equal('Theodora E*')
  })
})
