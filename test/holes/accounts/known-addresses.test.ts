import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import { NO_TEMPORAL, useApi } from '../../support/api.ts'
import { mailedToken, mailsTo } from '../../support/mail/mails.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { ADDRESS_PROBES, shapeOf, type AddressProbe } from '../../support/wire/walks/address-probes.ts'

const ROUNDS = 12

/** Other work on the machine only adds to a time, so the least one shows the work of the call. */
const least = (times: readonly number[]) => Math.min(...times)

describe('an address that has an account', () => {
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    settings: { isMailConfigured: true, publicUrl: 'http://svc.test' },
    limits: { mails_per_ip_15min: 100_000, anon_per_ip_day: 100_000, mails_per_address_hour: 3 },
  })
  const newAddress = () => `a${randomBytes(6).toString('hex')}@example.test`
  const signUp = async (email: string) =>
    await api.call('POST', '/v1/signup', { body: { email, name: 'Newcomer', plan: 'free' } })
  const verified = async () => {
    const email = newAddress()
    const { body } = await signUp(email)
    const token = await mailedToken(database.db, email, 'verify')
    await api.call('POST', '/v1/auth/email/confirm', { body: { token } })
    return { email, id: String(body.tenant.id), key: String(body.api_key) }
  }

  it('is answered by sign-up like a new one, in any letter case, and linked to nothing of its owner', async () => {
    const owner = await verified()
    const unverified = newAddress()
    await signUp(unverified)
    const unknown = shapeOf(await signUp(newAddress()))
    for (const email of [owner.email, owner.email.toUpperCase(), unverified]) {
      const made = await signUp(email)
      expect(shapeOf(made)).to.deep.equal(unknown)
      expect(made.body.tenant.id).to.not.equal(owner.id)
      const account = await api.call('GET', '/v1/account', { key: made.body.api_key })
      expect(account.text).to.contain(made.body.tenant.id).and.not.contain(owner.id)
      const [row] = await sendSql<{ isVerified: boolean; members: number }>(
        database.db,
        `select is_email_verified as "isVerified", (select count(*) from members where tenant_id = t.id) as members
         from tenants t where id = $1`,
        [made.body.tenant.id],
      )
      expect(row).to.deep.equal({ isVerified: false, members: 1 })
    }
    expect((await api.call('GET', '/v1/whoami', { key: owner.key })).body.tenant_id).to.equal(owner.id)
  })

  it('gets a mail that says so and opens nothing, a few an hour, and none instead of those it asks for', async () => {
    const owner = await verified()
    for (let n = 0; n < 8; n++) expect((await signUp(owner.email)).status).to.equal(201)
    const mails = await mailsTo(database.db, owner.email)
    const told = mails.filter(({ template }) => template === 'address_in_use')
    expect(told).to.have.length(2)
    expect(JSON.stringify(told)).not.to.contain('token')
    const sent = await api.call('POST', '/v1/account/email/verify', { key: owner.key })
    expect(sent.body).to.include({ already_verified: true })
    const wayIn = await api.call('POST', '/v1/auth/email/start', { body: { email: owner.email } })
    expect(wayIn.status).to.equal(200)
    const after = await mailsTo(database.db, owner.email)
    expect(after.filter(({ template }) => template === 'sign_in')).to.have.length(1)
  })

  it('costs a point of the limit, as every attempt does', async () => {
    const limited = await api.call('POST', '/v1/signup', { body: { email: 'no-address' } })
    const left = Number(limited.headers.get('ratelimit-remaining'))
    const owner = await verified()
    const again = await signUp(owner.email)
    expect(Number(again.headers.get('ratelimit-remaining'))).to.equal(left - 2)
  })

  it('is not revealed by any route that takes an address of a stranger', async () => {
    const owner = await verified()
    const bootstrap = async () => String((await api.call('POST', '/v1/anon/bootstrap', { body: {} })).body.anon_token)
    const bodyFor = async (probe: AddressProbe, email: string) =>
      probe.bodyOf(email, probe.takesWorkspace ? await bootstrap() : '')
    for (const probe of ADDRESS_PROBES) {
      const { path } = probe
      const [known, unknown] = [await bodyFor(probe, owner.email), await bodyFor(probe, newAddress())]
      const answers = [await api.call('POST', path, { body: known }), await api.call('POST', path, { body: unknown })]
      const [ofKnown, ofUnknown] = answers.map(shapeOf)
      expect(ofKnown, `${path} ${JSON.stringify(known)}`).to.deep.equal(ofUnknown)
    }
  })

  it('takes as long to sign up with as one that has none', async () => {
    const owner = await verified()
    const timeOf = async (email: string) => {
      const startedAt = performance.now()
      expect((await signUp(email)).status).to.equal(201)
      return performance.now() - startedAt
    }
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] }
    await timeOf(newAddress())
    for (let n = 0; n < ROUNDS; n++) {
      times.known.push(await timeOf(owner.email))
      times.unknown.push(await timeOf(newAddress()))
    }
    const ratio = least(times.known) / least(times.unknown)
    expect(ratio, JSON.stringify(times)).to.be.within(0.5, 2)
  })
})
