import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { sweepNamed } from '../../support/workflows/chores.ts'
import { ADMIN_KEY, givenApiTenant, NO_TEMPORAL, useApi } from '../../support/api.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

const MOST = 5

describe('rows that calls may write without end', () => {
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    limits: {
      snoozes_per_tenant: MOST,
      submissions_kept: MOST,
      waitlist_kept: MOST,
      waitlist_per_ip_hour: 1000,
      client_errors_per_day: MOST,
    },
  })
  const emails = async (list: 'submissions' | 'waitlist'): Promise<readonly string[]> => {
    const { body } = await api.call('GET', `/v1/admin/${list}`, { headers: { 'x-admin-key': ADMIN_KEY } })
    return body[list].map(({ email }: { email: string }) => email)
  }

  it('snoozes of one tenant are bounded: those that end first give way to a new one', async () => {
    const [tenant, other] = [await givenApiTenant(api), await givenApiTenant(api)]
    const snooze = async (key: string, dismissKey: string, days: number) =>
      await api.call('POST', '/v1/account/next-actions/snooze', { key, body: { dismiss_key: dismissKey, days } })
    expect((await snooze(other.key, 'other', 1)).status).to.equal(200)
    for (let days = 10; days < 10 + MOST; days++) {
      expect((await snooze(tenant.key, `made-up:${days}`, days)).status).to.equal(200)
    }
    expect((await snooze(tenant.key, 'short', 1)).status).to.equal(200)
    const rows = await sendSql<{ key: string }>(
      database.db,
      'select dismiss_key as key from snoozes where tenant_id = any($1) order by until',
      [[tenant.id, other.id]],
    )
    const last = ['made-up:11', 'made-up:12', 'made-up:13', 'made-up:14']
    expect(rows.map(({ key }) => key)).to.have.members(['other', 'short', ...last])
  })

  for (const list of ['submissions', 'waitlist'] as const) {
    it(`the rows of /v1/${list} are bounded: the oldest give way to a new one, and none is kept for longer than its time`, async () => {
      const sent: string[] = []
      for (let i = 0; i < MOST + 2; i++) {
        const email = `${randomBytes(6).toString('hex')}@example.test`
        sent.unshift(email)
        expect((await api.call('POST', `/v1/${list}`, { body: { email, note: 'x'.repeat(500) } })).status).to.equal(202)
      }
      expect(await emails(list)).to.deep.equal(sent.slice(0, MOST))
      expect(await sweepNamed(database.db, 'contacts', new Date(Date.now() - 60_000))).to.equal(0)
      expect(await sweepNamed(database.db, 'contacts', new Date(Date.now() + 1000))).to.equal(MOST)
      expect(await emails(list)).to.deep.equal([])
    })
  }

  it('errors of browsers are bounded: beyond the most of a day, new ones are dropped and known ones counted', async () => {
    const report = async (message: string) => {
      expect((await api.call('POST', '/v1/client-error', { body: { message } })).status).to.equal(202)
    }
    for (let i = 0; i < MOST + 2; i++) await report(`error ${i}`)
    await report('error 0')
    const listed = async () => {
      const { body } = await api.call('GET', '/v1/admin/client-errors', { headers: { 'x-admin-key': ADMIN_KEY } })
      return body.errors.map(({ message, reports }: { message: string; reports: number }) => [message, reports])
    }
    const kept = await listed()
    expect(kept).to.have.length(MOST)
    expect(kept[0]).to.deep.equal(['error 0', 2])
    expect(await sweepNamed(database.db, 'client-errors', new Date(Date.now() + 1000))).to.equal(MOST)
    expect(await listed()).to.deep.equal([])
  })
})
