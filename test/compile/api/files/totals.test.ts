import { expect } from 'chai'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'
import { previewFile, sendFile, type SentFile } from '../../../support/wire/files.ts'
import { workbook, type SheetCell } from '../../../support/wire/workbook.ts'

describe('totals at the foot of a table', () => {
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    limits: { previews_per_ip_minute: 1000, running_jobs_free: 100, quota_free: 10_000 },
  })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })
  const preview = async (file: SentFile) => {
    const answer = await previewFile(api, tenant.key, file)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.table
  }

  it('are named in the preview, and left out when asked', async () => {
    const total = { count: 1, lines: [5] }
    const none = { count: 0, lines: [] }
    const cases: readonly (readonly [string, typeof total | typeof none])[] = [
      ['item;amount\nrice;12\noats;30\nrye;7\nTotal;49', total],
      ['item;amount\nrice;1.200,50\noats;30,25\nrye;7,00\nИтого;1.237,75', total],
      ['item;amount\nrice;€ 1,200.50\noats;€ 30.25\nrye;€ 7.00\n合計;€1,237.75', total],
      ['day;item;amount\nMo;rice;12\nTu;oats;30\nWe;rye;7\n;;49', total],
      ['item;price;amount\nrice;2;12\noats;3;30\nrye;7;7\nSumme;;49', total],
      // Without a sum, with a label that names another row, with two labels, among other figures, or of too few rows.
      ['item;amount\nrice;12\noats;30\nrye;7\nTotal;50', none],
      ['item;amount\nrice;12\noats;30\nrye;7\nrice;49', none],
      ['day;item;amount\nMo;rice;12\nTu;oats;30\nWe;rye;7\nTh;figs;49', none],
      ['item;width;height;amount\nrice;2;8;12\noats;3;9;30\nrye;7;4;7\nfigs;5;6;49', none],
      ['item;amount\nrice;12\noats;30\n;42', none],
      ['item;amount\nrice;0\noats;0\nrye;7\nfigs;7', none],
    ]
    for (const [bytes, expected] of cases) {
      expect((await preview({ name: 'rows.csv', bytes })).total_rows, bytes).to.deep.equal(expected)
    }
    // A row of two columns that a header does not name, and a sheet.
    const bare = await preview({
      name: 'rows.csv',
      bytes: 'rice,12\noats,30\nrye,7\nSum,49\n',
      mapping: { header: false },
    })
    expect(bare.total_rows).to.deep.equal({ count: 1, lines: [4] })
    const rows: SheetCell[][] = [
      ['item', 'amount'],
      ['rice', 0.1],
      ['oats', 0.2],
      ['rye', 0.4],
      ['Total', 0.7],
    ]
    const bytes = await workbook([{ name: 'Sums', rows }])
    expect((await preview({ name: 'rows.xlsx', bytes })).total_rows).to.deep.equal(total)
    const examplesOf = async (mapping: object) => {
      const { body, text } = await sendFile(api, tenant.key, { name: 'rows.xlsx', bytes, mapping })
      expect(body.job_id, text).to.be.a('string')
      const job = await api.call('GET', `/v1/compile/${body.job_id}`, { key: tenant.key })
      return job.body.examples_n
    }
    expect(await examplesOf({})).to.equal(4)
    expect(await examplesOf({ totals: 'skip' })).to.equal(3)
    const without = await preview({ name: 'rows.xlsx', bytes, mapping: { totals: 'skip' } })
    expect(without).to.deep.include({ rows: 3, total_rows: total })
  })

  it('have a short label, and one that is new among the values that are kept of the rows above', async () => {
    const labelled = async (label: string) =>
      await preview({ name: 'rows.csv', bytes: `item;amount\nrice;12\noats;30\nrye;7\n${label};49` })
    expect((await labelled('x'.repeat(100))).total_rows.count).to.equal(1)
    expect((await labelled('x'.repeat(101))).total_rows.count).to.equal(0)
    // Rows of long texts: the values of all columns together are more than are kept.
    const wide = async (length: number) => {
      const rows = Array.from({ length: 1000 }, (_, i) => {
        const note = String(i).padStart(length, 'x')
        return `${note};${note};${note};item ${i};1`
      })
      const bytes = ['a;b;c;item;amount', ...rows, ';;;item 999;1000'].join('\n')
      return await preview({ name: 'rows.csv', bytes })
    }
    expect((await wide(20)).total_rows.count).to.equal(0)
    expect((await wide(95)).total_rows.count).to.equal(1)
  })
})
