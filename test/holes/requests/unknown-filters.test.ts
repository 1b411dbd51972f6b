import { expect } from 'chai'
import { givenScimToken } from '../../support/wire/declared-routes.ts'
import { givenBusiness, useSsoServer } from '../../support/identity/sso.ts'
import { ADMIN_KEY } from '../../support/api.ts'

const SEARCH = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'

describe('a filter by what the service does not know', () => {
  const server = useSsoServer()
  let headers: Readonly<Record<string, string>>
  before(async () => {
    const tenant = await givenBusiness(server)
    const token = await givenScimToken(server.api, tenant.id)
    headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' }
    const userName = 'ada@example.test'
    const user = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName }
    const made = await server.api.call('POST', '/scim/v2/Users', { headers, raw: JSON.stringify(user) })
    expect(made.status, made.text).to.equal(201)
    const group = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: 'Ada' }
    const other = await server.api.call('POST', '/scim/v2/Groups', { headers, raw: JSON.stringify(group) })
    expect(other.status, other.text).to.equal(201)
  })

  for (const filter of [
    'nonsense eq "ada"',
    'nonsense pr',
    'nonsense co ""',
    'meta.nonsense eq 1',
    'password eq "x"',
    'urn:nonsense:User:userName pr',
    'emails[nonsense eq "x"]',
  ]) {
    it(`finds no user in a directory: ${filter}`, async () => {
      for (const endpoint of ['Users', 'Groups']) {
        const path = `/scim/v2/${endpoint}`
        const all = await server.api.call('GET', path, { headers })
        expect(all.body.totalResults, all.text).to.be.greaterThan(0)
        const listed = await server.api.call('GET', `${path}?filter=${encodeURIComponent(filter)}`, { headers })
        const raw = JSON.stringify({ schemas: [SEARCH], filter })
        const searched = await server.api.call('POST', `${path}/.search`, { headers, raw })
        for (const { status, body, text } of [listed, searched]) {
          // Either no user matches it, or it is not a filter at all.
          expect(status === 200 ? body.totalResults : body.scimType, text).to.be.oneOf([0, 'invalidFilter'])
        }
      }
    })
  }

  it('finds nothing in the lists of the operator', async () => {
    for (const [path, list] of [
      ['/v1/admin/tenants?q=nonsense-that-names-no-tenant', 'tenants'],
      ['/v1/admin/audit?op=nonsense', 'events'],
      ['/v1/admin/audit?tenant_id=ten_0123456789abcdefghjkmnpqrs', 'events'],
      ['/v1/admin/compile-jobs?status=nonsense', 'jobs'],
    ] as const) {
      const { status, body, text } = await server.api.call('GET', path, { headers: { 'x-admin-key': ADMIN_KEY } })
      expect(status === 200 ? body[list] : body.code, `${path}: ${text}`).to.satisfy(
        (found: unknown) => found === 'validation_failed' || (Array.isArray(found) && found.length === 0),
      )
    }
  })
})
