import { Validator } from '@seriousme/openapi-schema-validator'
import { expect } from 'chai'
import { ROUTES } from '../../api/routes/index.ts'
import type { Route } from '../../api/kernel/route.ts'
import { ERROR_CODES } from '../../core/errors.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../support/api.ts'

const NOBODYS = '0123456789abcdefghjkmnpqrs'
const IDS: Readonly<Record<string, string>> = {
  '/v1/compile': `cmp_${NOBODYS}`,
  '/v1/artifacts': `cmp_${NOBODYS}`,
  '/v1/exports': `exp_${NOBODYS}`,
  '/v1/concepts': `cpt_${NOBODYS}`,
  '/v1/cid': `cidv1:sha256:${'0'.repeat(64)}`,
}

/** The path of a route with ids that nobody owns. */
function pathOf(route: Route): string {
  const prefix = Object.keys(IDS).find((start) => route.path.startsWith(`${start}/`)) ?? ''
  return route.path.replace(/\{\w+\}/, IDS[prefix] ?? '')
}

function expectError(answer: Answer, status: number, code?: string): void {
  expect(answer.status, answer.text).to.equal(status)
  expect(answer.body.error).to.be.a('string')
  expect(ERROR_CODES).to.have.property(answer.body.code)
  expect(answer.body.request_id).to.equal(answer.headers.get('x-request-id'))
  if (code !== undefined) expect(answer.body.code).to.equal(code)
}

describe('every declared route', () => {
  const api = useApi()
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })

  for (const route of ROUTES) {
    const name = `${route.method.toUpperCase()} ${route.path}`
    const method = route.method.toUpperCase()

    if (route.auth === 'key') {
      it(`${name} refuses callers without a key, with a wrong one, and without a live session`, async () => {
        const path = pathOf(route)
        const body = method === 'POST' ? {} : undefined
        expectError(await api.call(method, path, { body }), 401, 'missing_credential')
        expectError(
          await api.call(method, path, { body, key: `ks_${'0'.repeat(12)}_${'0'.repeat(26)}` }),
          401,
          'invalid_credential',
        )
        const cookie = { cookie: 'svc_session=0000', 'sec-fetch-site': 'same-origin' }
        expectError(await api.call(method, path, { body, headers: cookie }), 401, 'session_expired')
      })
    }

    it(`${name} is reached by its exact path only`, async () => {
      const path = pathOf(route)
      const upper = path.replace(/[a-z]/, (letter) => letter.toUpperCase())
      for (const other of [`${path}/`, upper, path.replace(/(?<=.)\//, '%2F'), `/${path}`]) {
        if (other === path) continue
        expectError(await api.call(method, other, { key: tenant.key }), 404, 'route_not_found')
      }
      const headers = { 'x-http-method-override': method }
      expectError(await api.call('PATCH', path, { key: tenant.key, headers }), 404, 'route_not_found')
      expectError(await api.call(method, `${path}?api_key=${tenant.key}`), 401, 'api_key_in_query_unsupported')
    })

    if (method === 'POST') {
      it(`${name} refuses broken and foreign bodies`, async () => {
        const path = pathOf(route)
        expectError(await api.call(method, path, { key: tenant.key, raw: '{"broken": ' }), 400, 'invalid_json')
        const headers = { 'content-type': 'text/plain' }
        expectError(
          await api.call(method, path, { key: tenant.key, raw: '{}', headers }),
          415,
          'unsupported_media_type',
        )
        if (route.body === undefined) return
        const junk = await api.call(method, path, { key: tenant.key, body: [1, 2] })
        expect(junk.status, junk.text).to.equal(400)
        expect(junk.body.details.fields[0]).to.have.all.keys('field', 'message')
      })
    }

    if (route.params !== undefined) {
      it(`${name} answers 404 for ids that nobody owns and for what is no id`, async () => {
        expectError(await api.call(method, pathOf(route), { key: tenant.key }), 404, 'not_found')
        const odd = await api.call(method, route.path.replace(/\{\w+\}/, 'odd%00id'), { key: tenant.key })
        expectError(odd, route.path.includes('{cid}') ? 400 : 404)
      })
    }
  }

  it('needs a scope wherever it needs a key', () => {
    for (const route of ROUTES) expect(route.scope === undefined, route.path).to.equal(route.auth === 'public')
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

  it('has a reference page that loads nothing from another host', async () => {
    const page = await api.call('GET', '/docs')
    expect(page.status).to.equal(200)
    expect(page.headers.get('content-security-policy')).to.contain("default-src 'none'").and.not.contain('http')
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(links).to.have.length.greaterThan(2)
    for (const link of links) {
      expect(link).to.match(/^\/docs\/assets\//)
      expect((await api.call('GET', link)).status, link).to.equal(200)
    }
    expect((await api.call('GET', '/docs/assets/../../package.json')).status).to.equal(404)
  })
})
