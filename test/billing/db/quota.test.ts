import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { BILLING_ERRORS } from '../../../core/billing/errors.ts'
import { createCallMeter, type Payer } from '../../../db/billing/quota/call-meter.ts'
import { periodOf } from '../../../db/billing/quota/period.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'
import { recallLeases } from '../../../db/billing/quota/recall.ts'
import { reclaimLeases } from '../../../db/billing/across/reclaim-leases.ts'
import { quotaStatus } from '../../../db/billing/quota/status.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { holdRow } from '../../support/stack/held-row.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenJob, givenTenant, limits, type GivenTenant } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('quota', () => {
  const test = useDatabase()

  const meter = (quota: number, now?: () => Date) =>
    createCallMeter({
      db: test.db,
      notifications: test.notifications,
      limits: limits({ quota_free: quota }),
      ...(now && { now }),
    })
  const used = async ({ op }: GivenTenant) =>
    (await quotaStatus(op, { plan: 'free', quota: null, limits: limits() })).used

  it('accepts exactly as many concurrent compiles as the plan has units for', async () => {
    const { op } = await givenTenant(test.db)
    const few = limits({ quota_free: 55 })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, async () => await givenJob(op, { limits: few })),
    )
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).to.have.length(5)
    const error = await expectCode('quota_exhausted', async () => await givenJob(op, { limits: few }))
    expect(error.message).to.match(
      /^a compile costs 10 units; 5 of this month's 55 units are left\. The quota resets on 1 [A-Z]\w+ \d{4}$/,
    )
    expect(error.retryAfterS).to.be.within(1, 31 * 86_400)
    expect(error.details).to.include({ used: 50, quota: 55, remaining: 5, needed: 10 })
    expect(error.details?.['resets_at']).to.match(/^\d{4}-\d\d-01T00:00:00.000Z$/)
  })

  it('lets exactly the quota pass over several processes', async () => {
    const tenant = await givenTenant(test.db)
    const meters = [meter(1000), meter(1000), meter(1000)]
    const { passed, refused } = await callMany(meters, tenant.tenant.id, 1100)
    expect(passed).to.equal(1000)
    expect(refused).to.equal(100)
    for (const each of meters) await each.close()
    expect(await used(tenant)).to.equal(1000)
  })

  it('takes 10 of 100 concurrent calls when 10 units are left, and recalls the units that others hold', async () => {
    const tenant = await givenTenant(test.db)
    const [holder, caller] = [meter(400), meter(400)]
    await holder.take(free(tenant.tenant.id), 390)
    const { passed } = await callMany([caller], tenant.tenant.id, 100)
    expect(passed).to.equal(10)
    await holder.close()
    await caller.close()
    expect(await used(tenant)).to.equal(400)
  })

  it('finds units for a compile that a process holds for calls', async () => {
    const { op, tenant } = await givenTenant(test.db)
    const calls = meter(100)
    await calls.take(free(tenant.id), 1)
    await sendSql(test.db, `update quota_leases set granted_units = granted_units + 80 where tenant_id = $1`, [
      tenant.id,
    ])
    await sendSql(test.db, 'update quota_periods set used_units = used_units + 80 where tenant_id = $1', [tenant.id])
    const few = limits({ quota_free: 100 })
    const created = await Promise.all([1, 2, 3].map(async () => await givenJob(op, { limits: few })))
    expect(created).to.have.length(3)
    await calls.close()
  })

  it('returns the lease of a dead process, except its recorded units', async () => {
    const tenant = await givenTenant(test.db)
    const dead = meter(1000)
    for (let i = 0; i < 5; i++) await dead.take(free(tenant.tenant.id), 1)
    await dead.flush()
    await reclaimLeases(test.db, { olderThanMs: -1000 })
    const [period] = await sendSql<{ used: number }>(
      test.db,
      'select used_units as used from quota_periods where tenant_id = $1',
      [tenant.tenant.id],
    )
    expect(period?.used).to.equal(5)
    // It was only slow: what it spends after that is charged all the same.
    await dead.take(free(tenant.tenant.id), 2)
    await dead.close()
    expect(await used(tenant)).to.equal(7)
  })

  it('returns the units of a dead process before the sweep when no others are left', async () => {
    const tenant = await givenTenant(test.db)
    await givenDeadLease(tenant.tenant.id, { granted: 100, spent: 40 })
    const calls = meter(100)
    const { passed, refused } = await callMany([calls], tenant.tenant.id, 70)
    expect([passed, refused]).to.deep.equal([60, 10])
    await calls.close()
  })

  it('gives the units of a call back that was not made, also when its lease has ended meanwhile', async () => {
    const tenant = await givenTenant(test.db)
    const [first, second] = [meter(100), meter(100)]
    const charge = await first.take(free(tenant.tenant.id), 10)
    const kept = await first.take(free(tenant.tenant.id), 5)
    // Takes what the first one holds unspent, which ends its lease.
    expect((await callMany([second], tenant.tenant.id, 100)).passed).to.equal(85)
    charge.refund()
    await first.close()
    await second.close()
    expect(await used(tenant)).to.equal(90)
    kept.refund()
    await first.close()
    expect(await used(tenant)).to.equal(85)
  })

  it('charges the units of a lease once when it is recalled while they are recorded', async () => {
    const [other, tenant] = [await givenTenant(test.db), await givenTenant(test.db)]
    const calls = meter(1000)
    await calls.take(free(other.tenant.id), 10)
    await calls.take(free(tenant.tenant.id), 10)
    const leasesOf = 'select 1 from quota_leases where tenant_id = $1'
    // The statement that writes down all leases waits at the first one.
    const held = await holdRow(test.db, leasesOf, [other.tenant.id])
    const flushed = calls.flush()
    await held.untilWaiting(1)
    const account = { tenantId: tenant.tenant.id, period: periodOf(new Date()) }
    await tenantOf(test.db, account.tenantId).write(async (tx) => await recallLeases(tx, account))
    while ((await sendSql(test.db, leasesOf, [tenant.tenant.id])).length > 0) await sleep(10)
    await held.release()
    await flushed
    await calls.close()
    expect(await used(tenant)).to.equal(10)
    expect(await used(other)).to.equal(10)
  })

  it('returns units to the month that they were taken from', async () => {
    const tenant = await givenTenant(test.db)
    let now = new Date('2026-01-31T23:59:59Z')
    const calls = meter(100, () => now)
    const charge = await calls.take(free(tenant.tenant.id), 10)
    now = new Date('2026-02-01T00:00:01Z')
    await calls.take(free(tenant.tenant.id), 3)
    charge.refund()
    await calls.close()
    const months = await sendSql<{ period: string; used: number }>(
      test.db,
      'select period, used_units as used from quota_periods where tenant_id = $1 order by period',
      [tenant.tenant.id],
    )
    expect(months).to.deep.equal([
      { period: '2026-01', used: 0 },
      { period: '2026-02', used: 3 },
    ])
  })

  /** The lease of a process that died more than a minute ago. */
  const givenDeadLease = async (tenantId: string, units: { granted: number; spent: number }): Promise<void> => {
    const period = periodOf(new Date())
    await sendSql(test.db, 'insert into quota_periods (tenant_id, period, used_units) values ($1, $2, $3)', [
      tenantId,
      period,
      units.granted,
    ])
    await sendSql(
      test.db,
      `insert into quota_leases (id, tenant_id, period, granted_units, spent_units, touched_at)
       values ($1, $2, $3, $4, $5, now() - interval '2 minutes')`,
      [randomUUID(), tenantId, period, units.granted, units.spent],
    )
  }
})

/** A tenant of the free plan, without a number of its own. */
function free(tenantId: string): Payer {
  return { tenantId, plan: 'free', quota: null }
}

async function callMany(
  meters: readonly ReturnType<typeof createCallMeter>[],
  tenantId: string,
  calls: number,
): Promise<{ passed: number; refused: number }> {
  let passed = 0
  let refused = 0
  await Promise.all(
    Array.from({ length: calls }, async (_, call) => {
      try {
        await meters[call % meters.length]?.take(free(tenantId), 1)
        passed++
      } catch (error) {
        if (!BILLING_ERRORS.quota_exhausted.matches(error)) throw error
        refused++
      }
    }),
  )
  return { passed, refused }
}
