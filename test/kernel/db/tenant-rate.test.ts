import { expect } from 'chai'
import { newId } from '../../../core/kernel/ids.ts'
import { openDatabase } from '../../../db/kernel/database.ts'
import { sweepNamed } from '../../support/workflows/chores.ts'
import { createTenantRate, type RateStanding, type TenantRate } from '../../../db/kernel/rate-limits/tenant-rate.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { sendSql } from '../../support/db/send-sql.ts'

/** A clock that tests set. */
function clockAt(text: string): { now: () => Date; set: (text: string) => void } {
  let at = new Date(text)
  return {
    now: () => at,
    set: (next) => {
      at = new Date(next)
    },
  }
}

describe('calls per tenant', () => {
  const test = useDatabase()
  const opened: TenantRate[] = []
  afterEach(async () => {
    for (const rate of opened.splice(0)) await rate.close()
  })
  const process = (perMinute: number, now?: () => Date): TenantRate => {
    const rate = createTenantRate({ db: test.db, perMinute, ...(now && { now }) })
    opened.push(rate)
    return rate
  }
  const callMany = async (processes: readonly TenantRate[], tenantId: string, calls: number) => {
    const standings: RateStanding[] = []
    await Promise.all(
      Array.from({ length: calls }, async (_, call) => {
        const standing = await processes[call % processes.length]?.take(tenantId)
        if (standing !== undefined) standings.push(standing)
      }),
    )
    return standings.filter((standing) => standing.isAllowed).length
  }

  it('lets exactly the limit pass when several processes are asked at once', async () => {
    const { now } = clockAt('2026-03-01T00:00:02Z')
    const processes = [process(120, now), process(120, now), process(120, now)]
    expect(await callMany(processes, newId('ten'), 100)).to.equal(20)
  })

  it('never lets more than the limit pass, and little less, with large blocks', async () => {
    const { now } = clockAt('2026-03-01T00:00:02Z')
    const processes = [process(12_000, now), process(12_000, now)]
    const tenantId = newId('ten')
    let passed = 0
    for (let round = 0; round < 30; round++) passed += await callMany(processes, tenantId, 100)
    expect(passed).to.be.within(1900, 2000)
    expect(await callMany(processes, tenantId, 10)).to.be.at.most(2000 - passed)
  })

  it('continues its count after a restart, and starts over with the next window', async () => {
    const clock = clockAt('2026-03-01T00:00:02Z')
    const tenantId = newId('ten')
    const first = process(60, clock.now)
    expect(await callMany([first], tenantId, 6)).to.equal(6)
    await first.close()
    const second = process(60, clock.now)
    expect(await callMany([second], tenantId, 10)).to.be.at.most(4)
    expect(await second.take(tenantId)).to.deep.equal({
      isAllowed: false,
      limit: 10,
      remaining: 0,
      resetS: 8,
      windowS: 10,
    })
    clock.set('2026-03-01T00:00:10.001Z')
    expect(await callMany([second], tenantId, 12)).to.equal(10)
    // Another tenant is another count.
    expect(await second.take(newId('ten'))).to.include({ isAllowed: true, remaining: 9, resetS: 10 })
  })

  it('tells where a tenant stands without asking the database for every call', async () => {
    const { now } = clockAt('2026-03-01T00:00:05Z')
    const rate = process(60_000, now)
    const tenantId = newId('ten')
    expect(await rate.take(tenantId)).to.deep.equal({
      isAllowed: true,
      limit: 10_000,
      remaining: 9999,
      resetS: 5,
      windowS: 10,
    })
    expect(rate.take(tenantId)).to.include({ isAllowed: true, remaining: 9998 })
  })

  it('has the first calls of a window ready for tenants that called in the one before', async () => {
    const clock = clockAt('2026-03-01T00:00:05Z')
    const rate = process(60_000, clock.now)
    const busy = newId('ten')
    for (let call = 0; call < 100; call++) await rate.take(busy)
    clock.set('2026-03-01T00:00:09.900Z')
    const key = `tenant:${busy}:${Date.parse('2026-03-01T00:00:10Z') / 10_000}`
    const points = async () =>
      (await sendSql<{ points: number }>(test.db, 'select points from rate_limits where key = $1', [key]))[0]?.points
    while ((await points()) === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await points()).to.equal(100)
    await rate.close()
    clock.set('2026-03-01T00:00:10Z')
    expect(rate.take(busy)).to.include({ isAllowed: true, remaining: 9999 })
  })

  it('counts nothing without a limit, and leaves no counts of windows that are over', async () => {
    expect(process(0).take(newId('ten'))).to.include({ isAllowed: true, limit: 0 })
    const tenantId = newId('ten')
    await process(60, clockAt('2026-03-01T00:00:05Z').now).take(tenantId)
    await sweepNamed(test.db, 'rateLimits', new Date('2026-03-01T00:00:11Z'))
    const left = await sendSql(test.db, 'select 1 from rate_limits where key like $1', [`tenant:${tenantId}:%`])
    expect(left).to.have.length(0)
  })

  it('counts by itself while the database is away, and refuses no call for that', async () => {
    const away = await openDatabase({ url: test.url, poolSize: 2, masterKey: test.masterKey })
    await away.close()
    const rate = createTenantRate({ db: away, perMinute: 60, now: clockAt('2026-03-01T00:00:05Z').now })
    opened.push(rate)
    expect(await callMany([rate], newId('ten'), 12)).to.equal(10)
  })
})
