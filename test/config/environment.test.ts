import { expect } from 'chai'
import { EnvironmentError } from '../../config/environment-error.ts'
import { loadEnvironment, requireServices } from '../../config/environment.ts'

const KEY = Buffer.alloc(32, 7)

describe('environment', () => {
  it('has defaults that serve this machine only', () => {
    const environment = loadEnvironment({})
    expect(environment).to.include({ port: 8080, isPortGiven: false, host: '127.0.0.1', region: 'local' })
    expect(environment).to.include({ isInviteOnly: false, trustedProxyHops: 0, logLevel: 'info' })
    expect(environment).not.to.have.any.keys('databaseUrl', 'temporalAddress', 'masterKey', 'adminKey')
  })

  it('takes keys as hex and as base64, and an empty variable for an absent one', () => {
    const hex = loadEnvironment({
      SVC_MASTER_KEY: KEY.toString('hex'),
      SVC_PORT: '',
      SVC_PUBLIC_URL: 'https://a.example/',
    })
    const base64 = loadEnvironment({ SVC_MASTER_KEY: KEY.toString('base64') })
    expect(hex.masterKey?.equals(KEY)).to.equal(true)
    expect(base64.masterKey?.equals(KEY)).to.equal(true)
    expect(hex).to.include({ port: 8080, publicUrl: 'https://a.example' })
  })

  it('takes lists of old keys and of tenants that run the service', () => {
    const old = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    const tenants = [`ten_${'0'.repeat(26)}`, `ten_${'1'.repeat(26)}`]
    const environment = loadEnvironment({
      SVC_MASTER_KEYS_OLD: old.map((key) => key.toString('hex')).join(', '),
      SVC_ADMIN_TENANTS: tenants.join(','),
    })
    expect(environment.oldMasterKeys.map((key) => key.toString('hex'))).to.deep.equal(
      old.map((key) => key.toString('hex')),
    )
    expect([...environment.adminTenants]).to.deep.equal(tenants)
    expect(loadEnvironment({}).oldMasterKeys).to.deep.equal([])
  })

  it('knows the services beside it only when all of one is named', () => {
    const mail = { SVC_SMTP_URL: 'smtp://user:pass@mail.example:587', SVC_MAIL_FROM: 'svc <svc@mail.example>' }
    expect(loadEnvironment(mail).mail).to.deep.equal({ smtpUrl: mail.SVC_SMTP_URL, from: mail.SVC_MAIL_FROM })
    const google = { SVC_OAUTH_GOOGLE_CLIENT_ID: 'id', SVC_OAUTH_GOOGLE_CLIENT_SECRET: 'secret' }
    expect(loadEnvironment(google).oauth).to.deep.equal({
      google: { clientId: 'id', clientSecret: 'secret', issuer: 'https://accounts.google.com' },
    })
    const stripe = { SVC_STRIPE_SECRET_KEY: 'sk_test_1234', SVC_STRIPE_PRICES: '{"pro":"price_1"}' }
    expect(loadEnvironment(stripe).stripe).to.deep.equal({
      secretKey: 'sk_test_1234',
      prices: { pro: 'price_1' },
      links: {},
    })
    expect(loadEnvironment({})).not.to.have.any.keys('mail', 'stripe')
    for (const [half, named] of [
      [{ SVC_SMTP_URL: mail.SVC_SMTP_URL }, 'SVC_MAIL_FROM'],
      [{ SVC_OAUTH_GITHUB_CLIENT_ID: 'id' }, 'SVC_OAUTH_GITHUB_CLIENT_ID'],
      [{ SVC_STRIPE_PRICES: '{"gold":"price_1"}' }, 'SVC_STRIPE_PRICES'],
    ] as const) {
      expect(() => loadEnvironment(half)).to.throw(EnvironmentError, named)
    }
  })

  it('names every wrong variable at once, and repeats no secret', () => {
    const wrong = {
      SVC_PORT: '80800',
      DATABASE_URL: 'mysql://root:hunter2@db/svc',
      TEMPORAL_ADDRESS: 'http://temporal',
      SVC_MASTER_KEY: 'hunter2hunter2',
      SVC_MASTER_KEYS_OLD: 'hunter2,hunter2',
      SVC_ADMIN_TENANTS: 'hunter2',
      SVC_CODEC_KEY: 'hunter2',
      SVC_ADMIN_KEY: 'hunter2',
      SVC_LIMITS: '[1]',
      SVC_LOG_LEVEL: 'loud',
      SVC_INVITE_ONLY: 'maybe',
      SVC_TRUSTED_PROXY_HOPS: '-1',
    }
    expect(() => loadEnvironment(wrong))
      .to.throw(EnvironmentError)
      .that.satisfies((error: EnvironmentError) => {
        expect(error.problems.map((problem) => problem.split(':')[0])).to.have.members(Object.keys(wrong))
        expect(error.message).not.to.include('hunter2')
        return true
      })
  })

  it('says what the API and the worker lack, and who provides it', () => {
    const partial = loadEnvironment({ DATABASE_URL: 'postgres://svc:x@127.0.0.1:5432/svc' })
    expect(() => requireServices(partial))
      .to.throw(EnvironmentError, 'npm start')
      .with.property('message')
      .that.includes('TEMPORAL_ADDRESS')
      .and.includes('SVC_MASTER_KEY')
      .and.does.not.include('DATABASE_URL')
  })
})
