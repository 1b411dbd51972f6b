import { stripVTControlCharacters } from 'node:util'
import { expect } from 'chai'
import { markDifference } from '../../../cli/terminal/difference.ts'
import type { RowView } from '../../../core/compile/wire/jobs/explain/rows.ts'
import { describeRows } from '../../../cli/terminal/rows-text.ts'

const ROW: RowView = {
  id: 'row_1',
  side: 'held_out',
  fold: 0,
  right: false,
  result: 'wrong',
  input: 'Ada Lovelace',
  expected: 'A. Lovelace',
  got: 'A. Lovelock',
  failed_checks: [{ id: 'shape', kind: 'shape', path: '/name' }],
  unlike_examples: false,
}

describe('rows in the terminal', () => {
  it('marks the part in which two values differ', () => {
    expect(plain(markDifference('A. Lovelace', 'A. Lovelock'))).to.deep.equal(['A. Lovel[ace]', 'A. Lovel[ock]'])
    expect(plain(markDifference({ n: 1 }, { n: 2 }))).to.deep.equal(['{"n":[1]}', '{"n":[2]}'])
  })

  it('marks words that share a few letters as a whole, and shows an empty text', () => {
    expect(plain(markDifference('billing', 'bug'))).to.deep.equal(['[billing]', '[bug]'])
    expect(plain(markDifference('', 'BERG'))).to.deep.equal(['[""]', '[BERG]'])
  })

  it('cuts long values around their difference', () => {
    const [expected, got] = plain(markDifference(`${'x'.repeat(200)}1`, `${'x'.repeat(200)}2`))
    expect(expected).to.equal('…xxxxxxxx[1]')
    expect(got).to.equal('…xxxxxxxx[2]')
  })

  it('shows result, values and failed checks of each row', () => {
    const text = stripVTControlCharacters(
      describeRows([ROW, { ...ROW, id: 'row_2', right: true, result: 'right', got: ROW.expected, failed_checks: [] }]),
    )
    expect(text).to.match(/row_1 +wrong +Ada Lovelace +A\. Lovel\[ace\] +A\. Lovel\[ock\] +fails shape at \/name/)
    expect(text).to.match(/row_2 +right +Ada Lovelace +A\. Lovelace +A\. Lovelace/)
  })

  it('shows control characters of a value as nothing', () => {
    expect(describeRows([{ ...ROW, input: 'a\u001B[31mb' }])).not.to.include('\u001B[31m')
  })
})

function plain(cells: readonly string[]): string[] {
  return cells.map((cell) => stripVTControlCharacters(cell))
}
