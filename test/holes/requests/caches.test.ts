import { expect } from 'chai'
import { ROUTES } from '../../../api/routes.ts'
import type { Route } from '../../../api/kernel/route.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../support/api.ts'
import { endingPathOf, givenScimToken, headersFor } from '../../support/wire/declared-routes.ts'
import { givenPlan } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

/** An answer that only the caller may cache, or no cache at all. */
const KEPT_BY_NOBODY_ELSE = /\b(?:no-store|private)\b/
/** The caching of answers that are the same for all callers. */
const PUBLIC = /^public, max-age=\d+(?:, immutable)?$/

describe('caches between the service and its callers', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  let tenant: ApiTenant
  let scimToken = ''
  before(async () => {
    tenant = await givenApiTenant(api)
    await givenPlan(database.db, tenant.id, 'business')
    scimToken = await givenScimToken(api, tenant.id)
  })
  const reads = ROUTES.filter(({ method }) => method === 'get')
  const read = async (route: Route, headers: Readonly<Record<string, string>>) => {
    const path = route.path.startsWith('/v1/orgs/{id}') ? route.path.replace('{id}', tenant.id) : endingPathOf(route)
    const answer = await api.call('GET', path, { headers })
    return { status: answer.status, cacheControl: answer.headers.get('cache-control') ?? 'nothing said' }
  }

  it('keep nothing that is answered to a credential', async () => {
    for (const route of reads.filter(({ auth }) => auth !== 'public')) {
      const { status, cacheControl } = await read(route, headersFor(route, { key: tenant.key, scimToken }))
      expect(cacheControl, `${route.path} ${status}`).to.match(KEPT_BY_NOBODY_ELSE)
    }
  })

  it('keep no refusal', async () => {
    for (const route of reads) {
      const { status, cacheControl } = await read(route, {})
      if (status < 400) continue
      expect(cacheControl, `${route.path} ${status}`).to.match(KEPT_BY_NOBODY_ELSE)
    }
    const answer = await api.call('GET', '/v1/no-such-route')
    expect(answer.headers.get('cache-control')).to.match(KEPT_BY_NOBODY_ELSE)
  })

  it('get a rule for every public answer: whether it may be kept, and for how long', async () => {
    for (const route of reads.filter(({ auth }) => auth === 'public')) {
      const { status, cacheControl } = await read(route, {})
      if (status >= 400) continue
      const isSaid = PUBLIC.test(cacheControl) || KEPT_BY_NOBODY_ELSE.test(cacheControl) || cacheControl === 'no-cache'
      expect(isSaid, `${route.path} ${status}: ${cacheControl}`).to.equal(true)
    }
  })
})
