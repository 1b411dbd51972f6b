import { Validator } from '@seriousme/openapi-schema-validator'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { accountsRoutes } from '../../api/accounts/index.ts'
import { BILLING_ROUTES } from '../../api/billing/index.ts'
import { COMPILE_ROUTES } from '../../api/compile/index.ts'
import { EVIDENCE_ROUTES } from '../../api/evidence/index.ts'
import { GATEWAY_ROUTES } from '../../api/gateway/index.ts'
import { LEARN_ROUTES } from '../../api/learn/index.ts'
import { LEDGER_ROUTES } from '../../api/ledger/index.ts'
import { overviewRoutes } from '../../api/overview/index.ts'
import { ROUTES } from '../../api/routes.ts'
import type { Route } from '../../api/kernel/route.ts'
import { ERROR_CODES } from '../../core/errors.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant, type CallOptions } from '../support/api.ts'
import {
  bodyOf,
  givenScimToken,
  headersFor,
  pathOf,
  schemasOf,
  unusedMethod,
  type Credentials,
} from '../support/wire/declared-routes.ts'

/** Routes, by operation id, that do not answer 404 for ids without an owner; each with the reason. */
const UNKNOWN_IDS: Readonly<Record<string, number>> = {
  // The providers are known; no server of these tests is registered with one.
  startOAuth: 503,
  finishOAuth: 503,
  // The path names a model, and callers correct its name.
  generateContent: 400,
  generateContentBeta: 400,
  countContentTokens: 400,
  countContentTokensBeta: 400,
  embedContent: 400,
  embedContentBeta: 400,
  batchEmbedContents: 400,
  batchEmbedContentsBeta: 400,
  // The path names a model, and no provider has a key in these tests.
  getModel: 503,
  getModelBeta: 503,
  // A namespace without settings has the defaults.
  getGatewayNamespace: 200,
  putGatewayNamespace: 200,
  // A namespace without flagged captures has an empty queue.
  listCopyrightQueue: 200,
  // The path names a kind of report, of which there is a fixed list.
  getCcShape: 200,
  // Only what has the form of an id is looked for.
  getDistillRun: 404,
  cancelDistillRun: 404,
  streamDistillRun: 404,
  getDistillRunAdapter: 404,
  // Short paths lead on.
  startOAuthShort: 302,
  finishOAuthShort: 302,
  // The plan of these tests has no SCIM, and that comes first.
  getScimUser: 402,
  replaceScimUser: 402,
  patchScimUser: 402,
  deleteScimUser: 402,
  getScimGroup: 402,
  replaceScimGroup: 402,
  patchScimGroup: 402,
  deleteScimGroup: 402,
}

/** The error in the form of its route, which names the code where the form has a place for it. */
function expectError(answer: Answer, status: number, code?: string, route?: Route): void {
  expect(answer.status, answer.text).to.equal(status)
  if (route?.errorShape?.name === 'Scim') {
    expect(answer.body).to.include({ status: String(status) })
    expect(answer.body.schemas).to.deep.equal(['urn:ietf:params:scim:api:messages:2.0:Error'])
    return
  }
  expect(answer.body.error).to.be.a(route?.errorShape === undefined ? 'string' : 'object')
  expect(ERROR_CODES).to.have.property(answer.body.code)
  expect(answer.body.request_id).to.equal(answer.headers.get('x-request-id'))
  if (code !== undefined) expect(answer.body.code).to.equal(code)
}

