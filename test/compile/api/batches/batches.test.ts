import { expect } from 'chai'
import { parse as parseCsv } from 'csv-parse/sync'
import { leafOfCells, leafOfLine } from '../../../../core/compile/runtime/batch/render-rows.ts'
import { hashJson, sha256 } from '../../../../core/kernel/json/json.ts'
import { MerkleFrontier } from '../../../../core/ledger/merkle/frontier.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type Answer, type ApiTenant } from '../../../support/api.ts'
import { givenProgramVersion } from '../../../support/archives/signed-artifacts.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'
import { linesOf, runFile } from '../../../support/wire/batches.ts'
import { workbook } from '../../../support/wire/workbook.ts'

/** Units of the compile that each tenant has. */
const OF_COMPILE = 10
const LINES = Array.from({ length: 50 }, (_, i) => `row number ${i}`)
const JSONL = { name: 'in.jsonl', bytes: LINES.map((line) => JSON.stringify(line)).join('\n') }

describe('a batch of runs', () => {
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    limits: { quota_free: 200 + OF_COMPILE, run_batch_rows: 400 },
  })
  let tenant: ApiTenant
  let version: { conceptId: string; versionId: string }
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
    version = await givenProgramVersion(setUpOperation(database.db, tenant.id), api.server.services.signingKeys.current)
  })
  const run = async (file: { name: string; bytes: string | Uint8Array }, spec: object = {}, headers = {}) =>
    await runFile(api.url, { key: tenant.key, headers }, file, { concept_id: version.conceptId, ...spec })
  const unitsUsed = async (): Promise<number> => {
    const [row] = await sendSql<{ used: string }>(
      database.db,
      'select coalesce(sum(used_units), 0) as used from quota_periods where tenant_id = $1',
      [tenant.id],
    )
    return Number(row?.used ?? 0) - OF_COMPILE
  }

  it('answers the rows of a file in their order, with one receipt for all', async () => {
    const answer = await run(JSONL)
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.headers.get('content-type')).to.equal('application/jsonl; charset=utf-8')
    expect(answer.headers.get('x-svc-batch-rows')).to.equal('50')
    const lines = linesOf(answer)
    const rows = lines.slice(0, -1)
    expect(rows.map((row) => [row.row, row.output])).to.deep.equal(LINES.map((line, i) => [i + 1, line.toUpperCase()]))
    expect(rows[0]).to.include({ abstained: false, input_hash: hashJson('row number 0') })
    expect(rows[0]).to.have.all.keys(
      'abstained',
      'checks',
      'confidence',
      'input_hash',
      'output',
      'row',
      'unlike_examples',
    )
    const { batch } = lines.at(-1)
    expect(batch).to.include({ state: 'done', rows: 50, settled_rows: 50, answered: 50, errors: 0, units: 50 })
    const tree = new MerkleFrontier()
    for (const row of rows) tree.append(leafOfLine(row))
    expect(batch.receipt).to.include({
      spec: 'rb-1',
      root_hash: tree.root(),
      rows: 50,
      input_hash: sha256(JSONL.bytes),
    })
    const verified = await api.call('POST', '/v1/receipts/verify', { body: { receipt: batch.receipt } })
    expect(verified.body, verified.text).to.include({ verified: true, kind: 'batch' })
    const forged = { ...batch.receipt, rows: 49 }
    expect((await api.call('POST', '/v1/receipts/verify', { body: { receipt: forged } })).status).to.equal(409)
    expect(await unitsUsed()).to.equal(50)
    const shown = await api.call('GET', `/v1/run/batch/${batch.id}`, { key: tenant.key })
    expect(shown.body).to.deep.include(batch)
    const other = await givenApiTenant(api)
    expect((await api.call('GET', `/v1/run/batch/${batch.id}`, { key: other.key })).status).to.equal(404)
    const stats = async () => {
      await api.server.services.invocations.flush()
      return await api.call('GET', `/v1/concepts/${version.conceptId}/stats`, { key: tenant.key })
    }
    expect((await stats()).body).to.include({ invocations: 50 })
  })

  it('keeps the columns of a table and gives broken rows their errors in place', async () => {
    const csv = 'note;n\r\nfirst;1\r\nbad "quote;2\r\n"sec;ond";3\r\nshort\r\nlast;5\r\n'
    const answer = await run({ name: 'in.csv', bytes: csv }, { mapping: { input: ['note'] } })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.headers.get('content-type')).to.equal('text/csv; charset=utf-8')
    const [names, ...rows] = cellsOf(answer, ';')
    expect(names).to.deep.equal(
      'note n row output abstained confidence unlike_examples failed_checks error_code error'.split(' '),
    )
    expect(rows.map(([note, n, row, output, , , , , code]) => [note, n, row, output, code])).to.deep.equal([
      ['first', '1', '1', 'FIRST', ''],
      ['', '', '2', '', 'validation_failed'],
      ['sec;ond', '3', '3', 'SEC;OND', ''],
      ['short', '', '4', '', 'validation_failed'],
      ['last', '5', '5', 'LAST', ''],
    ])
    expect(rows[1]?.at(-1)).to.match(/line\[3\]: column 5: a quotation mark stands inside a value/)
    expect(rows[3]?.at(-1)).to.match(/line\[5\]: has 1 cell, the first row has 2/)
    const { receipt, answered, errors, units } = await batchOf(answer)
    expect({ answered, errors, units }).to.deep.equal({ answered: 3, errors: 2, units: 3 })
    const tree = new MerkleFrontier()
    for (const cells of rows) tree.append(leafOfCells(cells))
    expect(receipt.root_hash).to.equal(tree.root())
  })

  it('counts the rows that it leaves out', async () => {
    const bytes = 'Notes of May\n\ninput,n\nfirst,1\ninput,n\nlast,2\n'
    const answer = await run({ name: 'in.csv', bytes })
    expect(cellsOf(answer).map(([input]) => input)).to.deep.equal(['input', 'first', 'last'])
    expect(answer.headers.get('x-svc-batch-left-out')).to.equal('2')
    expect((await run(JSONL)).headers.get('x-svc-batch-left-out')).to.equal('0')
  })

  it('takes lists, objects, workbooks and other forms of the answer', async () => {
    const broken = await run({ name: 'in.jsonl', bytes: '"one"\n{"input":"two"}\n{"input": oops}\n[1]\n\n"five"' })
    expect(linesOf(broken).slice(0, -1)).to.have.nested.property('[2].error.code', 'invalid_json')
    expect(linesOf(broken)[2].error).to.include({ line: 3, column: 11 })
    expect(linesOf(broken)[3].error).to.include({ code: 'recipe_failed', line: 4 })
    expect(linesOf(broken).map(({ output }) => output)).to.deep.equal([
      'ONE',
      'TWO',
      undefined,
      undefined,
      'FIVE',
      undefined,
    ])
    const inline = await api.call('POST', '/v1/run/batch', {
      key: tenant.key,
      body: { version_id: version.versionId, inputs: ['a', { input: 'b' }] },
      headers: { accept: 'text/csv' },
    })
    expect(cellsOf(inline).map(([input, , output]) => [input, output])).to.deep.equal([
      ['input', 'output'],
      ['a', 'A'],
      ['b', 'B'],
    ])
    const bare = await api.call('POST', '/v1/run/batch', {
      key: tenant.key,
      body: { version_id: version.versionId, inputs: ['a', 7, { input: 'b' }], bare: true },
    })
    expect(linesOf(bare).map(({ output }) => output)).to.deep.equal(['A', undefined, undefined, undefined])
    expect(linesOf(bare)[1].error).to.not.have.property('line')
    expect(linesOf(bare)[1].error.message).to.match(/^inputs\[1\]: /)
    expect(linesOf(bare)[2].error.message).to.match(/^inputs\[2\]: /)
    const named = await run({ name: 'in.csv', bytes: 'input,output,svc_output\nx,1,2\n' })
    expect(cellsOf(named)[0]?.slice(0, 5)).to.deep.equal(['input', 'output', 'svc_output', 'row', 'svc_svc_output'])
    const sheet = await workbook([{ name: 'Notes', rows: [['note'], ['x'], ['y']] }])
    expect(cellsOf(await run({ name: 'in.xlsx', bytes: sheet })).map((cells) => cells[2])).to.deep.equal([
      'output',
      'X',
      'Y',
    ])
    const glossary = [
      ['term', 'meaning'],
      ['a', 'b'],
    ]
    const questions = await workbook([
      { name: 'Questions', rows: [['question'], ['x'], ['y']] },
      { name: 'Glossary', rows: glossary },
    ])
    const either = await run({ name: 'in.xlsx', bytes: questions })
    expect(either.body, either.text).to.include({ code: 'validation_failed' })
    expect(either.body.error).to.contain('mapping.sheet: may be "Questions" or "Glossary"')
    const asked = cellsOf(await run({ name: 'in.xlsx', bytes: questions }, { mapping: { sheet: 'Questions' } }))
    expect(asked.map(([cell, , output]) => [cell, output])).to.deep.equal([
      ['question', 'output'],
      ['x', 'X'],
      ['y', 'Y'],
    ])
    const lines = await run({ name: 'in.csv', bytes: 'note\nx\n' }, { format: 'jsonl' })
    expect(linesOf(lines)[0]).to.include({ output: 'X', row: 1 })
  })

  it('gives each row a receipt of its own on request', async () => {
    const answer = await run(JSONL, { receipts: 'rows' })
    const lines = linesOf(answer)
    expect(lines.at(-1).batch.receipt).to.equal(null)
    const { receipt, output } = lines[7]
    const body = { receipt, input: LINES[7], output }
    const verified = await api.call('POST', '/v1/receipts/verify', { body })
    expect(verified.body, verified.text).to.include({ verified: true, kind: 'run' })
  })

  it('continues after a row without a second charge, and with the same receipt', async () => {
    const headers = { 'idempotency-key': 'my batch' }
    const whole = await run(JSONL, {}, headers)
    const again = await run(JSONL, { from_row: 21 }, headers)
    expect(linesOf(again).slice(0, -1)).to.deep.equal(linesOf(whole).slice(20, -1))
    expect(linesOf(again).at(-1)).to.deep.equal(linesOf(whole).at(-1))
    expect(await unitsUsed()).to.equal(50)
    const { id } = linesOf(whole).at(-1).batch
    const byId = await runFile(api.url, tenant, JSONL, { batch_id: id, from_row: 50 })
    expect(linesOf(byId).map(({ row }) => row)).to.deep.equal([50, undefined])
    const byCid = async (artifactCid: string) =>
      await runFile(api.url, { key: tenant.key, headers }, JSONL, { artifact_cid: artifactCid })
    const [{ cid } = { cid: '' }] = await sendSql<{ cid: string }>(
      database.db,
      'select cid from artifacts where version_id = $1',
      [version.versionId],
    )
    expect(linesOf(await byCid(cid))).to.have.length(51)
    const refused = [
      await run({ name: 'in.jsonl', bytes: '"other"' }, {}, headers),
      await run(JSONL, { receipts: 'rows' }, headers),
      await run(JSONL, { bare: true }, headers),
      await byCid(`${cid.slice(0, -1)}${cid.endsWith('a') ? 'e' : 'a'}`),
      await run(JSONL, { from_row: 52 }, headers),
      await run(JSONL, { from_row: 2 }),
      await run(JSONL, { batch_id: 'bat_00000000000000000000000000' }),
    ]
    expect(refused.map(({ body }) => body.code)).to.deep.equal([
      'batch_differs',
      'batch_differs',
      'batch_differs',
      'batch_differs',
      'batch_row_ahead',
      'not_found',
      'not_found',
    ])
    expect(await unitsUsed()).to.equal(50)
    await sendSql(database.db, 'delete from run_batches where id = $1', [id])
    const forgotten = await run(JSONL, { from_row: 2 }, headers)
    expect(forgotten.body, forgotten.text).to.include({ code: 'not_found' })
    expect(forgotten.body.error).to.match(/no longer kept/)
  })

  it('stops in place when the quota ends, and continues once there are units', async () => {
    const file = { name: 'in.jsonl', bytes: Array.from({ length: 300 }, (_, i) => `"n ${i}"`).join('\n') }
    const headers = { 'idempotency-key': 'long' }
    const answer = await run(file, {}, headers)
    const lines = linesOf(answer)
    expect(lines).to.have.length(201)
    expect(lines.at(-1)).to.include({ row: 201, resume_row: 201 })
    expect(lines.at(-1).error).to.include({ code: 'quota_exhausted' })
    expect(await unitsUsed()).to.equal(200)
    const refused = await run(file, { from_row: 201 }, headers)
    expect(refused.body, refused.text).to.include({ code: 'quota_exhausted' })
    const settled = linesOf(await run(file, { from_row: 191 }, headers))
    expect(settled.slice(0, -1)).to.deep.equal(lines.slice(190, 200))
    expect(settled.at(-1)).to.include({ row: 201, resume_row: 201 })
    const [kept] = await sendSql<{ waits: boolean }>(
      database.db,
      'select touched_at > now() as waits from run_batches where tenant_id = $1',
      [tenant.id],
    )
    expect(kept?.waits).to.equal(true)
    expect(await unitsUsed()).to.equal(200)
    await sendSql(database.db, 'update quota_periods set used_units = 0 where tenant_id = $1', [tenant.id])
    const rest = linesOf(await run(file, { from_row: 201 }, headers))
    expect(rest.slice(0, -1).map(({ row }) => row)).to.deep.equal(Array.from({ length: 100 }, (_, i) => 201 + i))
    expect(rest.at(-1).batch).to.include({ state: 'done', stop_code: null, answered: 300, units: 300 })
    const tree = new MerkleFrontier()
    for (const row of [...lines.slice(0, 200), ...rest.slice(0, -1)]) tree.append(leafOfLine(row))
    expect(rest.at(-1).batch.receipt.root_hash).to.equal(tree.root())
  })

  it('refuses files that hold no rows, too many, or no column of the input', async () => {
    const many = Array.from({ length: 401 }, () => '"x"').join('\n')
    const answers = [
      await run({ name: 'in.csv', bytes: '' }),
      await run({ name: 'in.csv', bytes: 'note\n' }),
      await run({ name: 'in.jsonl', bytes: '\n\n' }),
      await run({ name: 'in.jsonl', bytes: many }),
      await run({ name: 'in.csv', bytes: 'a,b\nx,y\n' }),
      await run({ name: 'in.csv', bytes: 'a,a\nx,y\n' }),
      await run({ name: 'in.pdf', bytes: '%PDF-1.7 …' }),
    ]
    expect(answers.map(({ status, body }) => `${status} ${body.code}`)).to.deep.equal([
      '400 no_rows',
      '400 no_rows',
      '400 no_rows',
      '400 too_many_rows',
      '400 validation_failed',
      '400 validation_failed',
      '415 unsupported_media_type',
    ])
    expect(answers[4]?.body.error).to.match(/name the input column/)
    expect(await unitsUsed()).to.equal(0)
  })

  async function batchOf(answer: Answer) {
    const id = answer.headers.get('x-svc-batch-id') ?? ''
    return (await api.call('GET', `/v1/run/batch/${id}`, { key: tenant.key })).body
  }
})

function cellsOf({ text }: Answer, delimiter = ','): string[][] {
  return parseCsv(text, { delimiter, relax_column_count: true })
}
