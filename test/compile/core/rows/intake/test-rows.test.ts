import { expect } from 'chai'
import { chunksOf, collect, examplesFrom, fails, from, INLINE, UPLOAD } from './given-intake.ts'
import { readDataset, selectRows, writeDataset } from '../../../../../core/compile/rows/intake/dataset.ts'
import type { Example } from '../../../../../core/compile/rows/intake/example.ts'
import { examplesFromInline, examplesFromJsonl } from '../../../../../core/compile/rows/intake/sources.ts'

describe('test rows', () => {
  const marked = [
    { input: 'a', output: 1 },
    { input: 'b', output: 2, kind: 'test' },
    { input: 'c', output: 3, kind: 'positive' },
  ]
  const written = async (examples: readonly unknown[]) =>
    Buffer.concat(await collect(writeDataset(examplesFromInline(examples, INLINE)).chunks))

  it('keep their mark through every form of a dataset, and into the rows of a compile', async () => {
    const rows = [
      { id: 'row_1', input: 'a', output: 1 },
      { id: 'row_2', input: 'b', output: 2, kind: 'test' },
      { id: 'row_3', input: 'c', output: 3 },
    ]
    const bytes = await written(marked)
    expect(bytes.toString().split('\n')[1]).to.equal('{"id":"row_2","input":"b","kind":"test","output":2}')
    expect((await collect(readDataset(chunksOf(bytes)))).map((example) => example)).to.deep.equal(
      rows.map((row) => ({ kind: 'positive', row })),
    )
    expect((await selectRows(readDataset(chunksOf(bytes)), { maxRows: 10 })).rows).to.deep.equal(rows)
    const lines = marked.map((row) => JSON.stringify(row)).join('\n')
    const [, second] = await collect(examplesFromJsonl(chunksOf(lines), UPLOAD))
    expect(second).to.deep.equal({ kind: 'positive', row: rows[1] })
    const [, cell] = await examplesFrom('input,output,kind\na,x,\nb,y,test\n')
    expect(cell).to.deep.equal({ kind: 'positive', row: { id: 'row_2', input: 'b', output: 'y', kind: 'test' } })
  })

  it('are refused when they leave no row to learn from', async () => {
    const error = await fails(written(marked.map((row) => ({ ...row, kind: 'test' }))))
    expect(error).to.include({ code: 'no_examples' })
    expect(error.details?.fields?.[0]?.field).to.equal('examples')
  })

  it('are refused when their input is also that of a row to learn from, whichever comes first', async () => {
    for (const kinds of [
      ['test', 'positive'],
      ['positive', 'test'],
    ]) {
      const leak = kinds.map((kind, i) => ({ id: `r${i}`, input: { x: 1, y: 2 }, output: 'same', kind }))
      const error = await fails(written([...marked, ...leak]))
      expect(error).to.include({ code: 'train_holdout_leakage' })
      expect(error.details?.fields).to.deep.equal([
        {
          field: 'examples',
          message: 'r1: its input is that of a test row and of a row to learn from; remove one of them',
        },
      ])
      const unchecked = leak.map(({ id, input, output, kind }): Example => ({
        kind: 'positive',
        row: { id, input, output, ...(kind === 'test' ? { kind } : {}) },
      }))
      expect(await fails(selectRows(from(unchecked), { maxRows: 10 }))).to.include({ code: 'train_holdout_leakage' })
    }
  })

  it('are a fifth at most of the rows that a compile uses', async () => {
    const many = Array.from({ length: 100 }, (_, i): Example => ({
      kind: 'positive',
      row: { id: `r${i}`, input: i, output: i, ...(i % 2 === 0 ? { kind: 'test' } : {}) },
    }))
    const { rows, facts } = await selectRows(from(many), { maxRows: 20 })
    expect([rows.length, rows.filter(({ kind }) => kind === 'test').length]).to.deep.equal([20, 4])
    expect(facts).to.include({ distinct_rows: 100, rows_used: 20, sample: 'smallest_input_hash' })
  })
})
