import { expect } from 'chai'
import iconv from 'iconv-lite'
import type { TableMapping } from '../../../core/compile/rows/table/mapping.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../support/api.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { previewFile, sendFile } from '../../support/wire/files.ts'
import { MULTIPART } from '../../support/wire/multipart.ts'
import { workbook, zip, type GivenSheet, type SheetCell } from '../../support/wire/workbook.ts'

const MB = 1024 * 1024
const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])
const GOOD: SheetCell[][] = [
  ['Name', 'Short'],
  ['Ada', 'A'],
  ['Bob', 'B'],
]
const sheet = (more: Partial<GivenSheet>): GivenSheet => ({
  name: 'People',
  rows: GOOD,
  ...more,
})
const book = async (more: Partial<GivenSheet>) => await workbook([sheet(more)])

/** A file, the code that refuses it, and what its message names: the place, then the remedy. */
interface Malformed {
  readonly what: string
  readonly name?: string
  readonly bytes: string | Uint8Array | (() => Promise<Uint8Array>)
  readonly mapping?: TableMapping
  readonly code?: string
  readonly place: RegExp
  readonly remedy: RegExp
}

const FILES: readonly Malformed[] = [
  { what: 'an empty file', bytes: '', code: 'no_examples', place: /^file:/, remedy: /save the table again/ },
  {
    what: 'only blank lines',
    bytes: '\n \r\n\n',
    code: 'no_examples',
    place: /^file:/,
    remedy: /save the table again/,
  },
  {
    what: 'a header only',
    bytes: 'input,output\n',
    code: 'no_examples',
    place: /^file: holds a header/,
    remedy: /add rows/,
  },
  {
    what: 'one row',
    bytes: 'input,output\na,b\n',
    code: 'too_few_examples',
    place: /^examples:/,
    remedy: /at least two/,
  },
  { what: 'a short row', bytes: 'a,b,c\n1,2,3\n4,5\n', place: /^line\[3\]: has 2 cells/, remedy: /ragged: "skip"/ },
  { what: 'a long row', bytes: 'a,b\n1,2\n3,4,5\n6,7\n', place: /^line\[3\]: has 3 cells/, remedy: /correct the row/ },
  {
    what: 'an open quotation mark',
    bytes: 'a,b\nx,"y\nz,w\n',
    place: /^line\[2\]: column 3:/,
    remedy: /close it, or double/,
  },
  { what: 'a stray quotation mark', bytes: 'a,b\nx,5" pipe\n', place: /^line\[2\]: column 4:/, remedy: /double those/ },
  { what: 'text after a quotation mark', bytes: 'a,b\n"x"y,z\n', place: /^line\[2\]: column 4:/, remedy: /double/ },
  { what: 'one column', bytes: 'word\nalpha\nbeta\n', place: /^file: has no input/, remedy: /check the delimiter/ },
  {
    what: '300 columns',
    bytes: `${Array.from({ length: 300 }, (_, i) => `c${i}`).join(',')}\n`,
    place: /^line\[1\]: column \d+: has more than 256 columns/,
    remedy: /remove those/,
  },
  { what: 'a name twice', bytes: 'a,b,a\n1,2,3\n4,5,6\n', place: /^header: .*columns 1 and 3/, remedy: /rename one/ },
  {
    what: 'a column __proto__',
    bytes: '__proto__,b\n1,2\n3,4\n',
    place: /^header: names column 1/,
    remedy: /rename it/,
  },
  {
    what: 'two answers',
    bytes: 'q,output,answer\na,1,2\nb,3,4\n',
    place: /^header: .*output \(column 2\) and answer \(column 3\)/,
    remedy: /name one of them/,
  },
  {
    what: 'two answers for one input',
    bytes: 'q,answer\na,1\nb,2\na,3\n',
    code: 'contradictory_examples',
    place: /^line\[2\]: .*lines 2 and 4/,
    remedy: /keep the right row/,
  },
  {
    what: 'an unknown answer column',
    bytes: 'a,b\n1,2\n',
    mapping: { output: 'c' },
    place: /^mapping\.output: names the column "c"/,
    remedy: /the file has a and b/,
  },
  {
    what: 'an unknown input column',
    bytes: 'a,b\n1,2\n',
    mapping: { input: ['x'] },
    place: /^mapping\.input: names the column "x"/,
    remedy: /the file has a and b/,
  },
  {
    what: 'an answer that is an input too',
    bytes: 'a,b\n1,2\n3,4\n',
    mapping: { input: ['a', 'b'], output: 'b' },
    place: /^mapping\.input: names the column "b"/,
    remedy: /remove it/,
  },
  {
    what: 'mixed encodings',
    bytes: Buffer.concat([Buffer.from('a,b\nÉtude,x\n'), Buffer.from('caf\xe9,y\n', 'latin1')]),
    code: 'invalid_encoding',
    place: /^line\[3\]: column 4:/,
    remedy: /save the whole file as UTF-8/,
  },
  {
    what: 'a wrong encoding',
    bytes: Buffer.from('a,b\nx,y\ncaf\xe9,y\n', 'latin1'),
    mapping: { encoding: 'utf-8' },
    code: 'invalid_encoding',
    place: /^line\[3\]: column 4:/,
    remedy: /name its encoding/,
  },
  {
    what: 'bytes that the encoding lacks',
    bytes: Buffer.from([...Buffer.from('a,b\nx,'), 0x82, 0x0a, 0x7a, 0x2c, 0xff, 0xff, 0x0a]),
    mapping: { encoding: 'shift_jis' },
    code: 'invalid_encoding',
    place: /^line\[\d\]: column \d+:/,
    remedy: /name its encoding/,
  },
  { what: 'NUL bytes', bytes: 'a,b\nx,\0\n', code: 'invalid_encoding', place: /^line\[2\]:/, remedy: /save it as CSV/ },
  {
    what: 'half a character in UTF-16',
    bytes: iconv.encode('a,b\nx,\ud83d\nz,w\n', 'utf-16le', { addBOM: true }),
    code: 'invalid_encoding',
    place: /^line\[2\]/,
    remedy: /surrogate|save the file as UTF-8/,
  },
  {
    what: 'a row of a million characters',
    bytes: `a,b\n${'x'.repeat(MB)},y\n`,
    code: 'example_too_large',
    place: /^line\[2\]:/,
    remedy: /line ends/,
  },
  {
    what: 'a quotation mark that swallows the rest',
    bytes: `a,b\n"x,y\n${'z,w\n'.repeat(30_000)}`,
    code: 'example_too_large',
    place: /^line\[2\]: column 1:/,
    remedy: /quotation mark .* may lack its partner/,
  },
  {
    what: 'a cell beyond the size of an example',
    bytes: `a,b\n${'x'.repeat(20_000)},y\nz,w\n`,
    code: 'example_too_large',
    place: /^line\[2\]/,
    remedy: /at most 10240 are allowed/,
  },
  {
    what: 'JSON with a missing comma',
    name: 'rows.json',
    bytes: '[\n {"a":1,"b":2},\n {"a":3 "b":4}\n]',
    code: 'invalid_json',
    place: /^line\[3\]: column 9:/,
    remedy: /check commas/,
  },
  {
    what: 'a JSON list that is cut off',
    name: 'rows.json',
    bytes: '[{"a":1,"b":2},\n{"a":3,',
    code: 'invalid_json',
    place: /^line\[2\]: column 1:/,
    remedy: /save it again/,
  },
  {
    what: 'a JSON object in place of a list',
    name: 'rows.json',
    bytes: '{"a":1}',
    code: 'invalid_json',
    place: /^line\[1\]: column 1:/,
    remedy: /list of objects/,
  },
  {
    what: 'a list of texts',
    name: 'rows.json',
    bytes: '["a", "b"]',
    place: /^line\[1\]: must be an object/,
    remedy: /such as \{"input"/,
  },
  {
    what: 'a broken line of JSONL',
    name: 'rows.jsonl',
    bytes: '{"input":1,"output":2}\n{"input":3,output:4}\n',
    code: 'invalid_json',
    place: /^line\[2\]: column 12:/,
    remedy: /check commas/,
  },
  {
    what: 'JSONL without an answer',
    name: 'rows.jsonl',
    bytes: '{"input":1,"output":2}\n{"input":3}\n',
    place: /^line\[2\]\.output:/,
    remedy: /is missing/,
  },
  {
    what: 'a workbook with a password',
    name: 'rows.xlsx',
    bytes: Buffer.concat([COMPOUND, Buffer.alloc(600), Buffer.from('EncryptedPackage', 'utf16le')]),
    code: 'unsupported_media_type',
    place: /^file: is protected by a password/,
    remedy: /save it without one/,
  },
  {
    what: 'an old workbook',
    name: 'rows.xls',
    bytes: Buffer.concat([COMPOUND, Buffer.alloc(600)]),
    code: 'unsupported_media_type',
    place: /^file: is an old workbook/,
    remedy: /save it as \.xlsx/,
  },
  {
    what: 'a workbook with macros',
    name: 'rows.xlsm',
    bytes: async () => await workbook([sheet({})], { 'xl/vbaProject.bin': 'macro' }),
    code: 'unsupported_media_type',
    place: /^file: holds macros/,
    remedy: /save it as \.xlsx/,
  },
  {
    what: 'a text that is named like a workbook',
    name: 'rows.xlsx',
    bytes: 'a,b\n1,2\n',
    code: 'unsupported_media_type',
    place: /^file: is named like a workbook/,
    remedy: /save it as \.xlsx/,
  },
  {
    what: 'a damaged workbook',
    name: 'rows.xlsx',
    bytes: async () => (await book({})).subarray(0, 400),
    place: /^file: is a damaged workbook/,
    remedy: /save it again/,
  },
  {
    what: 'a workbook that inflates without end',
    name: 'rows.xlsx',
    bytes: async () => await workbook([sheet({})], { 'xl/bomb.xml': Buffer.alloc(100 * MB) }),
    code: 'payload_too_large',
    place: /^file: inflates to/,
    remedy: /save the sheet as \.csv/,
  },
  {
    what: 'a zip without a workbook',
    name: 'rows.zip',
    bytes: async () => await zip({ 'rows.csv': 'a,b\n1,2\n' }),
    code: 'unsupported_media_type',
    place: /^file: is a zip archive/,
    remedy: /unpack it/,
  },
  {
    what: 'an OpenDocument file',
    name: 'rows.ods',
    bytes: async () => await zip({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<a/>' }),
    code: 'unsupported_media_type',
    place: /^file: is an OpenDocument file/,
    remedy: /save it as \.xlsx/,
  },
  {
    what: 'an unknown sheet',
    name: 'rows.xlsx',
    bytes: async () => await book({}),
    mapping: { sheet: 'Sales' },
    place: /^mapping\.sheet: names Sales/,
    remedy: /the workbook has People/,
  },
  {
    what: 'an empty sheet',
    name: 'rows.xlsx',
    bytes: async () => await book({ rows: [] }),
    code: 'no_examples',
    place: /^file:/,
    remedy: /save the table again/,
  },
  {
    what: 'merged cells',
    name: 'rows.xlsx',
    bytes: async () => await book({ merged: ['A2:A3'] }),
    place: /^People!A2:A3: is one merged cell/,
    remedy: /unmerge it/,
  },
  {
    what: 'an error of a formula',
    name: 'rows.xlsx',
    bytes: async () => await book({ rows: [...GOOD, ['Cy', { error: '#REF!' }]] }),
    place: /^People!B4: holds the error #REF!/,
    remedy: /correct its formula/,
  },
  {
    what: 'a formula without a value',
    name: 'rows.xlsx',
    bytes: async () => await book({ rows: [...GOOD, ['Cy', { formula: 'A4&"."' }]] }),
    place: /^People!B4: holds a formula without a value/,
    remedy: /save it again/,
  },
  {
    what: 'a PDF',
    name: 'rows.pdf',
    bytes: '%PDF-1.7 and so on, for a while',
    code: 'unsupported_media_type',
    place: /^file: is a PDF/,
    remedy: /save it as \.xlsx/,
  },
  {
    what: 'a web page',
    name: 'rows.xls.html',
    bytes: '<html><table><tr><td>a</td></tr></table></html>',
    code: 'unsupported_media_type',
    place: /^file: is a web page or XML/,
    remedy: /save the table as/,
  },
  {
    what: 'a compressed file',
    name: 'rows.csv.gz',
    bytes: Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    code: 'unsupported_media_type',
    place: /^file: is compressed/,
    remedy: /unpack it/,
  },
]

describe('a malformed file', () => {
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    limits: { previews_per_ip_minute: 1000 },
  })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })

  it('is tried in more than forty kinds', () => {
    expect(FILES.length).to.be.above(40)
  })

  for (const { what, name = 'rows.csv', bytes, mapping, code = 'validation_failed', place, remedy } of FILES) {
    it(`is refused with place and remedy: ${what}`, async () => {
      const file = {
        name,
        bytes: typeof bytes === 'function' ? await bytes() : bytes,
        ...(mapping !== undefined && { mapping }),
      }
      const answer = await sendFile(api, tenant.key, file)
      expect(answer.body.code, answer.text).to.equal(code)
      expect(answer.status).to.be.within(400, 415)
      expect(answer.body.error).to.match(place).and.to.match(remedy)
      expect(answer.body.details.fields[0].message).to.be.a('string')
      const shown = await previewFile(api, tenant.key, file)
      expect(shown.status, shown.text).to.be.below(500)
      if (shown.status === 200) {
        const { problems, contradictions } = shown.body.table
        expect(problems.length + contradictions.count + (what === 'one row' ? 1 : 0)).to.be.above(0)
      }
      expect(api.server.services.spool.heldBytes()).to.equal(0)
    })
  }

  it('with 1,000,001 rows is refused at the row that is too many', async () => {
    const rows = Array.from({ length: 1_000_001 }, (_, i) => `${i},${i}\n`).join('')
    const answer = await sendFile(api, tenant.key, { name: 'rows.csv', bytes: `n,m\n${rows}` })
    expect([answer.status, answer.body.code], answer.text).to.deep.equal([400, 'too_many_examples'])
    expect(answer.body.error).to.match(/^line\[1000002\]: more than 1000000 rows; .*keep the first 1000000/)
  })

  it('with a line of 1 GiB is refused after the first part of it', async () => {
    const piece = new Uint8Array(MB).fill(0x61)
    let sent = 0
    const body = new ReadableStream({
      pull(controller) {
        if (sent === 0) {
          const head = `--X\r\nContent-Disposition: form-data; name="file"; filename="rows.csv"\r\n\r\na,b\n1,2\n`
          controller.enqueue(new TextEncoder().encode(head))
        }
        if (++sent > 1024) controller.close()
        else controller.enqueue(piece)
      },
    })
    const answer = await fetch(`${api.url}/v1/compile`, {
      method: 'POST',
      headers: { ...MULTIPART, 'x-api-key': tenant.key },
      body,
      duplex: 'half',
    }).then(
      async (response) => [response.status, await response.text()] as const,
      () => undefined,
    )
    expect(sent).to.be.below(200)
    if (answer !== undefined) {
      expect(answer[0], answer[1]).to.equal(400)
      expect(answer[1]).to.match(/line\[3\]: is longer than \d+ bytes; check the line ends/)
    }
  })

  it('with 200 columns is no malformed file', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `c${i}`)
    const rows = [1, 2, 3].map((row) => names.map((_, i) => row * i).join(','))
    const answer = await sendFile(api, tenant.key, { name: 'rows.csv', bytes: [names.join(','), ...rows].join('\n') })
    expect(answer.status, answer.text).to.equal(202)
  })
})
