import { expect } from 'chai'
import pg from 'pg'
import { deactivateMember } from '../../../../db/accounts/members/deactivate-member.ts'
import { findTenant } from '../../../../db/kernel/tenant/find-tenant.ts'
import { call, givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant, type CallOptions } from '../../../support/api.ts'
import { givenKey } from '../../../support/people/given-keys.ts'
import {
  findOwner,
  givenMember,
  givenPlan,
  givenSession,
  setUpOperation,
} from '../../../support/people/given-members.ts'
import { startApiProcess, type ApiProcess } from '../../../support/stack/api-process.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { tenantOf } from '../../../../db/kernel/operation.ts'

describe('what was ended on one API process', () => {
  const database = useDatabase({ poolSize: 4 })
  const stores = () => ({ database, temporal: NO_TEMPORAL })
  const first = useApi({ stores })
  const second = useApi({ stores })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(first)
    await givenPlan(database.db, tenant.id, 'teams')
  })

  /** Warms the cache of the second process, ends the credential through the first one, and waits until both refuse it. */
  const endsEverywhere = async (credential: CallOptions, end: () => Promise<unknown>) => {
    const status = async (api: typeof first) => (await api.call('GET', '/v1/account', credential)).status
    expect([await status(first), await status(second)]).to.deep.equal([200, 200])
    await end()
    while ((await status(first)) !== 401 || (await status(second)) !== 401) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  it('ends on the other: a key', async () => {
    const { key, keyId } = await givenKey(database.db, { tenantId: tenant.id, scopes: ['account:read'] })
    await endsEverywhere({ key }, async () => {
      const answer = await first.call('DELETE', `/v1/account/scoped-keys/${keyId}`, { key: tenant.key })
      expect(answer.status).to.equal(200)
      expect((await first.call('GET', '/v1/account', { key })).status).to.equal(401)
    })
  })

  it('ends on the other: the primary key and the sessions that it opened', async () => {
    const signedIn = await first.call('POST', '/v1/signin', { body: { api_key: tenant.key } })
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    const browser = { headers: { cookie, 'sec-fetch-site': 'same-origin' } }
    await endsEverywhere({ key: tenant.key }, async () => {
      expect((await second.call('GET', '/v1/account', browser)).status).to.equal(200)
      await first.call('POST', '/v1/account/rotate-key', { key: tenant.key })
    })
    while ((await second.call('GET', '/v1/account', browser)).status !== 401) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })

  it('ends on the other: a session', async () => {
    const member = await givenMember(setUpOperation(database.db, tenant.id), { role: 'viewer' })
    const { headers } = await givenSession(database.db, member)
    await endsEverywhere({ headers }, async () => await first.call('POST', '/v1/session/logout', { headers }))
  })

  it('ends on the other: whatever a member had', async () => {
    const op = setUpOperation(database.db, tenant.id)
    const member = await givenMember(op, { role: 'admin' })
    const { headers } = await givenSession(database.db, member)
    const minted = await first.call('POST', '/v1/account/scoped-keys', { headers, body: { scopes: ['account:read'] } })
    const key: string = minted.body.api_key
    expect((await second.call('GET', '/v1/account', { key })).status).to.equal(200)
    await endsEverywhere({ headers }, async () => {
      await tenantOf(database.db, tenant.id).write(async (tx) => await deactivateMember(tx, op, member.id))
    })
    await endsNow(async () => (await second.call('GET', '/v1/account', { key })).status)
  })

  it('ends on the other: a tenant', async () => {
    const found = await findTenant(database.db, tenant.id)
    await endsEverywhere({ key: tenant.key }, async () => {
      const answer = await first.call('POST', '/v1/account/delete', {
        key: tenant.key,
        body: { confirm: `DELETE ${found?.name}` },
      })
      expect(answer.status, answer.text).to.equal(200)
    })
  })
})

/** Milliseconds within which a process must refuse a credential that another one ended. */
const SEEN_WITHIN_MS = 250
const REPETITIONS = 25

/** The time until the news had come, and that of one call. */
interface Taken {
  readonly tookMs: number
  readonly callMs: number
}

