import { expect } from 'chai'
import { conceptStats } from '../../../db/compile/invocations/concept-stats.ts'
import { foldHours } from '../../../db/compile/across/fold-hours.ts'
import { createInvocationRecorder } from '../../../db/compile/invocations/recorder.ts'
import { givenProgramVersion } from '../../support/archives/signed-artifacts.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenTenant } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('calls by the hour', () => {
  const test = useDatabase()

  it('become calls by the day when they are old, and no figure of a concept changes', async () => {
    const { op, tenant } = await givenTenant(test.db)
    const { conceptId, versionId } = await givenProgramVersion(op)
    let now = new Date()
    const recorder = createInvocationRecorder({ db: test.db, now: () => now })
    const call = (latencyUs: number, isFailed: boolean): void => {
      const usage = { promptTokens: 3, newTokens: 2, generationMs: 1 }
      recorder.record({ tenantId: tenant.id, conceptId, versionId, latencyUs, isCacheHit: false, isFailed, usage })
    }
    for (let hour = 0; hour < 72; hour++) {
      now = new Date(Date.UTC(2026, 0, 1, hour, 30))
      call(100 * (hour + 1), hour % 10 === 0)
      call(50_000, false)
    }
    await recorder.close()
    const before = await conceptStats(op, conceptId)
    expect(before.invocations).to.equal(144)

    const { signal } = new AbortController()
    const fold = async (until: string) => await foldHours(test.db, { before: new Date(until) }, signal)
    // In parts, the second of which meets a day that is begun.
    expect(await fold('2026-01-01T05:00:00Z')).to.equal(4)
    expect(await fold('2026-01-03T00:00:00Z')).to.equal(42)
    expect(await fold('2026-01-03T00:00:00Z')).to.equal(0)
    const rows = await sendSql<{ hour: Date; calls: number }>(
      test.db,
      'select hour, calls from invocation_stats where version_id = $1 order by hour',
      [versionId],
    )
    expect(rows).to.have.length(2 + 24)
    expect(rows.slice(0, 2)).to.deep.equal([
      { hour: new Date('2026-01-01T00:00:00Z'), calls: 48 },
      { hour: new Date('2026-01-02T00:00:00Z'), calls: 48 },
    ])
    expect(await conceptStats(op, conceptId)).to.deep.equal(before)
  })
})
