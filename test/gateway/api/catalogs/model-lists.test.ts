import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { sendSql } from '../../../support/db/send-sql.ts'
import { givenPlan } from '../../../support/people/given-members.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../../support/api.ts'

/** An answer of a provider's list. */
interface ListAnswer {
  readonly status?: number
  readonly body: unknown
}

const OK: ListAnswer = { body: { object: 'list', data: [{ id: 'm-1', created: 1_721_172_741 }] } }
/** The answers by provider; those of a test are asked in it alone, as lists are kept for a minute. */
const ANSWERS: Readonly<Record<string, ListAnswer>> = {
  openai: OK,
  anthropic: OK,
  deepseek: {
    body: {
      data: [
        { id: 'deepseek-a', created: 1_721_172_741_000_000 },
        { id: 'deepseek-b', created: '2024-07-01', display_name: 5 },
        { id: 'deepseek-c', created: -1 },
        { id: 7 },
        'a text',
        null,
        { id: 'deepseek-d', created: 1_721_172_741 },
      ],
    },
  },
  groq: { status: 503, body: { error: { message: 'overloaded' } } },
  together: { status: 401, body: { error: { message: 'wrong key' } } },
  fireworks: { body: { data: [{ id: 'x'.repeat(2 * 1024 * 1024) }] } },
}

describe('the lists of models of providers', () => {
  const asked: string[] = []
  let server: Server
  let url = ''
  before(async () => {
    server = createServer((request, response) => {
      const [, id = ''] = (request.url ?? '').split('/')
      asked.push(id)
      const { status = 200, body } = ANSWERS[id] ?? { status: 404, body: {} }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address() satisfies AddressInfo | string | null
    url = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : ''
  })
  after(async () => await new Promise<void>((resolve) => server.close(() => resolve())))

  const api = useApi({
    settings: {
      get upstreams() {
        return Object.fromEntries(Object.keys(ANSWERS).map((id) => [id, { baseUrl: `${url}/${id}`, apiKey: 'key-op' }]))
      },
    },
  })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })
  const list = async (key = tenant.key) => await api.call('GET', '/v1/models', { key })
  const countOf = (id: string) => asked.filter((one) => one === id).length

  it('keep their other models where an entry cannot be read, and have no time where it is in another unit', async () => {
    const { status, body } = await list()
    expect(status).to.equal(200)
    const times = body.data
      .filter(({ owned_by: owner }: { owned_by: string }) => owner === 'deepseek')
      .map(({ id, created }: { id: string; created: number }) => [id, created])
    expect(times).to.deep.equal([
      ['deepseek-a', 0],
      ['deepseek-b', 0],
      ['deepseek-c', 0],
      ['deepseek-d', 1_721_172_741],
    ])
  })

  it('are left out of the list when their provider gives none, and fail a model of theirs as a call would', async () => {
    const { body } = await list()
    const owners = new Set(body.data.map(({ owned_by: owner }: { owned_by: string }) => owner))
    expect([...owners]).to.have.members(['openai', 'anthropic', 'deepseek'])
    for (const [name, status, code] of [
      ['groq:m', 503, 'provider_overloaded'],
      ['together:m', 502, 'provider_auth_failed'],
      ['fireworks:m', 502, 'provider_invalid_response'],
      ['openrouter:m', 503, 'no_provider_key'],
    ] as const) {
      const one = await api.call('GET', `/v1/models/${name}`, { key: tenant.key })
      expect([one.status, one.body.error.code], name).to.deep.equal([status, code])
    }
  })

  it('are asked for once a minute, also by several callers at once', async () => {
    const other = await givenApiTenant(api)
    const before = countOf('anthropic')
    const lists = await Promise.all([list(), list(), list(other.key)])
    lists.push(await list())
    for (const { body } of lists) expect(body.data).to.deep.equal(lists[0]?.body.data)
    expect(countOf('anthropic') - before).to.be.at.most(1)
  })

  it('count as calls of the tenant’s minute when they are asked for, and are no use of a stored key', async () => {
    const { db } = api.server.services
    await givenPlan(db, tenant.id, 'teams')
    const change = { providers: { openai: { rate_limit_rpm: 1 } } }
    await api.call('POST', '/v1/gateway/providers/config', { key: tenant.key, body: change })
    const storeKey = async (value: string) => {
      const body = { provider: 'openai', value }
      const stored = await api.call('POST', '/v1/account/provider-keys', { key: tenant.key, body })
      expect(stored.status, stored.text).to.equal(200)
    }
    const hasOpenai = async () => {
      const { body } = await list()
      return body.data.some(({ owned_by: owner }: { owned_by: string }) => owner === 'openai')
    }
    await storeKey('sk-first-0123456789abcdef')
    expect([await hasOpenai(), await hasOpenai()]).to.deep.equal([true, true])
    await storeKey('sk-second-0123456789abcde')
    expect(await hasOpenai()).to.equal(false)
    const one = await api.call('GET', '/v1/models/openai:m-1', { key: tenant.key })
    expect([one.status, one.body.error.code]).to.deep.equal([429, 'rate_limited'])
    const used = await sendSql<{ last_used_at: Date | null }>(
      db,
      'select last_used_at from provider_keys where tenant_id = $1',
      [tenant.id],
    )
    expect(used).to.deep.equal([{ last_used_at: null }])
  })
})
