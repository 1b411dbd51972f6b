import { schemasOf } from '../../support/wire/declared-routes.ts'
import { expect } from 'chai'
import { ROUTES } from '../../../api/routes.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { useApi } from '../../support/api.ts'

/** A load balancer, and the office behind one address, ask this often. */
const PROBES_PER_SECOND = 50

describe('a public route', () => {
  const open = ROUTES.filter(({ auth }) => auth === 'public' || auth === 'optional')

  it('has a limit per address, on every route', () => {
    expect(open.length).to.be.above(40)
    for (const route of open) expect(route.limit, `${route.method} ${route.path}`).not.to.equal(undefined)
  })

  it('leaves probes room: a limit far above what balancers ask', () => {
    for (const path of ['/health', '/ready', '/v1/health']) {
      const limit = open.find((route) => route.path === path)?.limit
      if (limit === undefined) throw new Error(`${path} has no limit`)
      expect(DEFAULT_LIMITS[limit.limit] / limit.windowS, path).to.be.at.least(PROBES_PER_SECOND)
    }
  })

  it('keeps answers only where there is no input, and for all callers the same', () => {
    const kept = ROUTES.filter(({ keptForS }) => keptForS !== undefined)
    expect(kept.length).to.be.above(8)
    for (const route of kept) {
      const { params, query, body } = schemasOf(route)
      const input = [params, query, body].filter((schema) => schema !== undefined)
      expect([route.method, route.auth, input], route.path).to.deep.equal(['get', 'public', []])
    }
  })

  describe('under a small limit', () => {
    const few = {
      probes_per_ip_minute: 3,
      documents_per_ip_minute: 3,
      checks_per_ip_minute: 3,
      page_files_per_ip_minute: 3,
    }
    const api = useApi({ limits: few, settings: { trustedProxyHops: 1 } })

    for (const [method, path, body] of [
      ['GET', '/health', undefined],
      ['GET', '/openapi.json', undefined],
      ['POST', '/v1/receipts/verify', { receipt: 1 }],
      ['GET', '/docs', undefined],
    ] as const) {
      it(`answers 429 with Retry-After to one address and goes on for another: ${path}`, async () => {
        const call = async (ip: string) => await api.call(method, path, { body, headers: { 'x-forwarded-for': ip } })
        for (let i = 0; i < 3; i++) expect((await call('203.0.113.7')).status, String(i)).to.be.oneOf([200, 400])
        const refused = await call('203.0.113.7')
        expect([refused.status, refused.body.code]).to.deep.equal([429, 'rate_limited'])
        expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
        expect((await call('203.0.113.8')).status).to.be.oneOf([200, 400])
      })
    }
  })

  describe('with an answer that is kept', () => {
    const api = useApi()
    for (const route of ROUTES.filter(({ keptForS }) => keptForS !== undefined)) {
      it(`answers 304 to the tag of the answer: ${route.path}`, async () => {
        const first = await api.call('GET', route.path)
        const etag = first.headers.get('etag') ?? ''
        expect([first.status, etag], first.text.slice(0, 200)).to.satisfy(([status]: unknown[]) => status === 200)
        expect(etag).to.match(/^(?:W\/)?"[\w-]{43}"$/)
        // A tag of an answer that carries the id of its call cannot stand for its bytes.
        expect(etag.startsWith('W/'), route.path).to.equal(first.body.request_id !== undefined)
        const again = await api.call('GET', route.path, { headers: { 'if-none-match': `"other", ${etag}` } })
        expect([again.status, again.text, again.headers.get('etag')]).to.deep.equal([304, '', etag])
        const other = await api.call('GET', route.path, { headers: { 'if-none-match': '"other"' } })
        expect(other.status).to.equal(200)
        expect(other.body.request_id ?? null).to.equal(
          first.body.request_id === undefined ? null : other.headers.get('x-request-id'),
        )
      })
    }

    it('keeps the files of the documentation in memory, with their tags', async () => {
      const page = await api.call('GET', '/docs/assets/scalar.js')
      expect(page.bytes.length).to.be.above(100_000)
      const headers = { 'if-none-match': page.headers.get('etag') ?? '' }
      expect((await api.call('GET', '/docs/assets/scalar.js', { headers })).status).to.equal(304)
    })
  })
})
