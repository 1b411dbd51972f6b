import { connect } from 'node:net'
import { expect } from 'chai'
import { ROUTES } from '../../../api/routes.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'
import { pathOf } from '../../support/wire/declared-routes.ts'

describe('the wire', () => {
  const api = useApi({ limits: { failed_keys_per_ip_minute: 3 }, settings: { trustedProxyHops: 1 } })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })

  /** Sends bytes as they are and reads the answer until the connection ends. */
  const exchange = async (request: string): Promise<string> =>
    await new Promise((resolve, reject) => {
      const { hostname, port } = new URL(api.url)
      let answer = ''
      const socket = connect(Number(port), hostname, () => socket.write(request))
      socket.on('data', (data) => (answer += data.toString()))
      socket.on('error', reject)
      socket.on('close', () => resolve(answer))
    })

  const post = 'POST /v1/signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  for (const [what, request, status, code] of [
    ['a broken chunk', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400, 'invalid_http'],
    ['two lengths', `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400, 'invalid_http'],
    ['what is no HTTP', 'hello\r\n\r\n', 400, 'invalid_http'],
    [
      'large headers',
      `GET /health HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['an expectation', 'GET /health HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n', 417, 'unmet_expectation'],
  ] as const) {
    it(`${what} is answered in the envelope of all errors`, async () => {
      const [head = '', body = ''] = (await exchange(request)).split('\r\n\r\n')
      expect(head)
        .to.match(new RegExp(`^HTTP/1.1 ${status} `))
        .and.match(/content-type: application\/json/i)
      const envelope: { code: string; request_id: string } = JSON.parse(body)
      expect(envelope.code).to.equal(code)
      expect(head).to.contain(envelope.request_id)
    })
  }

  it('lets pages of any origin call with a key, and never with the cookie', async () => {
    const origin = 'https://shop.example'
    const asked = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-api-key',
    }
    const preflight = await api.call('OPTIONS', '/v1/run', { headers: asked })
    expect(preflight.status).to.equal(204)
    expect(preflight.headers.get('access-control-allow-methods')).to.contain('POST')
    expect(preflight.headers.get('access-control-allow-headers')).to.contain('X-API-Key')
    expect(preflight.headers.get('access-control-max-age')).to.equal('86400')
    const account = await api.call('GET', '/v1/account', { key: tenant.key, headers: { origin } })
    expect([account.status, account.headers.get('access-control-allow-origin')]).to.deep.equal([200, '*'])
    const refused = await api.call('GET', '/v1/account', { headers: { origin } })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).to.deep.equal([401, '*'])
    for (const { headers } of [preflight, account])
      expect(headers.get('access-control-allow-credentials')).to.equal(null)
    expect((await api.call('OPTIONS', '/v1/run')).status).to.equal(404)
  })

  it('opens and closes sessions for pages of its own origin only', async () => {
    const routes = ROUTES.filter(({ setsCookie }) => setsCookie)
    expect(routes.map(({ path }) => path)).to.include.members(['/v1/signin', '/v1/account/delete'])
    for (const route of routes) {
      for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
        const body = route.method === 'get' ? undefined : {}
        const answer = await api.call(route.method.toUpperCase(), pathOf(route), { body, headers })
        expect([answer.status, answer.body.code], route.path).to.deep.equal([403, 'csrf_rejected'])
      }
    }
    for (const path of ['/v1/signin', '/v1/session/login', '/v1/session/logout']) {
      const code = async (headers: Record<string, string>) =>
        (await api.call('POST', path, { body: { api_key: tenant.key }, headers })).body.code ?? 'ok'
      expect(await code({ origin: api.url, 'sec-fetch-site': 'same-origin' }), path).to.equal('ok')
      expect(await code({}), path).to.equal('ok')
    }
  })

  it('checks keys of other callers without delay while an address guesses keys', async () => {
    const other = await givenApiTenant(api)
    const lookupId = tenant.key.slice(0, 15)
    const guess = async (i: number) => {
      const key = `${lookupId}_${String(i).padStart(26, '0')}`
      const headers = { 'x-forwarded-for': '203.0.113.8' }
      return (await api.call('GET', '/v1/account', { key, headers })).body.code
    }
    for (let i = 0; i < 3; i++) await guess(i)
    const guesses = Promise.all(Array.from({ length: 60 }, async (_, i) => await guess(i + 3)))
    const owner = await api.call('GET', '/v1/account', {
      key: other.key,
      headers: { 'x-forwarded-for': '203.0.113.9' },
    })
    const codes = await guesses
    expect(owner.status, owner.text).to.equal(200)
    // A minute that turns meanwhile has three guesses of its own.
    const allowed = codes.filter((code) => code === 'invalid_credential')
    expect(allowed.length).to.be.at.most(3)
    expect(new Set(codes)).to.deep.equal(new Set(['rate_limited', 'busy', ...allowed]))
    // Each that was hashed took its time; the others were turned away while one was.
    expect(codes.filter((code) => code === 'rate_limited').length).to.be.lessThan(30)
  })

  it('limits callers who guess keys, and no caller who has one', async () => {
    const other = await givenApiTenant(api)
    const status = async (key: string) => (await api.call('GET', '/v1/account', { key })).status
    const guesses = Array.from({ length: 5 }, (_, i) => `ks_${String(i).repeat(12)}_${'0'.repeat(26)}`)
    const seen = []
    for (const guess of guesses) seen.push(await status(guess))
    expect(seen).to.deep.equal([401, 401, 401, 429, 429])
    expect(await status(tenant.key)).to.equal(200)
    // Never shown before, so not remembered as right.
    expect(await status(other.key)).to.equal(200)
    expect(await status(`${other.key.slice(0, -1)}${other.key.endsWith('0') ? '1' : '0'}`)).to.equal(429)
  })
})
