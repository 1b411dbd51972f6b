import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { call, NO_TEMPORAL, serverOptions, useApi } from '../../../support/api.ts'
import { startServer } from '../../../../api/server.ts'
import { mailsTo } from '../../../support/mail/mails.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'

const email = () => `${randomBytes(8).toString('hex')}@example.test`

describe('sign-up', () => {
  const database = useDatabase()
  const api = useApi({
    limits: { signups_per_ip_day: 10 },
    settings: { trustedProxyHops: 1 },
    stores: () => ({ database, temporal: NO_TEMPORAL }),
  })
  const from = (ip: string, body: object) =>
    api.call('POST', '/v1/signup', { body, headers: { 'x-forwarded-for': `6.6.6.6, ${ip}` } })

  it('passes exactly ten times a day from one address, also when fifty come at once to two servers', async () => {
    const stores = { database, temporal: NO_TEMPORAL }
    const limits = { signups_per_ip_day: 10 }
    const other = await startServer(serverOptions({ limits, settings: { trustedProxyHops: 1 } }, stores))
    try {
      const headers = { 'x-forwarded-for': '6.6.6.6, 10.0.0.1' }
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          call(index % 2 === 0 ? api.url : other.url, 'POST', '/v1/signup', { body: { email: email() }, headers }),
        ),
      )
      const statuses = answers.map((answer) => answer.status).toSorted((a, b) => a - b)
      expect(statuses).to.deep.equal([...Array(10).fill(201), ...Array(40).fill(429)])
      const refused = answers.find((answer) => answer.status === 429)
      expect(refused?.body.code).to.equal('rate_limited')
      expect(Number(refused?.headers.get('retry-after'))).to.be.within(86_000, 86_400)
      expect(refused?.headers.get('ratelimit-limit')).to.equal('10')
      expect(refused?.headers.get('ratelimit-remaining')).to.equal('0')
      expect((await from('10.0.0.2', { email: email() })).status).to.equal(201)
    } finally {
      await other.stop()
    }
  })

  it('asks by mail whether the address is theirs, where mails can be sent', async () => {
    const stores = { database, temporal: NO_TEMPORAL }
    const server = await startServer(serverOptions({ settings: { isMailConfigured: true } }, stores))
    try {
      const address = email()
      const answer = await call(server.url, 'POST', '/v1/signup', { body: { email: address.toUpperCase() } })
      expect(answer.status).to.equal(201)
      const [mail] = await mailsTo(server.services.db, address)
      expect(mail?.template).to.equal('verify')
      expect(mail?.params['workspace']).to.equal(answer.body.tenant.name)
      expect(mail?.params['link']).to.match(/^http:\/\/127\.0\.0\.1:\d+\/#confirm=[\w-]{43}$/)
    } finally {
      await server.stop()
    }
  })

  it('leaves the owner of an address their mails, however often another person signs up with it', async () => {
    const stores = { database, temporal: NO_TEMPORAL }
    const server = await startServer(serverOptions({ settings: { isMailConfigured: true } }, stores))
    try {
      const body = { email: email() }
      const { api_key: key } = (await call(server.url, 'POST', '/v1/signup', { body })).body
      for (let i = 0; i < 6; i++) expect((await call(server.url, 'POST', '/v1/signup', { body })).status).to.equal(201)
      expect((await call(server.url, 'POST', '/v1/account/email/verify', { key })).status).to.equal(202)
    } finally {
      await server.stop()
    }
  })

  it('makes two tenants for two that want one address at the same time, and tells neither of the other', async () => {
    const address = email()
    const answers = await Promise.all(
      [address, address.toUpperCase()].map((given) => from('10.0.0.5', { email: given })),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201])
    const [one, two] = answers.map(({ body }) => body.tenant.id)
    expect(one).to.not.equal(two)
  })

  it('counts every attempt, whatever came of it', async () => {
    expect((await from('10.0.0.3', { email: email() })).status).to.equal(201)
    for (let i = 0; i < 5; i++) expect((await from('10.0.0.3', { email: 'not-an-address' })).status).to.equal(400)
    for (let i = 0; i < 4; i++) expect((await from('10.0.0.3', { email: email() })).status).to.equal(201)
    for (const address of [email(), 'not-an-address']) {
      expect((await from('10.0.0.3', { email: address })).status).to.equal(429)
    }
  })

  it('gives a paid plan free limits until it is paid, and refuses unknown plans', async () => {
    const paid = await from('10.0.0.4', { email: email(), name: 'Ünïcode & Co', plan: 'pro' })
    expect(paid.body.tenant).to.include({ plan: 'free', quota: 10_000, seats: 1 })
    expect(paid.body.tenant.name).to.match(/^unicode-co-\w+$/)
    expect(paid.body.billing_required).to.equal(true)
    expect(paid.body.tenant.trial_ends_at).to.be.a('string')
    const unknown = await from('10.0.0.4', { email: email(), plan: 'platinum' })
    expect([unknown.status, unknown.body.code]).to.deep.equal([400, 'unknown_plan'])
  })

  it('tells the quota that is in force', async () => {
    const stores = { database, temporal: NO_TEMPORAL }
    const server = await startServer(serverOptions({ limits: { quota_free: 77 } }, stores))
    try {
      const { body } = await call(server.url, 'POST', '/v1/signup', { body: { email: email() } })
      const account = await call(server.url, 'GET', '/v1/account', { key: body.api_key })
      expect([body.tenant.quota, account.body.quota]).to.deep.equal([77, 77])
    } finally {
      await server.stop()
    }
  })

  it('is closed in invite-only mode', async () => {
    const stores = { database, temporal: NO_TEMPORAL }
    const server = await startServer(serverOptions({ settings: { isInviteOnly: true } }, stores))
    try {
      const answer = await call(server.url, 'POST', '/v1/signup', { body: { email: email() } })
      expect([answer.status, answer.body.code]).to.deep.equal([403, 'signup_disabled'])
    } finally {
      await server.stop()
    }
  })
})
