import { expect } from 'chai'
import { ROUTES } from '../../../api/routes.ts'
import { OPERATOR_TENANT_ID } from '../../../db/kernel/operation.ts'
import {
  givenApiTenant,
  NO_TEMPORAL,
  useApi,
  type Answer,
  type ApiTenant,
  type CallOptions,
} from '../../support/api.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { givenKey } from '../../support/people/given-keys.ts'
import { findOwner, givenMember, givenPlan, givenSession, setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

const seen = ({ status, body }: Answer) => `${status} ${body.code ?? 'ok'}`
/** Admin routes that can be read without knowing anything. */
const READS = ROUTES.filter(({ auth, method, params }) => auth === 'admin' && method === 'get' && params === undefined)

describe('owners of a tenant that runs the service', () => {
  const database = useDatabase()
  const admins = new Set<string>()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }), settings: { adminTenants: admins } })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
    await givenPlan(database.db, tenant.id, 'business')
  })
  beforeEach(() => admins.add(tenant.id))
  const readAll = async (caller: CallOptions): Promise<ReadonlySet<string>> => {
    const answers = []
    for (const { path } of READS) answers.push(await api.call('GET', path, caller))
    return new Set(answers.map(seen))
  }

  it('see and do all as owners, by key and by session, and each act names them', async () => {
    expect(READS.length).to.be.greaterThan(7)
    const { headers, sessionId } = await givenSession(
      database.db,
      await findOwner(setUpOperation(database.db, tenant.id)),
    )
    for (const caller of [{ key: tenant.key }, { headers }]) {
      expect([...(await readAll(caller))]).to.deep.equal(['200 ok'])
    }
    const made = await api.call('POST', '/v1/admin/tenant', { headers, body: { name: 'made-by-an-owner' } })
    expect(seen(made)).to.equal('201 ok')
    const { actor } = await expectAudited(setUpOperation(database.db, OPERATOR_TENANT_ID), 'admin.action')
    expect(actor).to.equal(`admin:${sessionId}`)
  })

  it('are the only administrators: no member, no narrower key, no other tenant', async () => {
    const op = setUpOperation(database.db, tenant.id)
    const admin = await givenSession(database.db, await givenMember(op, { role: 'admin' }))
    const wide = await givenKey(database.db, { tenantId: tenant.id, scopes: ['*'] })
    const scim = await givenKey(database.db, { tenantId: tenant.id, scopes: ['*'], kind: 'scim' })
    const other = await givenApiTenant(api)
    for (const caller of [{ headers: admin.headers }, { key: wide.key }, { key: scim.key }, { key: other.key }]) {
      expect([...(await readAll(caller))]).to.deep.equal(['403 admin_only'])
    }
  })

  it('are not called for by a page of another site, nor by a key in the header of the admin key', async () => {
    const { headers } = await givenSession(database.db, await findOwner(setUpOperation(database.db, tenant.id)))
    const lured = await api.call('POST', '/v1/admin/tenant', {
      headers: { ...headers, 'sec-fetch-site': 'cross-site' },
      body: { name: 'lured' },
    })
    expect(seen(lured)).to.equal('403 csrf_rejected')
    const misplaced = await api.call('GET', '/v1/admin/stats', { headers: { 'x-admin-key': tenant.key } })
    expect(seen(misplaced)).to.equal('401 invalid_credential')
  })

  it('are so for as long as the operator says', async () => {
    admins.delete(tenant.id)
    expect([...(await readAll({ key: tenant.key }))]).to.deep.equal(['403 admin_only'])
  })
})
