import { expect } from 'chai'
import { collect, from } from '../intake/given-intake.ts'
import { recordsOfText } from '../../../../../core/compile/rows/table/text/records.ts'

describe('a reader of delimited text', () => {
  it('that recovers reads the rows below a quotation mark that never ends', async () => {
    const bounds = { columns: 4, chars: 60, recovers: true }
    const read = async (text: string, size: number) => {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
        text.slice(i * size, (i + 1) * size),
      )
      return (await collect(recordsOfText(from(pieces), ',', bounds))).map(({ line, cells, fault }) =>
        fault === undefined ? [line, ...cells] : [line, fault.message.slice(0, 30), ...cells],
      )
    }
    const filler = Array.from({ length: 20 }, (_, i) => [i + 4, `value ${i}`, 'x'])
    for (const size of [1, 7, 1000]) {
      for (const end of ['\n', '\r\n']) {
        const few = ['a,b', '"two\nlines",c', 'd,"open', 'e,f', '"quoted",g'].join(end)
        expect(await read(few, size), `${size}`).to.deep.equal([
          [1, 'a', 'b'],
          [2, 'two\nlines', 'c'],
          [4, 'line[4]: column 3: a value beg', 'd', 'open'],
          [5, 'e', 'f'],
          [6, 'quoted', 'g'],
        ])
      }
      const many = ['a,b', 'c,d', '"open,e', ...filler.map(([, ...cells]) => cells.join(',')), '"f",g'].join('\n')
      expect(await read(many, size)).to.deep.equal([
        [1, 'a', 'b'],
        [2, 'c', 'd'],
        [3, 'line[3]: column 1: belongs to ', 'open,e'],
        ...filler,
        [24, 'f', 'g'],
      ])
    }
  })
})
