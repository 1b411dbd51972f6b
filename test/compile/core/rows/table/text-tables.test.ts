import { expect } from 'chai'
import fc from 'fast-check'
import iconv from 'iconv-lite'
import { stringify } from 'csv-stringify/sync'
import { collect, examplesFrom, fails, pairsOf, rowsOf, UPLOAD } from '../intake/given-intake.ts'
import { chooseDelimiter, shownDelimiter } from '../../../../../core/compile/rows/table/text/delimiter.ts'
import { withBoundedLines } from '../../../../../core/compile/rows/table/open-table.ts'
import { recordsOfText } from '../../../../../core/compile/rows/table/text/records.ts'

describe('a delimited text', () => {
  it('has its delimiter, quoting and line ends found', async () => {
    const expected = [
      ['a, "b"\nc', 'x'],
      ['d;e|f', 'y z'],
    ]
    for (const delimiter of [',', ';', '\t', '|']) {
      for (const end of ['\n', '\r\n', '\r']) {
        const text = stringify([['input', 'output'], ...expected], { delimiter, record_delimiter: end, quoted: true })
        expect(await pairsOf(text), JSON.stringify([delimiter, end])).to.deep.equal(expected)
      }
    }
    expect(await pairsOf('sep=~\r\ninput~output\r\na~1,5\r\nb~2,5\r\n')).to.deep.equal([
      ['a', '1,5'],
      ['b', '2,5'],
    ])
    expect(await pairsOf('a^b\nc^d\n', { delimiter: '^', header: false })).to.deep.equal([
      ['a', 'b'],
      ['c', 'd'],
    ])
  })

  it('is cut at its tabs, or at its semicolons, where commas would cut it as well', async () => {
    expect(await pairsOf('Ada Lovelace\tLovelace, Ada\nAlan Turing\tTuring, Alan\n', { header: false })).to.deep.equal([
      ['Ada Lovelace', 'Lovelace, Ada'],
      ['Alan Turing', 'Turing, Alan'],
    ])
    expect(
      await pairsOf('Elm 5, 12345 Bonn\tBonn, 12345\nOak 7, 54321 Trier\tTrier, 54321\n', { header: false }),
    ).to.deep.equal([
      ['Elm 5, 12345 Bonn', 'Bonn, 12345'],
      ['Oak 7, 54321 Trier', 'Trier, 54321'],
    ])
    expect(await pairsOf('one x;1,5\ntwo x;2,5\n', { header: false })).to.deep.equal([
      ['one x', '1,5'],
      ['two x', '2,5'],
    ])
  })

  it('gives back what a writer of CSV wrote, in whatever pieces it comes', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r', ' ', '𝄞') })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 5 }),
        async (rows, size) => {
          const text = stringify(rows, { quoted: true, quoted_empty: true })
          const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
            text.slice(i * size, (i + 1) * size),
          )
          const read = await collect(recordsOfText(inOrder(pieces), ',', { columns: 4, chars: 1000 }))
          expect(read.map(({ cells }) => cells)).to.deep.equal(rows)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('has its long lines found in linear time, whatever ends them', async () => {
    const ends = Buffer.alloc(4 * 1024 * 1024, '\r')
    expect(await collect(withBoundedLines(inOrder([ends]), 10))).to.deep.equal([ends])
    expect((await fails(collect(withBoundedLines(inOrder([ends, Buffer.alloc(11, 'a')]), 10)))).code).to.equal(
      'example_too_large',
    )
  })

  it('has a header or none', async () => {
    expect(
      await pairsOf('Ada Lovelace,AL\nAlan Turing,AT\nGrace Hopper,GH\nKurt Goedel,KG\n', { header: false }),
    ).to.have.length(4)
    expect(await pairsOf('great,good\nawful,bad\nfine,good\n')).to.have.length(3)
    expect(await pairsOf('12,a\n13,b\n')).to.have.length(2)
    expect(await pairsOf('2024-01-05,a\n2024-02-06,b\n2024-03-07,c\n2024-04-08,d\n')).to.have.length(4)
    expect(await pairsOf('Full name,Short\nAda Lovelace,AL\nAlan Turing,AT\n')).to.have.length(2)
    expect(await pairsOf('name,2023\nAda,5\nBob,6\n')).to.deep.equal([
      ['Ada', 5],
      ['Bob', 6],
    ])
    expect(await pairsOf("M. O'Neil <mo@x.org>,mo\nAda Byron <ab@x.org>,ab\nAl Turing <at@x.org>,at\n")).to.have.length(
      3,
    )
    expect(await pairsOf('2019,total\n7,30\n8,40\n')).to.have.length(2)
    expect(await pairsOf('Oslo,2023\nBern,2024\nRome,2021\n')).to.have.length(3)
    expect(await pairsOf('Oslo,2023\nBern,5\nOslo,2023\n')).to.have.length(3)
    expect(await rowsOf('12,x,a\n13,y,b\n')).to.deep.include({
      id: 'row_1',
      input: { column_1: 12, column_2: 'x' },
      output: 'a',
    })
  })

  it('makes one input column the value itself, and several an object', async () => {
    expect(await rowsOf('\ufeffid,input,output\n1,"a, ""b""\nc",x\n2,d,y\n')).to.deep.equal([
      { id: '1', input: 'a, "b"\nc', output: 'x' },
      { id: '2', input: 'd', output: 'y' },
    ])
    expect(await rowsOf('first,output,last\nAda,AL,Lovelace\n')).to.deep.equal([
      { id: 'row_1', input: { first: 'Ada', last: 'Lovelace' }, output: 'AL' },
    ])
    const table = 'Region,Name,Short,Note\nEU,Ada Lovelace,AL,x\nUS,Alan Turing,AT,y\n'
    expect(await pairsOf(table, { input: ['name'], output: 'Short' })).to.deep.equal([
      ['Ada Lovelace', 'AL'],
      ['Alan Turing', 'AT'],
    ])
  })

  it('types columns by all their values, and keeps codes as texts', async () => {
    const table = [
      'zip,phone,price,count,paid,ref,total',
      '01234,2079460000,12.50,3,TRUE,7,37.5',
      '99999,2079460001,1.00,40,false,8,40',
    ]
    expect((await rowsOf(table.join('\n')))[0]?.input).to.deep.equal({
      zip: '01234',
      phone: '2079460000',
      price: '12.50',
      count: 3,
      paid: true,
      ref: 7,
    })
    expect((await pairsOf('input,output\n1,12.50\n2,3.25\n'))[0]).to.deep.equal([1, '12.50'])
    expect((await rowsOf('a,b,c,output\n 1,0.5,007,u\n2 ,-0,12,v\n'))[0]?.input).to.deep.equal({
      a: 1,
      b: '0.5',
      c: '007',
    })
    expect((await pairsOf('input,output\n1,a\nn/a,b\n'))[0]).to.deep.equal(['1', 'a'])
    expect((await pairsOf('input,output\n1,2\n3,4\n', { types: 'text' }))[0]).to.deep.equal(['1', '2'])
    expect((await rowsOf('a,b,output\n1,x,u\n,y,v\n'))[1]?.input).to.deep.equal({ a: null, b: 'y' })
    expect((await pairsOf('input,output\nx,12345678901234567890\ny,2\n'))[0]).to.deep.equal([
      'x',
      '12345678901234567890',
    ])
  })

  it('keeps answers such as versions and grades as they are written', async () => {
    const answersOf = async (table: string) => (await pairsOf(table)).map(([, output]) => output)
    expect(await answersOf('input,output\nPython 3.10,3.10\nNode 18.20,18.20\nGo 2.0,2.0\n')).to.deep.equal([
      '3.10',
      '18.20',
      '2.0',
    ])
    expect(await answersOf('input,output\na,1.0\nb,1.2\nc,1.3\nd,1.2\n')).to.deep.equal(['1.0', '1.2', '1.3', '1.2'])
    expect(await pairsOf('input,output\n7.0,a\n2.5,b\n')).to.deep.equal([
      ['7.0', 'a'],
      ['2.5', 'b'],
    ])
  })

  it('is one column where its commas stand in amounts that show it, and is cut at commas elsewhere', () => {
    const isOne = (text: string) =>
      shownDelimiter(chooseDelimiter(text, undefined, { columns: 9, chars: 999 })) === null
    for (const text of [
      'price\n13,70 €\n7,10 €\n5 €\n',
      'price\nEUR 1.308,48\nEUR 741,40\n',
      'area\n52,3 m²\n80,0 m²\n61,5 m²\n',
      'sum\n1.308,48\n2.741,40\n12,5\n',
      'text\nhello you\nHi, where is it\nlate again\n',
    ])
      expect(isOne(text), text).to.equal(true)
    for (const text of [
      'week\n1,5\n2,7\n',
      'week\n1,5 kg\n2,7 l\n',
      'sum\n13,70 €\n5,1\n6,2\n7,3\n',
      'text\nhello\nHi, you\n',
    ])
      expect(isOne(text), text).to.equal(false)
  })

  it('leaves out blank rows, and ragged ones when asked to', async () => {
    expect(await pairsOf('input,output\na,b\n,,\n\n  ,\nc,d,,\n')).to.have.length(2)
    expect(await pairsOf('input,output\na,b\nc\nd,e\n', { ragged: 'skip' })).to.have.length(2)
    const error = await fails(pairsOf('input,output\na,b\nc\nd,e\nf,g,h\n'))
    expect(error.message).to.match(
      /^line\[3\]: has 1 cell, the first row has 2 \(line 5 differs too\); .*`ragged: "skip"`/,
    )
  })

  it('learns nothing from rows without an answer, unless their answers are empty texts', async () => {
    const table = 'input,output\na,1\nb,\nc,3\n'
    const kinds = ['positive', 'unlabelled', 'positive']
    expect((await examplesFrom(table)).map(({ kind }) => kind)).to.deep.equal(kinds)
    expect((await examplesFrom(table, { empty_answers: 'unlabelled' })).map(({ kind }) => kind)).to.deep.equal(kinds)
    expect(await pairsOf(table, { empty_answers: 'skip' })).to.deep.equal([
      ['a', 1],
      ['c', 3],
    ])
    expect(await pairsOf(table, { empty_answers: 'text' })).to.deep.equal([
      ['a', '1'],
      ['b', ''],
      ['c', '3'],
    ])
    const error = await fails(pairsOf('a,output\nx,\ny,\n'))
    expect(error.message).to.equal(
      'mapping.output: "output" has no answer in any row; fill some, or name another column',
    )
  })

  it('leaves out rows without an answer beyond those that one compile keeps', async () => {
    const most = UPLOAD.maxUnlabelled
    const gaps = Array.from({ length: most + 5 }, (_, i) => `gap ${i},\n`).join('')
    expect(await examplesFrom(`input,output\na,1\nb,2\n${gaps}`)).to.have.length(2 + most)
  })
})

describe('a JSON file', () => {
  it('has no answer where it says null or nothing; the empty text is one', async () => {
    for (const [input, output] of [
      ['input', 'output'],
      ['city', 'code'],
    ] as const) {
      const rows = [
        { [input]: 'a', [output]: 'x' },
        { [input]: 'b', [output]: '' },
        { [input]: 'c', [output]: null },
        { [input]: 'd' },
      ]
      for (const data of [JSON.stringify(rows), rows.map((row) => JSON.stringify(row)).join('\n')]) {
        const kinds = ['positive', 'positive', 'unlabelled', 'unlabelled']
        expect((await examplesFrom(data)).map(({ kind }) => kind)).to.deep.equal(kinds)
        expect(await pairsOf(JSON.stringify(rows.slice(0, 3)), { empty_answers: 'text' })).to.deep.include([
          'c',
          input === 'input' ? null : '',
        ])
        expect(await pairsOf(data, { empty_answers: 'skip' })).to.deep.equal([
          ['a', 'x'],
          ['b', ''],
        ])
      }
    }
  })

  it('is a list of objects or one object a line, with any names', async () => {
    const objects = [
      { city: 'Oslo', people: 700_000, answer: 'NO' },
      { city: 'Bern', people: 130_000, answer: 'CH' },
    ]
    const expected = objects.map(({ answer, ...input }) => [input, answer])
    expect(await pairsOf(JSON.stringify(objects))).to.deep.equal(expected)
    expect(await pairsOf(JSON.stringify(objects, null, 2))).to.deep.equal(expected)
    expect(await pairsOf(objects.map((object) => JSON.stringify(object)).join('\n'))).to.deep.equal(expected)
    expect(await pairsOf(iconv.encode(JSON.stringify(objects), 'utf-16le', { addBOM: true }))).to.deep.equal(expected)
    expect(await pairsOf(JSON.stringify(objects), { input: ['city'] })).to.deep.include(['Bern', 'CH'])
  })

  it('keeps the examples of the API as they are', async () => {
    const given = [
      { input: [1, { a: null }], output: 2, id: 'x' },
      { prompt: 'b', completion: 'c' },
      { input: 'd', expected_not: 'e', kind: 'negative' },
    ]
    expect((await examplesFrom(JSON.stringify(given))).map(({ kind }) => kind)).to.deep.equal([
      'positive',
      'positive',
      'negative',
    ])
  })
})

async function* inOrder<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}
