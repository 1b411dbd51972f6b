import { expect } from 'chai'
import { DomainError } from '../../../core/errors.ts'
import { createCallMeter, type Payer } from '../../../db/quota/call-meter.ts'
import { reclaimLeases } from '../../../db/quota/reclaim.ts'
import { quotaStatus } from '../../../db/quota/status.ts'
import { expectCode } from '../../support/expect-code.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenJob, givenTenant, limits, type GivenTenant } from '../given.ts'

describe('quota', () => {
  const test = useDatabase()

  const meter = (quota: number) =>
    createCallMeter({ db: test.db, notifications: test.notifications, limits: limits({ quota_free: quota }) })
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
    expect(error.message).to.equal('a compile costs 10 units; of the 55 of this month 5 are left')
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

  it('takes 10 of 100 concurrent calls when 10 units are left, and recalls what others hold', async () => {
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
    await test.db.query(`update quota_leases set granted_units = granted_units + 80 where tenant_id = $1`, [tenant.id])
    await test.db.query('update quota_periods set used_units = used_units + 80 where tenant_id = $1', [tenant.id])
    const few = limits({ quota_free: 100 })
    const created = await Promise.all([1, 2, 3].map(async () => await givenJob(op, { limits: few })))
    expect(created).to.have.length(3)
    await calls.close()
  })

  it('gives the lease of a dead process back, but for what it had written down', async () => {
    const tenant = await givenTenant(test.db)
    const dead = meter(1000)
    for (let i = 0; i < 5; i++) await dead.take(free(tenant.tenant.id), 1)
    await dead.flush()
    await reclaimLeases(test.db, { olderThanMs: -1000 })
    const [period] = await test.db.query<{ used: number }>(
      'select used_units as used from quota_periods where tenant_id = $1',
      [tenant.tenant.id],
    )
    expect(period?.used).to.equal(5)
    // It was only slow: what it spends after that is charged all the same.
    await dead.take(free(tenant.tenant.id), 2)
    await dead.close()
    expect(await used(tenant)).to.equal(7)
  })
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
        if (!(error instanceof DomainError) || error.code !== 'quota_exhausted') throw error
        refused++
      }
    }),
  )
  return { passed, refused }
}
