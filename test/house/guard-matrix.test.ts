import { request as httpRequest } from 'node:http'
import { expect } from 'chai'
import type { Route } from '../../api/kernel/route.ts'
import { ROUTES } from '../../api/routes.ts'
import { rotateKeyRoute } from '../../api/accounts/keys/primary.ts'
import { ROLES, scopesOfRole } from '../../core/accounts/roles.ts'
import { grantsScope } from '../../core/kernel/scopes.ts'
import { SCOPES } from '../../core/scopes.ts'
import { ADMIN_KEY, givenApiTenant, useApi, type Answer, type ApiTenant } from '../support/api.ts'
import {
  givenScimToken,
  headersFor,
  pathOf,
  routeAt,
  unusedMethod,
  type Credentials,
} from '../support/wire/declared-routes.ts'
import { givenKey } from '../support/people/given-keys.ts'
import { findOwner, givenMember, givenPlan, givenSession, setUpOperation } from '../support/people/given-members.ts'
import { sendSql } from '../support/db/send-sql.ts'

const nameOf = (route: Route): string => `${route.method.toUpperCase()} ${route.path}`
const takesBody = (route: Route): boolean => route.method !== 'get' && route.method !== 'delete'
const guarded = ROUTES.filter((route) => route.auth !== 'public')
/** Routes that ask a key for a scope. */
const scoped = ROUTES.flatMap((route) => (route.scope === undefined ? [] : [{ route, scope: route.scope }]))

/** Status and machine code of an answer; the code is absent where the form of the route has no place for it. */
function refusalOf({ status, body }: Answer): readonly [number, unknown] {
  return [status, body.code]
}

/** Calls with path and headers as they are: `fetch` would tidy the one and join repeated ones of the other. */
async function callRaw(url: string, method: string, path: string, headers: readonly string[]): Promise<Answer> {
  const { hostname: host, port } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const options = { host, port, path, method, headers: ['host', new URL(url).host, ...headers] }
  const sent = httpRequest(options, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const text = bytes.toString()
      const body: unknown = text.startsWith('{') ? JSON.parse(text) : {}
      resolve({ status: response.statusCode ?? 0, headers: new Headers(), text, bytes, body })
    })
  })
  sent.on('error', reject)
  sent.end()
  return await promise
}

/** The path with a capital in its last fixed part: what follows is an id, whose case is its own. */
function upperLastName(route: Route): string {
  const parts = pathOf(route).split('/')
  const last = route.path.split('/').findLastIndex((part) => !part.startsWith('{'))
  return parts
    .with(
      last,
      (parts[last] ?? '').replace(/[a-z]/, (letter) => letter.toUpperCase()),
    )
    .join('/')
}

