import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { DEFAULT_LIMITS } from '../../../../core/limits.ts'
import { bootstrapWorkspace } from '../../../../db/accounts/across/sign-up/bootstrap.ts'
import { useApi } from '../../../support/api.ts'

const newAddress = () => `${randomBytes(8).toString('hex')}@example.test`

describe('the number of anonymous workspaces', () => {
  const api = useApi({ limits: { anon_per_ip_day: 3 } })

  it('is bounded for each address, together with the attempts to claim one', async () => {
    const first = await api.call('POST', '/v1/anon/bootstrap', { body: {} })
    expect(first.headers.get('ratelimit-remaining')).to.equal('2')
    await api.call('POST', '/v1/anon/claim', { body: { anon_token: 'kao_x', email: 'a@example.test' } })
    expect((await api.call('POST', '/v1/anon/bootstrap', { body: {} })).status).to.equal(200)
    const refused = await api.call('POST', '/v1/anon/bootstrap', { body: {} })
    expect([refused.status, refused.body.code]).to.deep.equal([429, 'rate_limited'])
    expect(Number(refused.headers.get('retry-after'))).to.be.greaterThan(80_000)
  })
})

describe('a service that is by invitation only', () => {
  const api = useApi({ settings: { isInviteOnly: true } })

  it('opens no anonymous workspaces either', async () => {
    const answer = await api.call('POST', '/v1/anon/bootstrap', { body: {} })
    expect([answer.status, answer.body.code]).to.deep.equal([403, 'signup_disabled'])
  })

  it('makes no tenants of those that were there before', async () => {
    const { db } = api.server.services
    const workspace = await bootstrapWorkspace(db, { requestId: 'test', now: new Date(), limits: DEFAULT_LIMITS })
    const body = { anon_token: workspace.token, email: newAddress() }
    const answer = await api.call('POST', '/v1/anon/claim', { body })
    expect([answer.status, answer.body.code]).to.deep.equal([403, 'signup_disabled'])
    expect((await api.call('GET', '/v1/whoami', { key: workspace.token })).status).to.equal(200)
  })
})
