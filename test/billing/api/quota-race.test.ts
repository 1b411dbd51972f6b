import { expect } from 'chai'
import { startServer, type RunningServer } from '../../../api/server.ts'
import { periodOf } from '../../../db/billing/quota/period.ts'
import { call, givenApiTenant, NO_TEMPORAL, serverOptions, type ApiTenant } from '../../support/api.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenProgramVersion } from '../../support/archives/signed-artifacts.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('quota over two API servers', () => {
  const database = useDatabase({ poolSize: 4 })
  const servers: RunningServer[] = []
  let now = new Date('2026-05-20T12:00:00Z')
  before(async () => {
    for (let i = 0; i < 2; i++) {
      servers.push(await startServer(serverOptions({ now: () => now }, { database, temporal: NO_TEMPORAL })))
    }
  })
  after(async () => {
    await Promise.all(servers.map(async (server) => await server.stop()))
  })
  const on = (index: number): string => servers[index % servers.length]?.url ?? ''
  const givenTenant = async (): Promise<ApiTenant> =>
    await givenApiTenant({ call: async (...args) => await call(on(0), ...args) })
  const run = async (tenant: ApiTenant, artifact: string, input: string, index: number) =>
    await call(on(index), 'POST', '/v1/run', {
      key: tenant.key,
      body: { concept_id: artifact, input, use_cache: false, receipt: false },
    })
  const givenConcept = async (tenant: ApiTenant): Promise<string> => {
    const signer = servers[0]?.services.signingKeys.current
    return (await givenProgramVersion(setUpOperation(database.db, tenant.id), signer)).conceptId
  }
  /** Leaves the tenant so many units of the month. */
  const leave = async (tenant: ApiTenant, units: number): Promise<void> => {
    await sendSql(
      database.db,
      `insert into quota_periods (tenant_id, period, used_units) values ($1, $2, $3)
       on conflict (tenant_id, period) do update set used_units = excluded.used_units`,
      [tenant.id, periodOf(now), 10_000 - units],
    )
  }

  it('lets exactly ten of a hundred concurrent metered calls pass when ten units are left', async () => {
    const tenant = await givenTenant()
    const concept = await givenConcept(tenant)
    await leave(tenant, 10)
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => await run(tenant, concept, `input ${i}`, i)),
    )
    expect(answers.filter(({ status }) => status === 200)).to.have.length(10)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).to.deep.equal(
      new Set(['402 quota_exhausted']),
    )
    expect(refused[0]?.body.details).to.include({ used: 10_000, quota: 10_000, resets_at: '2026-06-01T00:00:00.000Z' })
  })

  it('over quota the account and billing still answer', async () => {
    const tenant = await givenTenant()
    const concept = await givenConcept(tenant)
    await leave(tenant, 0)
    expect((await run(tenant, concept, 'a', 0)).status).to.equal(402)
    for (const path of ['/v1/account', '/v1/billing/usage', '/v1/billing/meters', '/v1/orgs', '/v1/compile']) {
      expect((await call(on(1), 'GET', path, { key: tenant.key })).status, path).to.equal(200)
    }
    const { body } = await call(on(1), 'GET', '/v1/billing/usage', { key: tenant.key })
    expect(body).to.include({ used: 10_000, quota: 10_000, period: '2026-05' })
  })

  it('quota starts anew each UTC month', async () => {
    const tenant = await givenTenant()
    const concept = await givenConcept(tenant)
    await leave(tenant, 1)
    expect((await run(tenant, concept, 'a', 0)).status).to.equal(200)
    expect((await run(tenant, concept, 'b', 1)).status).to.equal(402)
    const may = now
    now = new Date('2026-06-01T00:00:00Z')
    try {
      expect((await run(tenant, concept, 'c', 1)).status).to.equal(200)
      expect((await run(tenant, concept, 'd', 0)).status).to.equal(200)
    } finally {
      now = may
    }
  })

  it("a tenant's own number stands in place of its plan's, on every server", async () => {
    const tenant = await givenTenant()
    const concept = await givenConcept(tenant)
    await sendSql(database.db, 'update tenants set quota_override = 13 where id = $1', [tenant.id])
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => await run(tenant, concept, `input ${i}`, i)),
    )
    expect(answers.filter(({ status }) => status === 200)).to.have.length(13)
    const refused = answers.find(({ status }) => status === 402)
    expect(refused?.body.details).to.include({ quota: 13 })
    const compile = await call(on(0), 'POST', '/v1/compile', {
      key: tenant.key,
      body: { task: 'Any', examples: Array.from({ length: 4 }, (_, i) => ({ input: `${i}`, output: `${i}` })) },
    })
    expect([compile.status, compile.body.code]).to.deep.equal([402, 'quota_exhausted'])
  })
})
