import { expect } from 'chai'
import { SWEEPS } from '../../../activities/overview/housekeeping/sweeps.ts'
import { sweepAll } from '../../support/workflows/chores.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { givenTenant } from '../../support/db/given.ts'
import { useService } from '../../support/workflows/service.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const DAY_MS = 86_400_000

describe('housekeeping', () => {
  const service = useService({ withWorkers: false })
  const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS)

  it('removes events and share links whose time is over, and every count of a past window', async () => {
    const { db } = service.database
    const { tenant } = await givenTenant(db)
    for (const days of [89, 91]) {
      await sendSql(
        db,
        `insert into control_events (id, tenant_id, source_id, namespace, envelope, content, receipt, at)
         values ($1, $2, 'crm', 'default', '{}', '{}', '{}', $3)`,
        [newId('evt'), tenant.id, daysAgo(days)],
      )
    }
    for (const days of [29, 31]) {
      await sendSql(
        db,
        `insert into share_links (id, tenant_id, kind, target_id, created_by, created_at, expires_at, opened_count)
         values ($1, $2, 'report', 'cmp_gone', 'key', $3, $3, 0)`,
        [newId('shr'), tenant.id, daysAgo(days)],
      )
    }
    // As many as a thousand busy tenants leave between two sweeps.
    await sendSql(
      db,
      `insert into rate_limits (key, points, expire) select 'tenant:' || n || ':1', 1, 1 from generate_series(1, 30000) n`,
    )
    const report = await sweepAll(service.deps)
    expect(report).to.include({ controlEvents: 1, shareLinks: 1, rateLimits: 30_000 })
    const [left] = await sendSql<{ events: number; links: number }>(
      db,
      `select (select count(*) from control_events where tenant_id = $1) as events,
         (select count(*) from share_links where tenant_id = $1) as links`,
      [tenant.id],
    )
    expect(left).to.deep.equal({ events: 1, links: 1 })
  })

  it('reports requests for workflows that this version does not have, and keeps them', async () => {
    const { db } = service.database
    const request = (id: string, family: string, minutes: number) =>
      sendSql(
        db,
        `insert into outbox (workflow_id, family, input, version, attempts, created_at, due_at)
         values ($1, $2, '{}', 1, 0, now(), now() - $3 * interval '1 minute')`,
        [id, family, minutes],
      )
    await request('one', 'translate', 11)
    await request('two', 'translate', 9)
    await request('three', 'mail', 11)
    const warnings: object[] = []
    const log = { ...service.deps.log, warn: (facts: object) => void warnings.push(facts) }
    const chore = SWEEPS.find(({ name }) => name === 'unclaimedRequests')
    const activity = { signal: new AbortController().signal, progress: () => undefined }
    expect(await chore?.run({ ...service.deps, log }, activity)).to.deep.equal({ unclaimed: 1 })
    expect(warnings).to.deep.equal([{ unclaimed: [{ family: 'translate', requests: 1 }] }])
    await sendSql(db, `delete from outbox where workflow_id in ('one', 'two', 'three')`)
  })
})
