import { expect } from 'chai'
import type { Route } from '../../../api/kernel/route.ts'
import { ROUTES } from '../../../api/routes.ts'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../support/api.ts'
import { givenProgramArtifact } from '../../support/archives/signed-artifacts.ts'
import { givenRun } from '../../support/db/given-run.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { DOWNLOADS, givenDownloads } from '../../support/wire/walks/downloads.ts'

/** Routes whose bytes are no stored file, or that are no download. */
const NO_DOWNLOADS: Readonly<Record<string, string>> = {
  readTrainerDocument: 'a machine reads its input under its lease',
  readTrainerCheckpoint: 'a machine reads its checkpoint under its lease',
  createSpeech: 'the answer of a provider',
  getEvaluationLog: 'written from the rows while it is sent, and whole',
}
/** Media types of stored files. */
const FILES = ['application/zip', 'application/octet-stream']
/** The log of an evaluation of one row, in the files of lm-evaluation-harness. */
const LOG = {
  'results_2026-05-01T10-00-00.000000.json': { results: { capitals: { 'acc,none': 1 } }, model_name: 'gpt2' },
  'samples_capitals_2026-05-01T10-00-00.000000.jsonl': {
    doc_id: 0,
    doc: { question: 'Q' },
    target: '1',
    filter: 'none',
    metrics: ['acc'],
    acc: 1,
    resps: [['True']],
    arguments: { gen_args_0: { arg_0: 'Q' } },
  },
}

describe('a download', () => {
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    limits: { share_calls_per_ip_minute: 1000, planning_calls_per_ip_minute: 1000 },
  })
  let tenant: ApiTenant
  let op: Operation
  let paths: Readonly<Record<string, string>> = {}
  before(async () => {
    tenant = await givenApiTenant(api)
    op = setUpOperation(database.db, tenant.id)
    paths = await givenDownloads(api, tenant)
  })

  const pathOf = ({ operationId }: Route): string => {
    const path = paths[operationId]
    return path ?? expect.fail(`${operationId} hands out a file: say here which one`)
  }
  /** Payloads of the lines that the calls added to the ledger, oldest first. */
  const linesOf = async (calls: () => Promise<void>): Promise<readonly unknown[]> => {
    const read = async () => (await listAudit(op, { limit: 100 })).items.toReversed()
    const seen = (await read()).length
    await calls()
    const added = (await read()).slice(seen)
    for (const { action } of added) expect(action).to.match(/\.downloaded$/)
    return added.map(({ payload }) => payload)
  }

  it('is a route with parts wherever a stored file is handed out', () => {
    const whole = ROUTES.filter(({ answers, operationId }) => {
      const answer = answers[200]
      return answer?.kind === 'raw' && FILES.includes(answer.mediaType) && !(operationId in NO_DOWNLOADS)
    })
    expect(whole.filter((route) => !DOWNLOADS.includes(route)).map(({ operationId }) => operationId)).to.deep.equal([])
  })

  it('of the log of an evaluation leaves one line, and none when no byte is answered', async () => {
    const form = new FormData()
    for (const [name, content] of Object.entries(LOG)) form.append('file', new File([JSON.stringify(content)], name))
    const imported = await api.call('POST', '/v1/evals/import', { key: tenant.key, raw: form })
    expect(imported.status, imported.text).to.equal(201)
    const ask = async (method: string, query = '', headers = {}) =>
      await api.call(method, `/v1/evals/${imported.body.evaluation_id}/log${query}`, { key: tenant.key, headers })
    const lines = await linesOf(async () => {
      expect((await ask('HEAD')).status).to.equal(200)
      expect((await ask('GET', '?format=none')).status).to.equal(400)
      expect((await ask('GET')).status).to.equal(200)
      expect((await ask('GET', '?format=lm-eval', { range: 'bytes=1-2' })).status).to.equal(200)
    })
    expect(lines).to.deep.equal([{ format: 'inspect' }, { format: 'lm-eval' }])
    await expectAudited(op, 'evaluation.downloaded', imported.body.evaluation_id)
  })

  for (const route of DOWNLOADS) {
    it(`by ${route.method} ${route.path} leaves one line for each answer with bytes, whatever part it is`, async () => {
      const get = async (range?: string, method = 'GET') =>
        await api.call(method, pathOf(route), {
          ...(route.auth !== 'public' && { key: tenant.key }),
          ...(range !== undefined && { headers: { range } }),
        })
      const lines = await linesOf(async () => {
        expect((await get()).status).to.equal(200)
        for (const range of ['bytes=0-3', 'bytes=1-', 'bytes=1-2', 'bytes=-2']) {
          expect((await get(range)).status, range).to.equal(206)
        }
      })
      expect(lines).to.have.length(5)
      expect(lines.slice(0, 2)).to.deep.equal([{}, { first_byte: 0, last_byte: 3 }])
      expect(lines[3]).to.deep.equal({ first_byte: 1, last_byte: 2 })
    })

    it(`by ${route.method} ${route.path} leaves none when no byte is answered`, async () => {
      const ask = async (method: string, headers: Readonly<Record<string, string>>) =>
        await api.call(method, pathOf(route), { ...(route.auth !== 'public' && { key: tenant.key }), headers })
      const etag = (await ask('GET', {})).headers.get('etag') ?? ''
      expect(
        await linesOf(async () => {
          expect((await ask('HEAD', {})).status).to.equal(200)
          expect((await ask('GET', { 'if-none-match': etag })).status).to.equal(304)
          expect((await ask('GET', { range: 'bytes=99999999-' })).status).to.equal(416)
        }),
      ).to.deep.equal([])
    })
  }
})
