import { expect } from 'chai'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { sweepNamed } from '../../support/workflows/chores.ts'
import { findSsoLogin } from '../../../db/accounts/across/sign-in/find-sso-tenant.ts'
import { beginSsoLogin, useSsoLogin } from '../../../db/accounts/sso/login-attempts.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'
import { signUp } from '../../../db/accounts/across/sign-up/sign-up.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('sign-ins under way', () => {
  const database = useDatabase()
  const now = new Date('2026-03-01T12:00:00Z')
  const minutesLater = (count: number) => new Date(now.getTime() + count * 60_000)
  let tenantId: string
  before(async () => {
    const given = { email: 'sso@example.test', requestId: 'req_test', now, limits: DEFAULT_LIMITS }
    tenantId = (await signUp(database.db, given)).tenant.id
  })
  const begin = async (state: string) =>
    await beginSsoLogin(database.db, {
      protocol: 'oidc',
      tenantId,
      state,
      secret: 'verifier',
      returnTo: '/console/',
      now,
      limits: DEFAULT_LIMITS,
    })
  const use = async (state: string, browser: string, at = now, ofTenant = tenantId) =>
    await tenantOf(database.db, ofTenant).write(
      async (tx) =>
        await useSsoLogin(tx, database.db, { protocol: 'oidc', tenantId: ofTenant, state, browser, now: at }),
    )

  it('are used up once, by the browser that began them', async () => {
    const { browser } = await begin('one')
    expect(await use('one', 'another browser')).to.equal(null)
    expect(await use('unknown', browser)).to.equal(null)
    expect(await use('one', browser, now, 'ten_other')).to.equal(null)
    expect(await use('one', browser)).to.deep.equal({ returnTo: '/console/', secret: 'verifier' })
    expect(await use('one', browser)).to.equal(null)
    expect(await findSsoLogin(database.db, { protocol: 'oidc', state: 'one', now })).to.equal(null)
  })

  it('count for their own protocol and for some minutes', async () => {
    const { browser } = await begin('two')
    expect(await findSsoLogin(database.db, { protocol: 'saml', state: 'two', now })).to.equal(null)
    expect(await findSsoLogin(database.db, { protocol: 'oidc', state: 'two', now })).to.deep.equal({
      tenantId,
      createdAt: now,
    })
    expect(await use('two', browser, minutesLater(11))).to.equal(null)
  })

  it('are removed when they have expired, and consumed assertions with them', async () => {
    const { browser } = await begin('three')
    await sendSql(
      database.db,
      `insert into consumed_assertions (tenant_id, assertion_id, expires_at) values ($1, 'old', $2), ($1, 'new', $3)`,
      [tenantId, minutesLater(-1), minutesLater(60)],
    )
    await sweepNamed(database.db, 'logins', now)
    expect(await sendSql(database.db, 'select assertion_id from consumed_assertions')).to.deep.equal([
      { assertion_id: 'new' },
    ])
    expect((await use('three', browser))?.secret).to.equal('verifier')
    await sweepNamed(database.db, 'logins', minutesLater(11))
    expect(await sendSql(database.db, 'select 1 from login_attempts')).to.deep.equal([])
  })
})
