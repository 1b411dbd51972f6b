import { expect } from 'chai'
import { parse as parseCsv } from 'csv-parse/sync'
import { CHARGED_TO_NOBODY } from '../../../../db/billing/usage/charged-to.ts'
import { continueBatch } from '../../../../db/compile/batches/open-batch.ts'
import { settleRows } from '../../../../db/compile/batches/settle-rows.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { givenProgramVersion } from '../../../support/archives/signed-artifacts.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'
import { linesOf, runFile } from '../../../support/wire/batches.ts'
import { eventually } from '../../../support/wire/eventually.ts'

describe('a batch that is continued', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  let tenant: ApiTenant
  let version: { conceptId: string; versionId: string }
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
    version = await givenProgramVersion(setUpOperation(database.db, tenant.id), api.server.services.signingKeys.current)
  })
  const run = async (file: { name: string; bytes: string }, spec: object = {}, headers = {}) =>
    await runFile(api.url, { key: tenant.key, headers }, file, { concept_id: version.conceptId, ...spec })

  it('is refused where its file is read otherwise than it was', async () => {
    const file = { name: 'in.csv', bytes: 'note,input\nx,one\ny,two\n' }
    const setColumn = async (column: string) =>
      await sendSql(
        database.db,
        `with job as (update compile_jobs set spec = spec::jsonb || jsonb_build_object('input_column', $1::text) where tenant_id = $2)
         select pg_notify('svc_concepts', $3)`,
        [column, tenant.id, version.conceptId],
      )
    await setColumn('note')
    const headers = { 'idempotency-key': 'read otherwise' }
    const whole = await run(file, {}, headers)
    const outputs = (text: string) => parseCsv(text).map((cells) => cells[3])
    expect(outputs(whole.text), whole.text).to.deep.equal(['output', 'X', 'Y'])
    expect(outputs((await run(file, { from_row: 2 }, headers)).text)).to.deep.equal(['Y'])
    const id = whole.headers.get('x-svc-batch-id') ?? ''
    await sendSql(database.db, 'update run_batches set rows = 3 where id = $1', [id])
    const longer = await run(file, { from_row: 2 }, headers)
    expect(longer.body, longer.text).to.include({ code: 'batch_differs' })
    expect(longer.body.error).to.match(/was read as 3 rows, and is read as 2/)
    await sendSql(database.db, 'update run_batches set rows = 2 where id = $1', [id])
    await setColumn('input')
    // The process learns of the change by a notification.
    await eventually(async () => {
      const other = await run(file, { from_row: 2 }, headers)
      expect(other.body, other.text).to.include({ code: 'batch_differs' })
      expect(other.body.error).to.match(/another reading of the input/)
    })
    const { body } = await api.call('GET', `/v1/run/batch/${id}`, { key: tenant.key })
    expect(body).to.include({ settled_rows: 2, units: 2 })
  })

  it('belongs to one of several calls that continue it at once', async () => {
    const { batch } = linesOf(
      await run({ name: 'in.jsonl', bytes: Array.from({ length: 50 }, (_, i) => `"${i}"`).join('\n') }),
    ).at(-1)
    const op = setUpOperation(database.db, tenant.id)
    const taken = await Promise.all(Array.from({ length: 5 }, async () => await continueBatch(op, batch.id)))
    expect(taken.map(({ epoch }) => epoch).toSorted((a, b) => a - b)).to.deep.equal([2, 3, 4, 5, 6])
    const stream = {
      batchId: batch.id,
      epoch: 6,
      payer: { plan: 'free', quota: null },
      chargedTo: CHARGED_TO_NOBODY,
      limits: api.server.services.limits,
    } as const
    const counts = { answered: 10, abstained: 0, unlike: 0, errors: 0 }
    const work = { latencyUs: 0, promptTokens: 0, newTokens: 0 }
    const rows = { rowsBefore: 40, settledRows: 60, counts, units: 10, marks: [], ...work }
    expect(await settleRows(op, stream, rows).catch((error: unknown) => error)).to.include({ code: 'batch_continued' })
    const shown = await api.call('GET', `/v1/run/batch/${batch.id}`, { key: tenant.key })
    expect(shown.body).to.include({ settled_rows: 50, units: 50 })
  })
})
