import { request as httpRequest } from 'node:http'
import { expect } from 'chai'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'

describe('requests', () => {
  const api = useApi({ settings: { metricsToken: 'a-metrics-token' } })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })

  describe('bodies', () => {
    const verify = async (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
      await api.call('POST', '/v1/receipts/verify', {
        raw,
        headers: { 'content-type': 'application/json', ...headers },
      })

    it('are refused when they are not UTF-8', async () => {
      const answer = await verify(new Uint8Array(Buffer.from('{"receipt":"\xff"}', 'latin1')))
      expect(answer.status).to.equal(400)
      expect(answer.body.code).to.equal('invalid_encoding')
    })

    for (const [what, raw, field] of [
      ['nest too deep', `{"receipt":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'body'],
      ['hold a number beyond a double', '{"receipt":{"a":[1,1e999]}}', 'receipt.a[1]'],
      ['hold an integer that a double would round', '{"receipt":12345678901234567890}', 'receipt'],
      ['hold half of a surrogate pair', '{"receipt":"\\ud800"}', 'receipt'],
      ['name a member __proto__', '{"receipt":{"__proto__":{"isAdmin":true}}}', 'receipt'],
      ['name a member twice', '{"receipt":{"a":1,"b":{"a":2},"a":3}}', 'receipt.a'],
    ] as const) {
      it(`are refused when they ${what}`, async () => {
        const answer = await verify(raw)
        expect(answer.status, answer.text).to.equal(400)
        expect(answer.body.details.fields[0].field).to.equal(field)
      })
    }

    for (const raw of ['{"receipt":NaN}', '{"receipt":Infinity}', "{'receipt':1}", '', 'null x']) {
      it(`are refused when they are ${raw === '' ? 'empty' : raw}`, async () => {
        const answer = await verify(raw)
        expect(answer.status).to.equal(400)
        expect(answer.body.code).to.equal(raw === '' ? 'malformed_receipt' : 'invalid_json')
        if (raw === '') return
        const [{ field, message }] = answer.body.details.fields
        expect(field).to.equal('body')
        expect(message).to.match(/at line 1, column \d+$/)
      })
    }

    it('keep large numbers that a double holds', async () => {
      const answer = await verify('{"receipt":6.022e23}')
      expect(answer.body.code).to.equal('malformed_receipt')
    })

    it('are refused when they are too large, compressed, or in another charset', async () => {
      const large = await verify(JSON.stringify({ receipt: 'x'.repeat(1024 * 1024) }))
      expect(large.status).to.equal(413)
      expect(large.body.code).to.equal('payload_too_large')
      expect(large.body.details.fields[0].field).to.equal('body')
      const gzip = await verify('{}', { 'content-encoding': 'gzip' })
      expect([gzip.status, gzip.body.details.fields[0].field]).to.deep.equal([415, 'content-encoding'])
      const latin = await verify('{}', { 'content-type': 'application/json; charset=latin1' })
      expect([latin.status, latin.body.details.fields[0].field]).to.deep.equal([415, 'content-type'])
    })

    it('say where they stop being JSON, and what is wrong with a field, in plain words', async () => {
      const broken = await verify('{\n  "receipt": {"a": [1, 2,]}\n}')
      expect(broken.body.error).to.equal('body: is not valid JSON at line 2, column 26')
      const problems = async (path: string, body: object) => {
        const { details } = (await api.call('POST', path, { key: tenant.key, body })).body
        return Object.fromEntries(details.fields.map(({ field, message }: Record<string, string>) => [field, message]))
      }
      const facts = { real_pairs: -5, rows: 1.5, label_noise: 'much', privacy: 'none', namespace: 7, profile: [] }
      expect(await problems('/v1/build/strategy', facts)).to.deep.equal({
        real_pairs: 'must be at least 0',
        rows: 'must be a whole number',
        label_noise: 'must be a number',
        privacy: 'must be one of standard, regulated, zero_retention, airgap',
        namespace: 'must be a text',
        profile: 'must be an object',
      })
      expect(await problems('/v1/signup', { plan: 'gold' })).to.deep.equal({
        email: 'is required',
        plan: 'must be one of free, starter, pro, teams, enterprise',
      })
      const cid = `cidv1:sha256:${'0'.repeat(64)}`
      const path = '/v1/artifact/verify-manifest'
      expect(await problems(path, { cid: 'x', hashes: {} })).to.have.all.keys('cid')
      expect(await problems(path, { cid, hashes: { 'a.json': 'x' } })).to.have.all.keys('hashes.a.json')
    })

    it('report every wrong field at once', async () => {
      const answer = await api.call('POST', '/v1/compile', {
        key: tenant.key,
        body: { task: 42, examples: 'three', base_model: 7, k_score_floor: 'high', unknown: true },
      })
      expect(answer.status).to.equal(400)
      const fields = answer.body.details.fields.map((problem: { field: string }) => problem.field)
      expect(fields).to.have.members(['task', 'examples', 'base_model', 'k_score_floor'])
    })
  })

  describe('ids', () => {
    it('are taken from the caller when they are plain, and made otherwise', async () => {
      const own = await api.call('GET', '/v1/plans', { headers: { 'x-request-id': 'my-request.0001' } })
      expect(own.headers.get('x-request-id')).to.equal('my-request.0001')
      expect(own.body.request_id).to.equal('my-request.0001')
      for (const odd of ['short', 'a b c d e f g h', `x${'y'.repeat(80)}`, 'quote"quote"']) {
        const answer = await api.call('GET', '/v1/plans', { headers: { 'x-request-id': odd } })
        expect(answer.headers.get('x-request-id')).to.match(/^req_[0-9a-z]{26}$/)
      }
    })
  })

  describe('credentials', () => {
    it('are taken from a header before a cookie, and two different ones are refused', async () => {
      const bearer = { authorization: `Bearer ${tenant.key}` }
      expect((await api.call('GET', '/v1/account', { headers: bearer })).status).to.equal(200)
      const both = await api.call('GET', '/v1/account', { key: tenant.key, headers: bearer })
      expect(both.status).to.equal(200)
      const other = await api.call('GET', '/v1/account', {
        key: tenant.key,
        headers: { authorization: 'Bearer ks_other' },
      })
      expect([other.status, other.body.code]).to.deep.equal([400, 'ambiguous_credentials'])
      const shadowed = await api.call('GET', '/v1/account', {
        key: tenant.key,
        headers: { cookie: 'svc_session=stale' },
      })
      expect(shadowed.status).to.equal(200)
      const basic = await api.call('GET', '/v1/account', { headers: { authorization: 'Basic eDp5' } })
      expect([basic.status, basic.body.code]).to.deep.equal([401, 'invalid_credential'])
    })

    it('never show up in answers', async () => {
      const account = await api.call('GET', '/v1/account', { key: tenant.key })
      expect(account.text).to.not.contain(tenant.key)
      expect(account.body).to.include({ id: tenant.id, plan: 'free', quota: 10_000 })
    })
  })

  describe('sessions', () => {
    const signIn = async () => {
      const answer = await api.call('POST', '/v1/signin', { body: { api_key: tenant.key } })
      expect(answer.body.tenant).to.include({ id: tenant.id, plan: 'free' })
      expect(answer.text).to.not.contain(tenant.key)
      const cookie = answer.headers.getSetCookie()[0] ?? ''
      expect(cookie).to.match(/^svc_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/)
      return cookie.split(';')[0] ?? ''
    }

    it('read, and write only from the own origin', async () => {
      const cookie = await signIn()
      expect((await api.call('GET', '/v1/account', { headers: { cookie } })).status).to.equal(200)
      const estimate = async (headers: Record<string, string>, raw = '{"task":"x"}') =>
        (await api.call('POST', '/v1/compile/estimate', { raw, headers: { cookie, ...headers } })).body.code ?? 'ok'
      expect(await estimate({ 'sec-fetch-site': 'same-origin' })).to.equal('ok')
      expect(await estimate({ origin: api.url })).to.equal('ok')
      expect(await estimate({})).to.equal('csrf_rejected')
      expect(await estimate({ 'sec-fetch-site': 'cross-site' })).to.equal('csrf_rejected')
      expect(await estimate({ 'sec-fetch-site': 'same-site' })).to.equal('csrf_rejected')
      expect(await estimate({ origin: 'https://evil.example' })).to.equal('csrf_rejected')
      expect(await estimate({ origin: 'null' })).to.equal('csrf_rejected')
      expect(await estimate({ origin: api.url.replace('http:', 'https:') })).to.equal('csrf_rejected')
      expect(await estimate({ 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' })).to.equal(
        'csrf_rejected',
      )
    })

    it('upload examples from the own origin only', async () => {
      const cookie = await signIn()
      const upload = async (headers: Record<string, string>) => {
        const raw = new FormData()
        raw.set('spec', JSON.stringify({ task: 'Double it', mode: 'async' }))
        raw.set('file', new File(['input,output\n1,2\n2,4\n'], 'rows.csv'))
        return (await api.call('POST', '/v1/compile', { raw, headers: { cookie, ...headers } })).body.code ?? 'ok'
      }
      expect(await upload({ 'sec-fetch-site': 'same-origin' })).to.equal('ok')
      expect(await upload({ origin: api.url })).to.equal('ok')
      expect(await upload({})).to.equal('csrf_rejected')
      expect(await upload({ 'sec-fetch-site': 'same-site' })).to.equal('csrf_rejected')
      expect(await upload({ origin: 'null' })).to.equal('csrf_rejected')
      expect(await upload({ origin: 'https://evil.example' })).to.equal('csrf_rejected')
    })

    it('end on the server when they are closed', async () => {
      const cookie = await signIn()
      const closed = await api.call('POST', '/v1/session/logout', { headers: { cookie } })
      expect(closed.status).to.equal(200)
      expect(closed.headers.getSetCookie()[0]).to.contain('Max-Age=0')
      const after = await api.call('GET', '/v1/account', { headers: { cookie } })
      expect([after.status, after.body.code]).to.deep.equal([401, 'session_expired'])
      expect((await api.call('POST', '/v1/session/logout', { headers: { cookie } })).status).to.equal(200)
    })
  })

  describe('metrics', () => {
    it('ask for their token, count by route template and name no tenant', async () => {
      const refused = await api.call('GET', '/metrics')
      expect([refused.status, refused.body.code]).to.deep.equal([401, 'invalid_metrics_bearer'])
      await api.call('GET', `/v1/compile/cmp_${'0'.repeat(26)}`, { key: tenant.key })
      const page = await api.call('GET', '/metrics', { headers: { authorization: 'Bearer a-metrics-token' } })
      expect(page.headers.get('content-type')).to.contain('text/plain')
      expect(page.text).to.contain('svc_http_requests_total{method="GET",route="/v1/compile/{id}",status="404"} 1')
      expect(page.text).to.contain('svc_compile_queue_depth{state="waiting"} 0')
      expect(page.text).to.not.contain(tenant.id)
    })
  })

  it('answer HEAD like GET without a body', async () => {
    const head = await api.call('HEAD', '/v1/plans')
    expect([head.status, head.text]).to.deep.equal([200, ''])
  })

  it('carry security headers on every answer', async () => {
    for (const path of ['/health', '/nowhere', '/v1/account', '/docs']) {
      const { headers } = await api.call('GET', path)
      expect(headers.get('content-security-policy'), path).to.contain("default-src 'none'")
      expect(headers.get('x-content-type-options'), path).to.equal('nosniff')
      expect(headers.get('x-frame-options'), path).to.equal('DENY')
      expect(headers.get('x-request-id'), path).to.match(/^req_/)
      expect(headers.get('x-powered-by'), path).to.equal(null)
    }
  })

  it('survive paths that no client library sends', async () => {
    for (const path of ['/v1/compile/%zz', '/%00', '//evil.example/v1/account', '/v1/../v1/account', '/v1\\account']) {
      expect(await rawGet(api.url, path), path).to.be.oneOf([400, 404, 401])
    }
  })
})

/** Sends a path as it is, which `fetch` would tidy up first. */
async function rawGet(url: string, path: string): Promise<number> {
  const { hostname, port } = new URL(url)
  return await new Promise((resolve, reject) => {
    httpRequest({ hostname, port, path }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}
