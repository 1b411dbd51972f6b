import { expect } from 'chai'
import { readMailParams } from '../../../db/accounts/across/deliver.ts'
import { notifyQuota } from '../../../db/billing/across/notify-quota.ts'
import { periodOf } from '../../../db/billing/quota/period.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenTenant, limits, type GivenTenant } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('mails about the quota', () => {
  const test = useDatabase()
  const now = new Date('2026-05-20T12:00:00Z')
  const set = limits({ quota_free: 1000 })
  const use = async ({ tenant }: GivenTenant, units: number): Promise<void> => {
    await sendSql(
      test.db,
      `insert into quota_periods (tenant_id, period, used_units) values ($1, $2, $3)
       on conflict (tenant_id, period) do update set used_units = excluded.used_units`,
      [tenant.id, periodOf(now), units],
    )
  }
  const verify = async ({ tenant }: GivenTenant): Promise<void> => {
    await sendSql(test.db, 'update tenants set is_email_verified = true where id = $1', [tenant.id])
  }
  const mailsTo = async ({ tenant }: GivenTenant) =>
    await sendSql<{ id: string; template: string }>(
      test.db,
      'select id, template from mails where tenant_id = $1 order by created_at, template desc',
      [tenant.id],
    )

  it('go out at 80 and at 100 percent, once a month each, also when two processes look at once', async () => {
    const tenant = await givenTenant(test.db)
    await verify(tenant)
    await use(tenant, 799)
    expect(await notifyQuota(test.db, { limits: set, now })).to.equal(0)
    await use(tenant, 800)
    const both = await Promise.all([1, 2].map(async () => await notifyQuota(test.db, { limits: set, now })))
    expect(both).to.have.members([0, 1])
    expect(await notifyQuota(test.db, { limits: set, now })).to.equal(0)
    await use(tenant, 1000)
    expect(await notifyQuota(test.db, { limits: set, now })).to.equal(1)
    expect(await notifyQuota(test.db, { limits: set, now })).to.equal(0)
    const mails = await mailsTo(tenant)
    expect(mails.map(({ template }) => template)).to.deep.equal(['quota_80', 'quota_100'])
    expect(await readMailParams(test.db, mails[1]?.id ?? '')).to.deep.equal({
      workspace: tenant.tenant.name,
      used: '1000',
      quota: '1000',
      resets_at: '2026-06-01T00:00:00.000Z',
    })
    const june = new Date('2026-06-20T12:00:00Z')
    await sendSql(test.db, `insert into quota_periods (tenant_id, period, used_units) values ($1, '2026-06', 900)`, [
      tenant.tenant.id,
    ])
    expect(await notifyQuota(test.db, { limits: set, now: june })).to.equal(1)
  })

  it('follow the number of a tenant of its own, and do not go to unverified addresses', async () => {
    const [own, unproved] = [await givenTenant(test.db), await givenTenant(test.db)]
    await verify(own)
    await sendSql(test.db, 'update tenants set quota_override = 10 where id = $1', [own.tenant.id])
    await use(own, 10)
    await use(unproved, 1000)
    expect(await notifyQuota(test.db, { limits: set, now })).to.equal(1)
    expect((await mailsTo(own)).map(({ template }) => template)).to.deep.equal(['quota_100'])
    expect(await mailsTo(unproved)).to.deep.equal([])

    const quiet = await givenTenant(test.db)
    await verify(quiet)
    await sendSql(test.db, `update tenants set settings = '{"notifications_email": false}' where id = $1`, [
      quiet.tenant.id,
    ])
    await use(quiet, 1000)
    expect(await notifyQuota(test.db, { limits: set, now })).to.equal(0)
  })
})
