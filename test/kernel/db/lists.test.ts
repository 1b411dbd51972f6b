import { expect } from 'chai'
import fc from 'fast-check'
import { listText, type ListValue } from '../../../core/kernel/json/list-text.ts'
import { storable } from '../../../core/kernel/json/storable.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

describe('lists of values', () => {
  const test = useDatabase()

  async function through(type: string, values: readonly ListValue[]): Promise<readonly unknown[]> {
    const rows = await sendSql<{ value: unknown }>(test.db, `select unnest($1::${type}[]) as value`, [listText(values)])
    return rows.map(({ value }) => value)
  }

  it('reach the database as they are, whatever their texts hold', async () => {
    const odd = ['', 'NULL', 'null', ' a ', '{"a":"b\\"c"}', '\\', '"', ',', '{}', 'é\u2028\n\t', '\\x41', null]
    expect(await through('text', odd)).to.deep.equal(odd)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constant(null))), async (values) => {
        const kept = values.map((value) => (value === null ? null : storable(value)))
        expect(await through('text', kept)).to.deep.equal(kept)
      }),
      { numRuns: 50 },
    )
  })

  it('reach the database in every type that columns have', async () => {
    const at = new Date('2026-02-03T04:05:06.789Z')
    expect(await through('timestamptz', [at, null])).to.deep.equal([at, null])
    expect(await through('boolean', [true, false, null])).to.deep.equal([true, false, null])
    expect(await through('double precision', [0.1, -1e-300, 5e300, null])).to.deep.equal([0.1, -1e-300, 5e300, null])
    expect(await through('integer', [-1, 0, 2 ** 31 - 1])).to.deep.equal([-1, 0, 2 ** 31 - 1])
    const bytes = Uint8Array.from([0, 92, 34, 255])
    expect(await through('bytea', [bytes, new Uint8Array(), null])).to.deep.equal([
      Buffer.from(bytes),
      Buffer.alloc(0),
      null,
    ])
    expect(await through('json', [JSON.stringify({ a: ['"', '\\'] })])).to.deep.equal([{ a: ['"', '\\'] }])
  })
})
