import { expect } from 'chai'
import { startServer, type RunningServer } from '../../../api/server.ts'
import { call, givenApiTenant, NO_TEMPORAL, serverOptions, useApi } from '../../support/api.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

describe('calls per tenant over two API servers', () => {
  const database = useDatabase({ poolSize: 2 })
  const stores = () => ({ database, temporal: NO_TEMPORAL })
  let now = new Date('2026-05-20T12:00:03Z')
  const options = { now: () => now, limits: { requests_per_tenant_minute: 180 } }
  const servers: RunningServer[] = []
  before(async () => {
    for (let i = 0; i < 2; i++) servers.push(await startServer(serverOptions(options, stores())))
  })
  after(async () => {
    await Promise.all(servers.map(async (server) => await server.stop()))
  })
  const on = (index: number): string => servers[index % servers.length]?.url ?? ''

  it('pass as often as the limit says, with standard headers, and start anew with the next window', async () => {
    const tenant = await givenApiTenant({ call: async (...args) => await call(on(0), ...args) })
    const ask = async (index: number) => await call(on(index), 'GET', '/v1/whoami', { key: tenant.key })
    const first = await ask(0)
    expect(first.headers.get('ratelimit-limit')).to.equal('30')
    expect(first.headers.get('ratelimit-policy')).to.equal('30;w=10')
    expect(first.headers.get('ratelimit-reset')).to.equal('7')
    const answers = await Promise.all(Array.from({ length: 80 }, async (_, i) => await ask(i)))
    const passed = answers.filter(({ status }) => status === 200)
    expect(passed).to.have.length(29)
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.body.code).to.equal('rate_limited')
    expect(refused?.headers.get('retry-after')).to.equal('7')
    expect(refused?.headers.get('ratelimit-remaining')).to.equal('0')

    const [stopped] = servers.splice(0, 1)
    await stopped?.stop()
    servers.push(await startServer(serverOptions(options, stores())))
    // A new process knows what the others let pass.
    expect((await ask(1)).status).to.equal(429)
    now = new Date('2026-05-20T12:00:10Z')
    expect((await ask(0)).status).to.equal(200)
  })
})

describe('wrong keys from one address', () => {
  const api = useApi({ limits: { failed_keys_per_ip_minute: 5 } })

  it('are refused after some of them, with standard headers, while a right key passes', async () => {
    const tenant = await givenApiTenant(api)
    const wrong = `ks_${'0'.repeat(12)}_${'0'.repeat(26)}`
    const answers = []
    // A minute may end between two of them, which starts the count again.
    for (let i = 0; i < 11; i++) answers.push(await api.call('GET', '/v1/whoami', { key: wrong }))
    expect(answers[0]?.status).to.equal(401)
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.body.code).to.equal('rate_limited')
    expect(refused?.headers.get('ratelimit-limit')).to.equal('5')
    expect(refused?.headers.get('ratelimit-remaining')).to.equal('0')
    expect(refused?.headers.get('retry-after')).to.equal(refused?.headers.get('ratelimit-reset'))
    expect((await api.call('GET', '/v1/whoami', { key: tenant.key })).status).to.equal(200)
  })
})