describe('what was ended on one API process is refused by another process', () => {
  const database = useDatabase({ poolSize: 4 })
  const first = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  let second: ApiProcess
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(first)
    await givenPlan(database.db, tenant.id, 'teams')
    second = await startApiProcess({
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: NO_TEMPORAL.address,
      SVC_MASTER_KEY: database.masterKey.toString('hex'),
      SVC_LIMITS: JSON.stringify({ failed_keys_per_ip_minute: 100_000 }),
    })
  })
  after(async () => {
    await second.stop()
  })

  /**
   * Milliseconds from the answer to `end` until the second process, which knew the credential, refuses it, and those of
   * one call meanwhile: on a busy machine a call alone may take longer than the news.
   */
  const timeUntilRefused = async (credential: CallOptions, end: () => Promise<{ readonly status: number }>) => {
    const status = async () => (await call(second.url, 'GET', '/v1/account', credential)).status
    expect(await status()).to.equal(200)
    expect((await end()).status).to.equal(200)
    const endedAt = performance.now()
    let calls = 1
    for (; (await status()) !== 401; calls++) await new Promise((resolve) => setTimeout(resolve, 1))
    const tookMs = performance.now() - endedAt
    return { tookMs, callMs: tookMs / calls }
  }
  const medianOf = (numbers: readonly number[]) =>
    numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
  const expectSoon = (times: readonly Taken[]) => {
    const allMs = times.map(({ tookMs }) => tookMs)
    const allowedMs = SEEN_WITHIN_MS + 4 * medianOf(times.map(({ callMs }) => callMs))
    expect(medianOf(allMs), `all: ${allMs.map(Math.round).join(', ')} ms`).to.be.lessThan(allowedMs)
  }

  it(`within ${SEEN_WITHIN_MS} ms: a key`, async () => {
    const times: Taken[] = []
    for (let i = 0; i < REPETITIONS; i++) {
      const { key, keyId } = await givenKey(database.db, { tenantId: tenant.id, scopes: ['account:read'] })
      const end = async () => await first.call('DELETE', `/v1/account/scoped-keys/${keyId}`, { key: tenant.key })
      times.push(await timeUntilRefused({ key }, end))
    }
    expectSoon(times)
  })

  it(`within ${SEEN_WITHIN_MS} ms: a session`, async () => {
    const member = await givenMember(setUpOperation(database.db, tenant.id), { role: 'viewer' })
    const times: Taken[] = []
    for (let i = 0; i < REPETITIONS; i++) {
      const { headers } = await givenSession(database.db, member)
      times.push(
        await timeUntilRefused({ headers }, async () => await first.call('POST', '/v1/session/logout', { headers })),
      )
    }
    expectSoon(times)
  })
})

describe('what ends while a process gets no notifications', () => {
  const database = useDatabase({ poolSize: 4 })
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  let admin: pg.Client
  before(async () => {
    const url = new URL(database.url)
    url.pathname = '/postgres'
    admin = new pg.Client({ connectionString: url.href })
    await admin.connect()
  })
  after(async () => {
    await admin.end()
  })

  /** Does the work while no connection can be opened and none listens; those of the pools continue. */
  const unheard = async (work: () => Promise<void>) => {
    const name = new URL(database.url).pathname.slice(1)
    const terminate = async (which: string) =>
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and ${which}`, [
        name,
      ])
    await admin.query(`alter database ${name} with allow_connections false`)
    try {
      await terminate(`application_name = 'svc listener'`)
      while (api.server.services.notifications.isListening) await new Promise((resolve) => setTimeout(resolve, 5))
      await work()
    } finally {
      await admin.query(`alter database ${name} with allow_connections true`)
    }
  }

  it('is refused all the same, and no other credential is', async () => {
    const tenant = await givenApiTenant(api)
    const { key, keyId } = await givenKey(database.db, { tenantId: tenant.id, scopes: ['account:read'] })
    const owner = await findOwner(setUpOperation(database.db, tenant.id))
    const { headers, sessionId } = await givenSession(database.db, owner)
    const status = async (credential: CallOptions) => (await api.call('GET', '/v1/whoami', credential)).status
    for (const credential of [{ key }, { headers }, { key: tenant.key }]) {
      expect(await status(credential)).to.equal(200)
    }
    await unheard(async () => {
      await sendSql(database.db, 'update api_keys set revoked_at = now() where id = $1', [keyId])
      await sendSql(database.db, 'update sessions set closed_at = now() where id = $1', [sessionId])
      expect(await status({ key })).to.equal(401)
      expect(await status({ headers })).to.equal(401)
      expect(await status({ key: tenant.key })).to.equal(200)
    })
    while (!api.server.services.notifications.isListening) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await status({ key: tenant.key })).to.equal(200)
  })
})

/** Waits until a call is refused. */
async function endsNow(status: () => Promise<number>): Promise<void> {
  while ((await status()) !== 401) await new Promise((resolve) => setTimeout(resolve, 10))
}
