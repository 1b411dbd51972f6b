import { expect } from 'chai'
import type { Route } from '../../../api/kernel/route.ts'
import { ROUTES } from '../../../api/routes.ts'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../support/api.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { DOWNLOADS, givenDownloads } from '../../support/wire/walks/downloads.ts'

/** Routes whose bytes are no stored file, or that are no download. */
const NO_DOWNLOADS: Readonly<Record<string, string>> = {
  readTrainerDocument: 'a machine reads its input under its lease',
  readTrainerCheckpoint: 'a machine reads its checkpoint under its lease',
  createSpeech: 'the answer of a provider',
  getEvaluationLog: 'written from the rows while it is sent',
}
/** Media types of stored files. */
const FILES = ['application/zip', 'application/octet-stream']

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
