import { expect } from 'chai'
import { answer } from './first-answer.ts'

describe('labels of lines, orders of lists, letters one by one', () => {
  it('prefers a mark of the text to a limit of a number in it', () => {
    const gates = [
      ['Gate 7+', 'priority'],
      ['Gate 21', 'normal'],
      ['Gate 3+', 'priority'],
      ['Gate 14', 'normal'],
      ['Gate 9+', 'priority'],
      ['Gate 38', 'normal'],
      ['Gate 5+', 'priority'],
      ['Gate 27', 'normal'],
      ['Gate 2+', 'priority'],
      ['Gate 19', 'normal'],
    ] as const
    expect(answer(gates, 'Gate 4')).to.equal('normal')
    expect(answer(gates, 'Gate 33+')).to.equal('priority')
  })

  it('prefers the first word of a text to a limit of a number in it', () => {
    const parcels = [
      ['Locker 4410', 'pickup'],
      ['12 Pine Road', 'delivery'],
      ['Locker 7302', 'pickup'],
      ['260 Lake View', 'delivery'],
      ['Locker 1875', 'pickup'],
      ['94 Station Way', 'delivery'],
      ['Locker 9120', 'pickup'],
      ['31 Abbey Close', 'delivery'],
      ['Locker 2066', 'pickup'],
    ] as const
    expect(answer(parcels, 'Locker 17')).to.equal('pickup')
    expect(answer(parcels, '4100 Ocean Drive')).to.equal('delivery')
  })

  it('prefers the limit of an amount to the marks inside it', () => {
    const amounts = [
      ['$1,250.00', 'high'],
      ['$84.10', 'low'],
      ['$2,980.50', 'high'],
      ['$310.00', 'low'],
      ['$1,999.99', 'high'],
      ['$45.25', 'low'],
      ['$7,420.00', 'high'],
      ['$612.40', 'low'],
      ['$1,075.00', 'high'],
      ['$120.00', 'low'],
    ] as const
    expect(['$5000', '$950.00', '$12,000.00'].map((amount) => answer(amounts, amount))).to.deep.equal([
      'high',
      'low',
      'high',
    ])
  })

  it('takes doubles out of a text with a list and sorts the rest', () => {
    const rows = [
      ['tin; oak; tin; elm', 'elm; oak; tin'],
      ['fir; ash', 'ash; fir'],
      ['yew; yew; box; ash; box', 'ash; box; yew'],
      ['oak; elm; oak', 'elm; oak'],
    ] as const
    expect(answer(rows, 'pine; fir; pine; ash')).to.equal('ash; fir; pine')
  })

  it('orders texts by their length', () => {
    const lists = [
      ['pear', 'fig', 'banana'],
      ['kiwi', 'apricot', 'lime', 'plum'],
      ['cherry', 'date'],
      ['papaya', 'grape', 'nectarine', 'fig', 'melon'],
    ]
    const sorted = lists.map((list) => [list, list.toSorted((a, b) => a.length - b.length)] as const)
    expect(answer(sorted, ['quince', 'pomelo', 'lime', 'orange'])).to.deep.equal(['lime', 'quince', 'pomelo', 'orange'])
    const longest = lists.map(
      (list) => [list.join(' '), list.toSorted((a, b) => b.length - a.length).join(' ')] as const,
    )
    expect(answer(longest, 'quince lime apricot')).to.equal('apricot quince lime')
  })

  it('sorts the rest of the fourth list of words of a record', () => {
    const words = 'pear fig kiwi lime plum date melon apricot quince orange'.split(' ')
    const parts = ['north', 'east', 'south', 'west']
    const rows = [0, 3, 7, 4, 8, 1].map((from) => {
      const record = Object.fromEntries(
        parts.map((part, at) => [part, [4, 0, 3, 6, 1].map((step) => words[(from + step * (at + 2)) % 10] ?? '')]),
      )
      return [record, record['west']?.slice(1).toSorted() ?? []] as const
    })
    const lists = { north: ['fig'], east: ['pear'], south: ['kiwi', 'fig'], west: ['plum', 'lime', 'pear', 'date'] }
    expect(answer(rows, lists)).to.deep.equal(['date', 'lime', 'pear'])
  })

  it('takes the second largest and the second smallest number of a list', () => {
    const lists = [
      [14, 3, 58, 21],
      [7, 90, 33],
      [61, 62, 5, 18, 44],
      [29, 11, 16, 80],
      [52, 47],
    ]
    const next = [9, 71, 35, 12, 70]
    const rank = (at: number) => lists.map((list) => [list, list.toSorted((a, b) => a - b).at(at) ?? 0] as const)
    expect(answer(rank(-2), next)).to.equal(70)
    expect(answer(rank(1), next)).to.equal(12)
  })

  it('replaces characters by a table that the rows show', () => {
    const knots = [
      ['udlr', 'durl'],
      ['rrud', 'lldu'],
      ['ludd', 'rduu'],
    ] as const
    expect(answer(knots, 'lrlud')).to.equal('rlrdu')
    expect(answer(knots, 'ux')).to.equal(null)
    const marks = [
      ['coffee: 3, tea', 'c_ff__: 3, t__'],
      ['juice', 'j__c_'],
      ['apple, pear', '_ppl_, p__r'],
    ] as const
    expect(answer(marks, 'buttermilk')).to.equal('b_tt_rm_lk')
    const plates = [
      ['SOIL 10', '501L 10'],
      ['OASIS 3', '0A515 3'],
      ['BOSS', 'B055'],
      ['MISO 7', 'M150 7'],
    ] as const
    expect(answer(plates, 'PISTOLS 4')).to.equal('P15T0L5 4')
  })

  it('changes the case of letters that the rows do not show, beside a replaced mark', () => {
    const names = 'max retry count,base page size,user home dir,open file limit,log level name,cache hit ratio'.split(
      ',',
    )
    const constants = names.map((name) => [name, name.toUpperCase().replaceAll(' ', '_')] as const)
    expect(answer(constants, 'zip job queue')).to.equal('ZIP_JOB_QUEUE')
    const slugs = constants.map(([name, constant]) => [constant, name.replaceAll(' ', '-')] as const)
    expect(answer(slugs, 'ZIP_JOB_QUEUE')).to.equal('zip-job-queue')
  })

  it('takes two letters for labels where they equal a count of the row by chance', () => {
    const rows = [
      [{ items: ['mug'], fragile: false }, 'shelf A'],
      [{ items: ['vase', 'bowl'], fragile: true }, 'shelf B'],
      [{ items: ['sock'], fragile: false }, 'shelf A'],
      [{ items: ['glass', 'jar'], fragile: true }, 'shelf B'],
      [{ items: ['lamp', 'cup'], fragile: true }, 'shelf B'],
      [{ items: ['rug'], fragile: false }, 'shelf A'],
      [{ items: ['hat'], fragile: false }, 'shelf A'],
    ] as const
    expect(answer(rows, { items: ['plate', 'cup', 'dish'], fragile: true })).to.equal('shelf B')
    const wings = [1, 2, 2, 1, 2].map((wing) => [{ wing, room: wing * 10 + 3 }, `wing ${'AB'[wing - 1]}`] as const)
    expect(answer(wings, { wing: 3, room: 9 })).to.equal('wing C')
  })

  it('counts letters by their place in the alphabet', () => {
    const seats = [
      ['C14', { row: 3, seat: 14 }],
      ['H2', { row: 8, seat: 2 }],
      ['A31', { row: 1, seat: 31 }],
      ['M7', { row: 13, seat: 7 }],
    ] as const
    expect(answer(seats, 'T9')).to.deep.equal({ row: 20, seat: 9 })
    expect(answer(seats, 'AB9')).to.equal(null)
    const columns = [
      [{ line: 4, column: 2 }, 'B4'],
      [{ line: 11, column: 7 }, 'G11'],
      [{ line: 90, column: 1 }, 'A90'],
      [{ line: 3, column: 16 }, 'P3'],
    ] as const
    expect(answer(columns, { line: 8, column: 26 })).to.equal('Z8')
    expect(answer(columns, { line: 8, column: 27 })).to.equal(null)
  })

  it('reads a month and a year where the short name is also a weekday of another language', () => {
    const months = [
      ['Jun 2021', '2021-06'],
      ['Nov 2019', '2019-11'],
      ['Apr 2024', '2024-04'],
      ['Jan 2023', '2023-01'],
    ] as const
    expect(answer(months, 'Mar 2020')).to.equal('2020-03')
    expect(answer(months, 'Oct 2022')).to.equal('2022-10')
  })

  it('splits the part in brackets into a list, where some texts have none', () => {
    const cards = [
      ['Moss, Ira <ira.moss@mail.example> [night; vip]', ['night', 'vip']],
      ['Reed, Ana <ana.reed@mail.example>', []],
      ['Holt, Ben <ben.holt@mail.example> tel 55 [press]', ['press']],
      ['Kerr, Ivo <ivo.kerr@mail.example> tel 18 [new client; vip; press]', ['new client', 'vip', 'press']],
      ['Lind, Eva <eva.lind@mail.example>', []],
      ['Voss, Tom <tom.voss@mail.example> [vip; night]', ['vip', 'night']],
      ['Dahl, Kim <kim.dahl@mail.example> tel 70 [new client]', ['new client']],
    ] as const
    expect(answer(cards, 'Berg, Ulf <ulf.berg@mail.example> [a; b c; d; e]')).to.deep.equal(['a', 'b c', 'd', 'e'])
    expect(answer(cards, 'Roth, Pia <pia.roth@mail.example> tel 9')).to.deep.equal([])
  })

  it('splits the part of a text after a label into a list', () => {
    const lines = [
      ['Ida; skills: go, visual basic; since 2003', ['go', 'visual basic']],
      ['Jon; skills: sql; since 2014', ['sql']],
      ['Kai; skills: java, go, object pascal; since 2009', ['java', 'go', 'object pascal']],
      ['Lea; skills: visual basic, sql; since 2021', ['visual basic', 'sql']],
    ] as const
    expect(answer(lines, 'Max; skills: rust, go, c, sql; since 1999')).to.deep.equal(['rust', 'go', 'c', 'sql'])
  })
})
