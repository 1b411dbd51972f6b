import { expect } from 'chai'
import { givenApiTenant, useApi, type ApiTenant } from '../../../support/api.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { useService } from '../../../support/workflows/service.ts'

/** Names to labels by their length, but for those with a number, which have labels of their own making. */
const ROWS = Array.from({ length: 60 }, (_, i) => {
  const name = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald'][i % 6] ?? ''
  const word = `${name} ${'abcdefghij'[i % 10] ?? ''}${'klmnopqrst'[Math.floor(i / 6) % 10] ?? ''}`
  if (i % 5 !== 0) return { input: word, output: word.toUpperCase() }
  return { input: `${word} ${i * 37}`, output: `no. ${(i * 7919) % 1009}` }
})

describe('diagnosis of an artifact', () => {
  const service = useService()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
  })
  let tenant: ApiTenant
  let cid: string
  let id: string
  before(async () => {
    tenant = await givenApiTenant(api)
    const compiled = await api.call('POST', '/v1/compile', {
      key: tenant.key,
      body: { task: 'Capitals', examples: ROWS, base_model: 'none', k_score_floor: 0 },
    })
    expect(compiled.status, compiled.text).to.equal(200)
    id = compiled.body.id
    cid = compiled.body.cid
  })
  const call = async (method: 'GET' | 'POST', path: string, body?: object, key = tenant.key) =>
    await api.call(method, path, { key, ...(body === undefined ? {} : { body }) })

  it('records the result of each scored row with the artifact', async () => {
    const rows = await sendSql(
      service.database.db,
      'select cid, source, tenant_id from row_results where artifact_id = $1',
      [id],
    )
    expect(rows).to.have.length(ROWS.length)
    expect(rows[0]).to.include({ cid, source: 'compile' })
  })

  it('diagnoses by category, and stores the report', async () => {
    const stored = async () => (await call('GET', `/v1/artifacts/${id}`)).body.stored_reports
    expect(await stored()).to.deep.equal([])
    expect((await call('GET', `/v1/diagnose/${cid}`)).status).to.equal(404)
    const made = await call('POST', '/v1/diagnose', { artifact_cid: cid })
    expect(made.status, made.text).to.equal(200)
    const [category] = made.body.per_category
    expect(category).to.include({ name: 'general', n: ROWS.length })
    expect(category.k_score_ci_lo).to.be.below(category.k_score)
    expect(made.body.recommendations[0]).to.include({ action: 'capture_more', priority: 'high', target_count: 140 })
    const { request_id: _id, ...kept } = (await call('GET', `/v1/diagnose/${cid}`)).body
    expect(made.body).to.deep.include(kept)
    expect(await stored()).to.deep.equal(['diagnosis'])
  })

  it('names the rows that fail, with their content', async () => {
    const made = await call('POST', '/v1/failure-modes', { artifact_cid: cid })
    expect(made.status, made.text).to.equal(200)
    const [first] = made.body.clusters
    expect(first.title).to.match(/digit|number/)
    expect(first).to.include({ kind: 'slice', n: 12, wrong: 12 })
    expect(first.rows[0].input).to.match(/\d/)
    expect(first.p_adjusted).to.be.below(0.01)
    const { request_id: _id, ...stored } = (await call('GET', `/v1/failure-modes/${cid}`)).body
    expect(made.body).to.deep.include(stored)
  })

  it('reads the results out of the archive where none are recorded', async () => {
    await sendSql(service.database.db, 'delete from row_results where artifact_id = $1', [id])
    const { status, body } = await call('POST', '/v1/failure-modes', { artifact_cid: cid })
    expect([status, body.wrong]).to.deep.equal([200, 12])
  })

  it('refuses a malformed CID and answers 404 for that of another tenant', async () => {
    const stranger = await givenApiTenant(api)
    for (const path of ['/v1/diagnose', '/v1/failure-modes']) {
      expect((await call('POST', path, {})).status).to.equal(400)
      expect((await call('POST', path, { artifact_cid: 'cid' })).body.code).to.equal('invalid_cid')
      expect((await call('GET', `${path}/cid`)).body.code).to.equal('invalid_cid')
      expect((await call('POST', path, { artifact_cid: cid }, stranger.key)).status).to.equal(404)
      expect((await call('GET', `${path}/${cid}`, undefined, stranger.key)).status).to.equal(404)
    }
  })
})