/** Every way to write the path of a route that a router, or a proxy before it, could take for the same one. */
function disguisesOf(route: Route): readonly string[] {
  const path = pathOf(route)
  const [first = '', ...rest] = path.slice(1).split('/')
  const below = rest.length === 0 ? '' : `/${rest.join('/')}`
  const disguises = [
    path.replace(/[a-z]/, (letter) => letter.toUpperCase()),
    path.toUpperCase(),
    upperLastName(route),
    `${path}/`,
    `${path}//`,
    `/${path}`,
    path.replaceAll('/', '//'),
    path.replace(/(?<=.)\//, '%2F'),
    path.replace(/\/(?=[^/]*$)/, '%2f'),
    path.replace(/(?<=.)\//, '%5C'),
    path.replace(/(?<=.)\//, '\\'),
    `/.${path}`,
    `/x/..${path}`,
    `/${first}/.${below}`,
    `/${first}/x/..${below}`,
    `/${first}/%2e${below}`,
    `/${first}/x/%2E%2e${below}`,
    `/%${first.charCodeAt(0).toString(16)}${first.slice(1)}${below}`,
  ]
  return disguises.filter((other) => other !== path)
}

/** So many of the ways in which a route is tried; the next route takes the next ones, so that the routes share all of them. */
function shareOf<T>(ways: readonly T[], at: number, count: number): readonly T[] {
  return Array.from({ length: Math.min(count, ways.length) }, (_, i) => ways[(at * count + i) % ways.length]).filter(
    (way) => way !== undefined,
  )
}

describe('guard', () => {
  const api = useApi()
  let tenant: ApiTenant
  let credentials: Credentials
  before(async () => {
    tenant = await givenApiTenant(api)
    credentials = { key: tenant.key, scimToken: await givenScimToken(api, tenant.id) }
  })

  it('upper-case paths never pass the guard', async () => {
    for (const [at, route] of guarded.entries()) {
      const method = route.method.toUpperCase()
      const credential = Object.entries(headersFor(route, credentials)).flat()
      for (const path of shareOf(disguisesOf(route), at, 4)) {
        for (const headers of [[], credential]) {
          const answer = await callRaw(api.url, method, path, headers)
          // The other path may name an id of a route beside it, which has a guard of its own.
          const hidesSlash = /%2f|%5c|\/\/|\\/i.test(path)
          const beside = hidesSlash ? undefined : routeAt(route.method, path)
          if (beside === undefined) {
            expect(refusalOf(answer), `${method} ${path}`).to.deep.equal([404, 'route_not_found'])
          } else if (headers.length === 0) {
            expect(answer.status, `${method} ${path}`).to.equal(401)
          }
        }
      }
      if (route.auth === 'optional') continue
      // These may be ids of a route beside it, which has a guard too.
      for (const ending of shareOf([';x=1', '%00', '.json', '%20', '?', '#'], at, 1)) {
        const { status } = await api.call(method, `${pathOf(route)}${ending}`)
        expect(status, `${method} ${route.path}${ending}`).to.be.oneOf([401, 404])
      }
    }
    const listed = await api.call('GET', '/V1/artifacts', { key: tenant.key })
    expect(refusalOf(listed)).to.deep.equal([404, 'route_not_found'])
  }).timeout(300_000)

  it('an address in place of a path, or HEAD in place of GET, is refused as the route itself', async () => {
    for (const route of guarded.filter(({ auth }) => auth !== 'optional')) {
      const method = route.method.toUpperCase()
      const whole = await callRaw(api.url, method, `http://elsewhere.test${pathOf(route)}`, [])
      expect(whole.status, nameOf(route)).to.equal(401)
      if (route.method !== 'get') continue
      const head = await callRaw(api.url, 'HEAD', pathOf(route), [])
      expect([head.status, head.text], nameOf(route)).to.deep.equal([401, ''])
    }
  })

  it('a trailing slash on rotate-key mints nothing', async () => {
    const { db } = api.server.services
    const { key } = await givenKey(db, { tenantId: tenant.id, scopes: ['capture:read'] })
    for (const path of disguisesOf(rotateKeyRoute)) {
      for (const credential of [key, tenant.key]) {
        const answer = await callRaw(api.url, 'POST', path, ['x-api-key', credential])
        expect(refusalOf(answer), path).to.deep.equal([404, 'route_not_found'])
        expect(answer.text).not.to.contain('ks_')
      }
    }
    const [row] = await sendSql<{ keys: number }>(db, 'select count(*) as keys from api_keys where tenant_id = $1', [
      tenant.id,
    ])
    // The primary key, that narrow one, and the token of the identity provider.
    expect(row?.keys).to.equal(3)
    expect((await api.call('GET', '/v1/account', { key: tenant.key })).status).to.equal(200)
  })

  it('a capture:read key cannot delete, rotate, configure or export', async () => {
    const { key } = await givenKey(api.server.services.db, { tenantId: tenant.id, scopes: ['capture:read'] })
    const dangerous = scoped.filter(
      ({ route, scope }) => scope !== 'capture:read' && !route.orScopes.includes('capture:read'),
    )
    expect(dangerous.map(({ route }) => route.path)).to.include.members([
      '/v1/account/delete',
      '/v1/account/rotate-key',
      '/v1/account/rotate-receipt-secret',
      '/v1/account/settings',
      '/v1/account/export',
      '/v1/account/sso/configure',
    ])
    for (const { route, scope } of dangerous) {
      const answer = await api.call(route.method.toUpperCase(), pathOf(route), {
        key,
        ...(takesBody(route) && { body: { confirm: 'DELETE' } }),
      })
      expect(refusalOf(answer), nameOf(route)).to.deep.equal([403, 'insufficient_scope'])
      expect(answer.body.details, nameOf(route)).to.deep.equal({ required: scope })
    }
    expect((await api.call('GET', '/v1/account', { key: tenant.key })).status).to.equal(200)
  })

  it('refuses every route to a key that has all scopes but its own', async () => {
    const { db } = api.server.services
    const keys = new Map<string, string>()
    for (const [at, { route, scope }] of scoped.entries()) {
      const enough: readonly string[] = [scope, ...route.orScopes]
      const name = enough.join()
      const key =
        keys.get(name) ??
        (await givenKey(db, { tenantId: tenant.id, scopes: SCOPES.filter((other) => !enough.includes(other)) })).key
      keys.set(name, key)
      const method = route.method.toUpperCase()
      const options = takesBody(route) ? { key, body: {} } : { key }
      const plain = await api.call(method, pathOf(route), options)
      expect(refusalOf(plain), nameOf(route)).to.deep.equal([403, 'insufficient_scope'])
      const overrides = [
        { 'x-http-method-override': 'GET' },
        { 'x-http-method': 'GET', 'x-method-override': 'GET' },
        { 'x-original-url': '/health', 'x-rewrite-url': '/health' },
      ]
      for (const headers of shareOf(overrides, at, 1)) {
        const disguised = await api.call(method, pathOf(route), { ...options, headers })
        expect(refusalOf(disguised), nameOf(route)).to.deep.equal(refusalOf(plain))
      }
      const asked = takesBody(route) ? { key, body: { _method: 'GET' } } : { key }
      const named = await api.call(method, `${pathOf(route)}?_method=GET&method=GET`, asked)
      expect(refusalOf(named), nameOf(route)).to.deep.equal(refusalOf(plain))
    }
  }).timeout(300_000)

  it('takes no other method for the one of a route, whatever a header or field says', async () => {
    for (const [at, route] of guarded.entries()) {
      const method = route.method.toUpperCase()
      const path = pathOf(route)
      for (const name of shareOf(['x-http-method-override', 'x-http-method', 'x-method-override'], at, 1)) {
        const headers = { ...headersFor(route, credentials), [name]: method }
        const answer = await api.call(unusedMethod(path), `${path}?_method=${method}`, { headers })
        expect(refusalOf(answer), nameOf(route)).to.deep.equal([404, 'route_not_found'])
      }
    }
  }).timeout(300_000)

  it('lets a member do what the role says and nothing else, on every route', async () => {
    const { db } = api.server.services
    const org = await givenApiTenant(api)
    await givenPlan(db, org.id, 'business')
    for (const role of ROLES.filter((each) => each !== 'owner')) {
      const { headers } = await givenSession(db, await givenMember(setUpOperation(db, org.id), { role }))
      const allowed = scopesOfRole(role)
      for (const { route, scope } of scoped) {
        if ([scope, ...route.orScopes].some((each) => grantsScope(allowed, each))) continue
        const body = takesBody(route) ? { body: {} } : {}
        const answer = await api.call(route.method.toUpperCase(), pathOf(route), { headers, ...body })
        expect(refusalOf(answer), `${role} ${nameOf(route)}`).to.deep.equal([403, 'insufficient_scope'])
      }
    }
  }).timeout(300_000)

  it('refuses a credential that is there twice, whatever the second one is', async () => {
    const narrow = await givenKey(api.server.services.db, { tenantId: tenant.id, scopes: ['capture:read'] })
    const { sessionId: _sessionId, headers } = await givenSession(
      api.server.services.db,
      await findOwner(setUpOperation(api.server.services.db, tenant.id)),
    )
    for (const [at, route] of guarded.entries()) {
      const repeated = [
        ['x-api-key', narrow.key, 'x-api-key', tenant.key],
        ['x-api-key', tenant.key, 'X-API-Key', tenant.key],
        ['authorization', `Bearer ${narrow.key}`, 'authorization', `Bearer ${tenant.key}`],
        ['authorization', `Bearer ${narrow.key}`, 'x-api-key', tenant.key],
        ['cookie', `${headers.cookie}; svc_session=other`, 'sec-fetch-site', 'same-origin'],
        ['x-admin-key', ADMIN_KEY, 'X-Admin-Key', ADMIN_KEY],
        ...(route.auth === 'admin'
          ? [
              ['x-admin-key', ADMIN_KEY, 'x-api-key', tenant.key],
              ['authorization', `Bearer ${tenant.key}`, 'x-admin-key', ADMIN_KEY],
            ]
          : []),
      ]
      for (const given of shareOf(repeated, at, 2)) {
        const answer = await callRaw(api.url, route.method.toUpperCase(), pathOf(route), given)
        if (route.errorShape?.name === 'Scim') expect(answer.status, nameOf(route)).to.equal(400)
        else expect(refusalOf(answer), `${nameOf(route)} ${given[0]}`).to.deep.equal([400, 'ambiguous_credentials'])
      }
    }
  })

  it('never takes the token of an identity provider for a key', async () => {
    const { scimToken: key } = credentials
    for (const route of guarded.filter(({ auth }) => auth === 'key' || auth === 'optional')) {
      const answer = await api.call(route.method.toUpperCase(), pathOf(route), {
        key,
        ...(takesBody(route) && { body: {} }),
      })
      expect(refusalOf(answer), nameOf(route)).to.deep.equal([401, 'invalid_credential'])
    }
    const signIn = await api.call('POST', '/v1/signin', { body: { api_key: key } })
    expect(refusalOf(signIn)).to.deep.equal([401, 'invalid_credential'])
  })
})
