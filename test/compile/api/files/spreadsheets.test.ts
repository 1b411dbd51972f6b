import { expect } from 'chai'
import iconv from 'iconv-lite'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'
import { previewFile, sendFile, type SentFile } from '../../../support/wire/files.ts'
import { workbook, type GivenSheet, type SheetCell } from '../../../support/wire/workbook.ts'

const ROWS = [
  ['Ada Lovelace', 'A. L.'],
  ['Alan Turing', 'A. T.'],
  ['Grace Hopper', 'G. H.'],
  ['José Müller', 'J. M.'],
] as const

/** 2024-02-29, and 10:30 on that day, as a spreadsheet counts days. */
const LEAP_DAY = 45351

describe('spreadsheets', () => {
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
  const named = (delimiter: string, end = '\n') =>
    [['Name', 'Short'], ...ROWS].map((cells) => cells.join(delimiter)).join(end)

  it('in every encoding, delimiter and shape are previewed as they are compiled', async () => {
    const objects = ROWS.map(([Name, Short]) => ({ Name, Short }))
    const sheet = { name: 'People', rows: [['Name', 'Short'], ...ROWS] as SheetCell[][] }
    const files: readonly SentFile[] = [
      ...[',', ';', '\t', '|'].map((delimiter) => ({ name: 'rows.csv', bytes: named(delimiter) })),
      ...['\r\n', '\r'].map((end) => ({ name: 'rows.txt', bytes: named(';', end) })),
      ...['utf-16le', 'utf-16be'].map((encoding) => ({
        name: 'rows.csv',
        bytes: iconv.encode(named('\t'), encoding, { addBOM: true }),
      })),
      { name: 'rows.csv', bytes: iconv.encode(named(';'), 'windows-1252') },
      { name: 'rows.tsv', bytes: iconv.encode(named('\t'), 'iso-8859-1') },
      { name: 'rows.json', bytes: JSON.stringify(objects, null, 1) },
      { name: 'rows.jsonl', bytes: objects.map((row) => JSON.stringify(row)).join('\n'), mapping: { output: 'Short' } },
      { name: 'rows.xlsx', bytes: await workbook([sheet]) },
      { name: 'rows.xlsx', bytes: await workbook([{ ...sheet, hasNoPlaces: true }]) },
      { name: 'rows', bytes: await workbook([{ name: 'Empty', rows: [] }, sheet]), mapping: { sheet: 'People' } },
    ]
    const digests = new Set<string>()
    for (const file of files) {
      const table = await preview(file)
      expect(table.problems, file.name).to.deep.equal([])
      expect(table.examples).to.deep.equal(ROWS.map(([input, output]) => ({ input, output })))
      expect(table.columns).to.have.length(2)
      expect(table.columns[0]).to.include({ name: 'Name', role: 'input', type: 'text' })
      expect(table.output.column).to.equal('Short')
      const accepted = await sendFile(api, tenant.key, file)
      expect(accepted.status, accepted.text).to.equal(202)
      digests.add(accepted.body.job_id)
    }
    expect(digests.size).to.equal(files.length)
  })

  it('keep dates, times, numbers, booleans and values of formulas of a workbook', async () => {
    const bytes = await workbook([
      { name: 'Notes', rows: [['nothing here']], isHidden: true },
      {
        name: 'A & B',
        rows: [
          ['day', 'at', 'time', 'n', 'paid', 'zip', 'sum'],
          [
            { date: LEAP_DAY },
            { date: LEAP_DAY + 0.4375 },
            { date: 0.75 },
            2.5,
            true,
            '01234',
            { formula: 'D2*2', value: 5 },
          ],
          [{ date: LEAP_DAY + 1 }, { date: 1.5 }, { date: 0.5 }, 3, false, '99999', { formula: 'D3*2', value: 6 }],
        ],
      },
    ])
    const table = await preview({ name: 'rows.xlsx', bytes })
    expect(table.sheets).to.deep.equal(['Notes', 'A & B'])
    expect(table.sheet.name).to.equal('A & B')
    expect(table.examples[0]).to.deep.equal({
      input: { day: '2024-02-29', at: '2024-02-29T10:30:00', time: '18:00:00', n: 2.5, paid: true, zip: '01234' },
      output: 5,
    })
    const named = await preview({
      name: 'rows.xlsx',
      bytes,
      mapping: { sheet: '2', input: ['zip', 'n'], types: 'text' },
    })
    expect(named.examples[0]).to.deep.equal({ input: { n: '2.5', zip: '01234' }, output: '5' })
  })

  it('keep durations of more than a day, and numbers as many digits as their format shows', async () => {
    const rows: SheetCell[][] = [
      ['worked', 'zip', 'town'],
      [{ duration: 50.75 / 24 }, { code: 1067 }, 'Dresden'],
      [{ duration: 1 }, { code: 53111 }, 'Bonn'],
      [{ duration: 0 }, 4109, 'Leipzig'],
    ]
    for (const hasNoPlaces of [false, true]) {
      const table = await preview({ name: 'rows.xlsx', bytes: await workbook([{ name: 'Towns', rows, hasNoPlaces }]) })
      expect(table.examples.map(({ input }: { input: object }) => Object.values(input))).to.deep.equal([
        ['50:45:00', '01067'],
        ['24:00:00', '53111'],
        ['00:00:00', '4109'],
      ])
    }
  })

  it('keep durations in each of their formats, and numbers whose format has too many zeros for a code', async () => {
    const formats = ['[h]:mm', '[m]:ss', '0'.repeat(40), '[s]'].map(
      (code, i) => `<numFmt numFmtId="${164 + i}" formatCode="${code}"/>`,
    )
    const styles = [0, 1, 2, 3].map((i) => (i === 0 ? '<xf/>' : `<xf numFmtId="${[0, 164, 165, 166][i]}"/>`))
    const xml = (xfs: readonly string[]) =>
      `<styleSheet><numFmts>${formats.join('')}</numFmts><cellXfs>${xfs.join('')}</cellXfs></styleSheet>`
    const rows: SheetCell[][] = [
      ['hours', 'minutes', 'n'],
      [{ date: 50.75 / 24 }, { duration: 2 }, { code: 7 }],
      [{ date: 0.5 }, { duration: 0.25 }, { code: 8 }],
    ]
    const read = async (xfs: readonly string[]) => {
      const bytes = await workbook([{ name: 'Hours', rows }], { 'xl/styles.xml': xml(xfs) })
      const { examples } = await preview({ name: 'rows.xlsx', bytes })
      return examples.map(({ input, output }: { input: object; output: unknown }) => [...Object.values(input), output])
    }
    expect(await read(styles)).to.deep.equal([
      ['50:45:00', '48:00:00', 7],
      ['12:00:00', '06:00:00', 8],
    ])
    const seconds = await read([...styles.slice(0, 2), '<xf numFmtId="167"/>', ...styles.slice(3)])
    expect(seconds[0][1]).to.equal('48:00:00')
  })

  it('keep the spaces around texts of a workbook', async () => {
    const rows = [['input', 'output'], ...['Ada', 'Bob'].map((name) => [`  ${name} `, name])]
    const table = await preview({ name: 'rows.xlsx', bytes: await workbook([{ name: 'Names', rows }]) })
    expect(table.examples[0]).to.deep.equal({ input: '  Ada ', output: 'Ada' })
  })

  it('begin below their titles, and leave out headers that stand above each page', async () => {
    const header = ['Name', 'Answer']
    const rows = [['Contact list'], [], header, ...ROWS.slice(0, 2), header, ...ROWS.slice(2)]
    const sheet = { name: 'People', rows: rows.map((cells) => [...cells]), merged: ['A1:B1'] }
    const file = { name: 'rows.xlsx', bytes: await workbook([sheet]) }
    const table = await preview(file)
    expect(table).to.deep.include({
      problems: [],
      rows: 4,
      title_rows: { count: 1, lines: [1] },
      repeated_headers: { count: 1, lines: [6] },
    })
    expect(table.examples).to.deep.equal(ROWS.map(([input, output]) => ({ input, output })))
    const { body } = await sendFile(api, tenant.key, file)
    expect((await api.call('GET', `/v1/compile/${body.job_id}`, { key: tenant.key })).body.examples_n).to.equal(4)
    const below = await preview({ ...file, bytes: await workbook([{ ...sheet, merged: ['A4:A5'] }]) })
    expect(below.problems[0].field).to.equal('People!A4:A5')
  })

  it('with errors or formulas without a value are refused, also above the table, and so are merged cells in it', async () => {
    const refusals = async (sheet: Omit<GivenSheet, 'name'>) => {
      const { problems } = await preview({ name: 'rows.xlsx', bytes: await workbook([{ name: 'People', ...sheet }]) })
      return problems.map(({ field }: { field: string }) => field)
    }
    const people: SheetCell[][] = [['Name', 'Short'], ...ROWS.map((cells) => [...cells])]
    const uncomputed = { formula: 'A9' }
    expect(await refusals({ rows: [[uncomputed, uncomputed], ...people.slice(1)] })).to.deep.equal([
      'People!A1',
      'People!B1',
    ])
    expect(await refusals({ rows: [[{ error: '#REF!' }], [], ...people] })).to.deep.equal(['People!A1'])
    const titles = Array.from({ length: 8 }, (_, i) => [`Title ${i}`])
    const above = titles.flatMap((_, i) => ['A:B', 'C:D', 'E:F'].map((range) => range.replaceAll(/\w/g, `$&${i + 1}`)))
    expect(await refusals({ rows: [...titles, ...people], merged: above })).to.deep.equal([])
    const merged = [...above, 'A10:A11']
    expect(await refusals({ rows: [...titles, ...people], merged })).to.deep.equal(['People!A10:A11'])
  })

  it('that are pasted are read like a file, without an account', async () => {
    const text = 'Ada Lovelace\tA. L.\r\nAlan Turing\tA. T.\r\nGrace Hopper\tG. H.\r\n'
    const answer = await api.call('POST', '/v1/compile/preview', { body: { text, mapping: { header: false } } })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body).to.include({ method: 'given_file', examples_n: 3 })
    expect(answer.body.pairs[0]).to.deep.equal({ q: 'Ada Lovelace', a: 'A. L.' })
    expect(answer.body.table.delimiter).to.include({ name: 'tab' })
    const column = 'price\n13,70 €\n7,10 €\n5 €\n'
    const one = await api.call('POST', '/v1/compile/preview', { body: { text: column } })
    expect(one.status, one.text).to.equal(200)
    expect(one.body.table).to.deep.include({ delimiter: null, rows: 3 })
  })

  it('are previewed with what repeats, contradicts itself or is empty', async () => {
    const bytes = 'q,note,answer\na,,1\na,,1\nb,x,2\nb,x,3\nc,,\n,,\n'
    const table = await preview({ name: 'rows.csv', bytes })
    expect(table).to.deep.include({
      rows: 5,
      blank_rows: 1,
      duplicates: { count: 1, lines: [3] },
      unanswered: { count: 1, lines: [6] },
      unlabelled: 1,
      contradictions: {
        count: 1,
        shown: [
          {
            input: { q: 'b', note: 'x' },
            answers: [
              { line: 4, output: 2 },
              { line: 5, output: 3 },
            ],
          },
        ],
      },
    })
    expect(table.columns.map(({ empty }: { empty: number }) => empty)).to.deep.equal([0, 3, 1])
    const refused = await sendFile(api, tenant.key, { name: 'rows.csv', bytes })
    expect([refused.status, refused.body.code]).to.deep.equal([400, 'contradictory_examples'])
    expect(refused.body.error).to.match(/^line\[4\]: .* lines 4 and 5;/)
  })

  it('name the rows without an answer, which the job does not learn from', async () => {
    const lines = [
      '{"input":"a","output":"A"}',
      '{"input":"b"}',
      '{"input":"c","output":"C"}',
      '{"input":"d","output":null}',
    ]
    const files: readonly SentFile[] = [
      { name: 'rows.csv', bytes: 'input,output\na,A\nb,\nc,C\nd, \n' },
      { name: 'rows.jsonl', bytes: lines.join('\n') },
      { name: 'rows.jsonl', bytes: lines.join('\n'), mapping: { empty_answers: 'skip' } },
    ]
    for (const [at, file] of files.entries()) {
      const first = at === 0 ? 3 : 2
      const unanswered = { count: 2, lines: [first, first + 2] }
      expect((await preview(file)).unanswered).to.deep.equal(unanswered)
      const { body } = await sendFile(api, tenant.key, file)
      const job = await api.call('GET', `/v1/compile/${body.job_id}`, { key: tenant.key })
      expect(job.body).to.deep.include({ examples_n: 2, unanswered })
    }
    const learned = { name: 'rows.csv', bytes: 'input,output\na,A\nb,\n', mapping: { empty_answers: 'text' as const } }
    expect((await preview(learned)).examples[1]).to.deep.equal({ input: 'b', output: '' })
    const few = await sendFile(api, tenant.key, { name: 'rows.csv', bytes: 'input,output\na,A\nb,\n' })
    expect(few.body.error).to.match(/two examples with different inputs; 1 row has no answer \(line 3\)/)
  })

  it('leave no byte behind', () => {
    expect(api.server.services.spool.heldBytes()).to.equal(0)
  })
})
