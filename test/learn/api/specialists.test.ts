import { expect } from 'chai'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../support/api.ts'
import { UPPER_PROGRAM } from '../../support/archives/archives.ts'
import { givenVersion } from '../../support/archives/signed-artifacts.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

describe('candidates for a specialist', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }), limits: { specialist_calls: 500 } })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })
  const call = async (method: string, path: string, body?: unknown, key = tenant.key) =>
    await api.call(method, path, { key, ...(body !== undefined && { body }) })

  it('are the recipes that are called often, by the counts of their calls', async () => {
    const candidates = async () => (await call('GET', '/v1/bridges/specialist-candidates')).body
    expect(await candidates()).to.deep.include({ candidates: [], threshold: 500, total: 0 })
    const { signingKeys, receiptSecrets, invocations } = api.server.services
    const [busy, rare] = await Promise.all(
      ['Shout', 'Whisper'].map(async (task) =>
        givenVersion(setUpOperation(database.db, tenant.id), {
          recipe: { kind: 'program', recipe: UPPER_PROGRAM },
          training: null,
          signer: signingKeys.current,
          macKey: await receiptSecrets.current(tenant.id),
          task,
        }),
      ),
    )
    const run = (version: typeof busy, calls: number) =>
      invocations.recordRows({
        tenantId: tenant.id,
        conceptId: version?.conceptId ?? '',
        versionId: version?.versionId ?? '',
        calls,
        failures: 0,
        latencyUs: calls,
        usage: null,
      })
    run(busy, 300)
    run(rare, 49)
    await invocations.flush()
    run(busy, 200)
    await invocations.flush()
    const { candidates: listed } = await candidates()
    expect(listed).to.have.length(1)
    expect(listed[0]).to.deep.include({ recipe_id: busy?.conceptId, name: 'shout', invocations: 500, ready: true })
    const outsider = await givenApiTenant(api)
    const other = await call('GET', '/v1/bridges/specialist-candidates', undefined, outsider.key)
    expect(other.body.total).to.equal(0)
  })
})