describe('every declared route', () => {
  const api = useApi()
  let tenant: ApiTenant
  let credentials: Credentials
  before(async () => {
    tenant = await givenApiTenant(api)
    credentials = { key: tenant.key, scimToken: await givenScimToken(api, tenant.id) }
  })
  /** Calls the route with a credential that its guard accepts. */
  const callAs = async (route: Route, method: string, path: string, options: CallOptions = {}) =>
    await api.call(method, path, { ...options, headers: { ...headersFor(route, credentials), ...options.headers } })

  for (const [at, route] of ROUTES.entries()) {
    const method = route.method.toUpperCase()
    const name = `${method} ${route.path}`
    const takesBody = method === 'POST' || method === 'PUT' || method === 'PATCH'

    if (route.auth !== 'public' && route.auth !== 'optional') {
      it(`${name} refuses callers without a credential, with a wrong one, and without a live session`, async () => {
        const path = pathOf(route)
        const body = takesBody ? {} : undefined
        expectError(await api.call(method, path, { body }), 401, 'missing_credential', route)
        const key = `ks_${'0'.repeat(12)}_${'0'.repeat(26)}`
        expectError(await api.call(method, path, { body, key }), 401, 'invalid_credential', route)
        if (route.auth === 'scim') {
          expectError(await api.call(method, path, { body, key: tenant.key }), 401, 'invalid_credential', route)
          return
        }
        const cookie = { cookie: 'svc_session=0000', 'sec-fetch-site': 'same-origin' }
        expectError(await api.call(method, path, { body, headers: cookie }), 401, 'session_expired', route)
        if (route.auth === 'admin') {
          expectError(await api.call(method, path, { body, key: tenant.key }), 403, 'admin_only')
        }
      })
    }

    it(`${name} is reached by its exact path only`, async () => {
      const path = pathOf(route)
      const upper = path.replace(/[a-z]/, (letter) => letter.toUpperCase())
      // The routes share the ways to write a path otherwise; the matrix of the guard has more of them.
      const others = [`${path}/`, upper, path.replace(/(?<=.)\//, '%2F'), `/${path}`].filter((other) => other !== path)
      expectError(await callAs(route, method, others[at % others.length] ?? ''), 404, 'route_not_found')
      const headers = { 'x-http-method-override': method }
      expectError(await callAs(route, unusedMethod(path), path, { headers }), 404, 'route_not_found')
      expectError(await api.call(method, `${path}?api_key=${tenant.key}`), 401, 'api_key_in_query_unsupported', route)
    })

    if (takesBody && route.rawBody === undefined) {
      it(`${name} refuses broken and foreign bodies`, async () => {
        const path = pathOf(route)
        expectError(await callAs(route, method, path, { raw: '{"broken": ' }), 400, 'invalid_json', route)
        const headers = { 'content-type': 'text/plain' }
        expectError(await callAs(route, method, path, { raw: '{}', headers }), 415, 'unsupported_media_type', route)
        if (schemasOf(route).body === undefined) return
        const junk = await callAs(route, method, path, { body: [1, 2] })
        expect(junk.status, junk.text).to.equal(400)
        if (route.errorShape === undefined) expect(junk.body.details.fields[0]).to.have.all.keys('field', 'message')
      })
    }

    if (route.params !== undefined) {
      it(`${name} answers 404 for ids without an owner and for malformed ids`, async () => {
        const options = { body: bodyOf(route) }
        const other = UNKNOWN_IDS[route.operationId]
        const unknown = await callAs(route, method, pathOf(route), options)
        const odd = await callAs(route, method, route.path.replaceAll(/\{\w+\}/g, 'odd%00id'), options)
        if (other === undefined) {
          expectError(unknown, 404, undefined, route)
          expectError(odd, route.path.includes('{cid}') ? 400 : 404, undefined, route)
          return
        }
        expect(unknown.status, unknown.text).to.equal(other)
        expect(odd.status, odd.text).to.be.oneOf([other, 400, 404])
      })
    }
  }

  it('needs a scope wherever it takes a key', () => {
    for (const route of ROUTES) {
      const takesKeys = route.auth === 'key' || route.auth === 'optional'
      expect(route.scope !== undefined, route.path).to.equal(takesKeys)
    }
  })

  it('is described by a valid OpenAPI document', async () => {
    const { body, headers } = await api.call('GET', '/openapi.json')
    expect(headers.get('content-type')).to.contain('application/json')
    const result = await new Validator().validate(body)
    expect(result.valid, JSON.stringify(result.errors)).to.equal(true)
    const described = Object.entries<object>(body.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    )
    expect(described.toSorted()).to.deep.equal(ROUTES.map((route) => `${route.method} ${route.path}`).toSorted())
    const ids = ROUTES.map((route) => route.operationId)
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('has documentation that loads nothing from another host', async () => {
    for (const path of ['/docs', '/docs/api']) {
      const page = await api.call('GET', path)
      expect(page.status).to.equal(200)
      expect(page.headers.get('content-security-policy')).to.contain("default-src 'none'").and.not.contain('http')
      const links = [...page.text.matchAll(/(?:src|<link[^>]* href)="([^"]+)"/g)].map((match) => match[1] ?? '')
      expect(links).to.have.length.greaterThan(3)
      for (const link of links) {
        expect(link).to.match(/^\/(?:docs|console)\//)
        expect((await api.call('GET', link)).status, link).to.equal(200)
      }
    }
    expect((await api.call('GET', '/docs/assets/../../package.json')).status).to.equal(404)
  })
})

describe('the area of a route', () => {
  const lists: Readonly<Record<string, readonly Route[]>> = {
    ledger: LEDGER_ROUTES,
    accounts: accountsRoutes(() => ROUTES),
    billing: BILLING_ROUTES,
    gateway: GATEWAY_ROUTES,
    compile: COMPILE_ROUTES,
    learn: LEARN_ROUTES,
    evidence: EVIDENCE_ROUTES,
    overview: overviewRoutes(() => ROUTES),
  }
  /** The area of each path of the table in ARCHITECTURE.md, without `/v1/`. */
  const areas = new Map(
    readFileSync('ARCHITECTURE.md', 'utf8')
      .split('| area | its routes begin with |')[1]
      ?.split('\n\n')[0]
      ?.split('\n')
      .flatMap((row) => {
        const [area = '', ...paths] = [...row.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
        return paths.map((path) => [path, area] as const)
      }),
  )
  /** The longest path of the table that a route begins with. */
  const beginningOf = ({ path }: Route): string | undefined => {
    const segments = path.replace(/^\/(?:v1\/)?/, '').split('/')
    return segments
      .map((_, dropped) => segments.slice(0, segments.length - dropped).join('/'))
      .find((beginning) => areas.has(beginning))
  }

  it('is the one that the table of paths in ARCHITECTURE.md names', () => {
    const listed = Object.entries(lists).flatMap(([area, routes]) => routes.map((route) => ({ area, route })))
    expect(listed).to.have.length(ROUTES.length)
    const misplaced = listed.filter(({ area, route }) => areas.get(beginningOf(route) ?? '') !== area)
    expect(misplaced.map(({ area, route }) => `${route.path} is in api/${area}`)).to.deep.equal([])
  })

  it('has no path in the table that no route begins with', () => {
    const used = new Set(ROUTES.map(beginningOf))
    expect([...areas.keys()].filter((path) => !used.has(path))).to.deep.equal([])
  })
})
