import { expect } from 'chai'
import { givenApiTenant, NO_TEMPORAL, useApi } from '../../support/api.ts'
import { givenProgramVersion } from '../../support/archives/signed-artifacts.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

describe('the name of a tenant', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })

  it('identifies nothing: a renamed tenant keeps everything, and a tenant that takes its old name gets nothing', async () => {
    const tenant = await givenApiTenant(api)
    const { key } = tenant
    const signer = api.server.services.signingKeys.current
    const { conceptId, jobId } = await givenProgramVersion(setUpOperation(database.db, tenant.id), signer)
    await api.call('POST', '/v1/account/api-control-center/events', { key, body: { payload: { text: 'hello' } } })
    await api.call('PUT', '/v1/account/settings', { key, body: { locale: 'de-DE' } })
    const facts = async (of: string) => {
      await api.server.services.meter.flush()
      const get = async (path: string) => (await api.call('GET', path, { key: of })).body
      return {
        jobs: (await get('/v1/compile')).jobs.map(({ id }: { id: string }) => id),
        artifacts: (await get('/v1/artifacts')).artifacts?.length,
        counts: (await get('/v1/account/state')).counts,
        locale: (await get('/v1/account/settings')).settings.locale,
        used: (await get('/v1/account')).period.used,
        isWhole: (await get('/v1/account/audit-log/verify')).verified,
      }
    }
    const before = await facts(key)
    expect(before).to.deep.include({ jobs: [jobId], locale: 'de-DE', isWhole: true })
    expect(before.counts).to.deep.include({ artifacts: 1, captures: 1 })

    const { name } = (await api.call('GET', '/v1/account', { key })).body
    const renamed = await api.call('PATCH', `/v1/orgs/${tenant.id}`, { key, body: { name: 'another-name' } })
    expect(renamed.status, renamed.text).to.equal(200)
    expect(await facts(key)).to.deep.equal(before)
    const run = await api.call('POST', '/v1/run', { key, body: { concept_id: conceptId, input: 'ada' } })
    expect([run.status, run.body.output]).to.deep.equal([200, 'ADA'])

    const newcomer = await givenApiTenant(api)
    const taken = await api.call('PATCH', `/v1/orgs/${newcomer.id}`, { key: newcomer.key, body: { name } })
    expect(taken.status, taken.text).to.equal(200)
    expect(await facts(newcomer.key)).to.deep.include({ jobs: [], locale: 'en-US', used: 0 })
    const confirm = await api.call('POST', '/v1/account/delete', { key, body: { confirm: `DELETE ${name}` } })
    expect([confirm.status, confirm.body.code]).to.deep.equal([400, 'confirm_mismatch'])
  })
})
