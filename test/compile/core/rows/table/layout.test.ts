import { expect } from 'chai'
import type { TableMapping } from '../../../../../core/compile/rows/table/mapping.ts'
import { examplesFrom, fails } from '../intake/given-intake.ts'

const PEOPLE = ['Ada Lovelace,A. L.', 'Alan Turing,A. T.', 'Grace Hopper,G. H.', 'Kurt Goedel,K. G.']
const PAIRS = PEOPLE.map((row) => row.split(','))

const pairsOf = async (lines: readonly string[], mapping: TableMapping = {}) =>
  (await examplesFrom(`${lines.join('\n')}\n`, mapping)).flatMap((example) =>
    example.kind === 'positive' ? [[example.row.input, example.row.output]] : [],
  )

describe('a table in a file', () => {
  it('begins below a title, whether or not the title is padded to its width', async () => {
    for (const titles of [
      ['Contact list 2026', ''],
      ['Contact list 2026,', ','],
      ['Contact list 2026,', 'Printed on 1 November,'],
      ['"sep=;"'],
    ]) {
      expect(await pairsOf([...titles, 'name,short', ...PEOPLE]), titles.join('|')).to.deep.equal(PAIRS)
    }
    expect(await pairsOf(['Contact list', 'name,short', ...PEOPLE], { header: true })).to.deep.equal(PAIRS)
  })

  it('begins below more titles than it has rows, also with a note at its end', async () => {
    const titles = ['Contact list', 'Printed on 1 November', 'Office of Bath', 'Page 1', 'Draft', 'All names']
    for (const notes of [[], ['Source: the office']]) {
      const lines = [...titles, 'name,short', ...PEOPLE, ...notes]
      expect((await pairsOf(lines, { ragged: 'skip' })).slice(0, PAIRS.length), notes.join()).to.deep.equal(PAIRS)
    }
    // With a subtotal, or a row of another length, inside of it.
    for (const inside of ['Subtotal', 'Linus Torvalds,L. T.,x']) {
      const lines = [...titles, 'name,short', ...PEOPLE.slice(0, 2), inside, ...PEOPLE.slice(2), 'Thanks']
      expect((await pairsOf(lines, { ragged: 'skip' })).slice(0, PAIRS.length), inside).to.deep.equal(PAIRS)
    }
  })

  it('begins at its first row where the rows above may be rows of it', async () => {
    expect(await pairsOf(['Linus Torvalds,', 'Tony Hoare,', ...PEOPLE])).to.deep.equal(PAIRS)
    expect((await examplesFrom(['Linus Torvalds,', ...PEOPLE].join('\n'))).map(({ kind }) => kind)).to.deep.equal([
      'unlabelled',
      ...PEOPLE.map(() => 'positive'),
    ])
    const few = ['Linus Torvalds,', 'Ada Lovelace,A. L.', 'Grace Brewster Hopper,G. B. H.']
    for (const mapping of [{}, { header: true }]) expect(await pairsOf(few, mapping)).to.have.length(2)
    expect(await examplesFrom(['word,', ...PEOPLE].join('\n'), { header: false })).to.have.length(5)
  })

  it('begins at its first row also where many rows follow', async () => {
    const many = Array.from({ length: 24 }, (_, i) => PEOPLE[i % 4] ?? '')
    expect(await examplesFrom(['Linus Torvalds,', ...many].join('\n'))).to.have.length(25)
    expect(await examplesFrom(['Linus Torvalds,', ...many.fill('Ada Lovelace,A. L.')].join('\n'))).to.have.length(25)
    expect(await pairsOf(['Contact list,', '', 'name,short', ...many])).to.have.length(24)
  })

  it('begins at its first row where all rows are as far apart, or that row has two lines', async () => {
    const words = ['pear,fruit', 'carrot,vegetable', 'dog,animal']
    const pairs = words.map((row) => row.split(','))
    for (const text of [['apple,', ...words].join('\r\r\n'), ['"apple\nor not",', ...words].join('\n')]) {
      expect(await pairsOf([text]), text).to.deep.equal(pairs)
    }
    expect(await pairsOf(['Foods,', '', 'word,class', ...words])).to.deep.equal(pairs)
  })

  it('may repeat its header', async () => {
    const page = ['name,short', ...PEOPLE, ...PEOPLE, ...PEOPLE]
    expect(await pairsOf([...page, ...page])).to.deep.equal(Array.from({ length: 6 }, () => PAIRS).flat())
    expect(await pairsOf(['input,output', 'a,1', 'input,output', 'b,2'])).to.deep.equal([
      ['a', 1],
      ['b', 2],
    ])
  })

  it('keeps a row that comes twice where no row is a header', async () => {
    expect(await pairsOf([...PEOPLE, PEOPLE[0] ?? ''])).to.deep.equal([...PAIRS, PAIRS[0]])
    expect(await pairsOf(['yes,no', 'no,yes', 'yes,no'])).to.have.length(3)
    const unknown = Array.from({ length: 40 }, (_, i) => ['n/a,unknown', `${i},ok`, `${i + 40},late`]).flat()
    expect(await pairsOf(['n/a,unknown', ...unknown])).to.have.length(121)
  })

  it('with a header of another width is refused at its first row', async () => {
    const error = await fails(pairsOf(['name;short', 'Ada,A,x', 'Alan,A,y']))
    expect(error.message).to.match(/^line\[2\]: has 3 cells, the first row has 1 \(line 3 differs too\)/)
  })
})
