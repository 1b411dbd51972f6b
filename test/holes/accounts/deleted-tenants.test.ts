import { expect } from 'chai'
import { verifyArchive } from '../../../core/compile/archive/verify.ts'
import { JwkSet } from '../../../core/ledger/keys/jwk.ts'
import { ADMIN_KEY, givenApiTenant, NO_TEMPORAL, useApi } from '../../support/api.ts'
import { givenProgramVersion } from '../../support/archives/signed-artifacts.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

describe('a deleted tenant', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  const asAdmin = async (path: string) => await api.call('GET', path, { headers: { 'x-admin-key': ADMIN_KEY } })

  it('leaves what it signed verifiable, and opens nothing any more', async () => {
    const tenant = await givenApiTenant(api)
    const { key } = tenant
    const signer = api.server.services.signingKeys.current
    const { conceptId, jobId } = await givenProgramVersion(setUpOperation(database.db, tenant.id), signer)
    const run = await api.call('POST', '/v1/run', { key, body: { concept_id: conceptId, input: 'ada' } })
    expect(run.status, run.text).to.equal(200)
    const archive = (await api.call('GET', `/v1/artifacts/${jobId}/download`, { key })).bytes
    const { name } = (await api.call('GET', '/v1/account', { key })).body
    const verify = async () =>
      (await api.call('POST', '/v1/receipts/verify', { body: { receipt: run.body.receipt, input: 'ada' } })).body
    expect(await verify()).to.include({ verified: true, kind: 'run' })

    const deleted = await api.call('POST', '/v1/account/delete', { key, body: { confirm: `DELETE ${name}` } })
    expect(deleted.status, deleted.text).to.equal(200)
    expect(await verify()).to.include({ verified: true, kind: 'run' })
    const published = JwkSet.parse((await api.call('GET', '/.well-known/jwks.json')).body)
    expect(await verifyArchive(archive, { trustedKeys: published.keys })).to.include({ ok: true })
    for (const path of ['/v1/account', '/v1/artifacts', `/v1/artifacts/${jobId}/download`, '/v1/account/export']) {
      const answer = await api.call('GET', path, { key })
      expect([answer.status, answer.body.code], path).to.deep.equal([401, 'invalid_credential'])
    }
    const again = await api.call('POST', '/v1/run', { key, body: { concept_id: conceptId, input: 'ada' } })
    expect([again.status, again.body.code]).to.deep.equal([401, 'invalid_credential'])
  })

  it('is in no list of tenants, and in no count of them', async () => {
    const count = async () => (await asAdmin('/v1/admin/stats')).body.tenants.total
    const before = await count()
    const { id, key } = await givenApiTenant(api)
    const { name } = (await api.call('GET', '/v1/account', { key })).body
    expect((await asAdmin(`/v1/admin/tenants?q=${id}`)).body.total).to.equal(1)
    expect(await count()).to.equal(before + 1)
    await api.call('POST', '/v1/account/delete', { key, body: { confirm: `DELETE ${name}` } })
    for (const q of [id, name]) {
      expect((await asAdmin(`/v1/admin/tenants?q=${q}`)).body, q).to.deep.include({ total: 0, tenants: [] })
    }
    expect(await count()).to.equal(before)
  })
})
