import { expect } from 'chai'
import { countAllAudit, listAllAudit } from '../../../db/overview/across/admin/list-all-audit.ts'
import { countAllJobs, listAllJobs } from '../../../db/overview/across/admin/list-all-jobs.ts'
import { listTenants } from '../../../db/overview/across/admin/list-tenants.ts'
import { sweepNamed } from '../../support/workflows/chores.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { foldHours } from '../../../db/compile/across/fold-hours.ts'
import { OPERATOR_TENANT_ID, type Operation } from '../../../db/kernel/operation.ts'
import { notifyQuota } from '../../../db/billing/across/notify-quota.ts'
import { reclaimLeases } from '../../../db/billing/across/reclaim-leases.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { limits } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const PAGE = { limit: 100, cursor: undefined }
const LONG_AGO = new Date('2020-01-01T00:00:00Z')
const { signal } = new AbortController()

describe('what looks at the rows of all tenants', () => {
  const test = useDatabase()
  before(async () => {
    await sendSql(
      test.db,
      `insert into tenants (id, name, kind, email, is_email_verified, plan, created_at)
       select 'ten_' || n, 'many-' || n, 'user', n || '@example.test', true, 'free', now() from generate_series(1, 500) n`,
    )
    await sendSql(
      test.db,
      `insert into quota_periods (tenant_id, period, used_units)
       select 'ten_' || n, '2021-' || lpad(m::text, 2, '0'), 1000
       from generate_series(1, 500) n, generate_series(1, 12) m`,
    )
    await sendSql(test.db, 'analyze tenants, quota_periods')
  })

  /** Returns Postgres's plans of the queries of `work` where there are many rows: it walks no whole table, and sorts none. */
  const plansOf = async (work: (db: Database, op: Operation) => Promise<unknown>): Promise<string> => {
    const client = await test.db.pool.connect()
    const plans: string[] = []
    const explain = async (text: string, values: readonly unknown[] = []) => {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [...values])
      plans.push(...rows.map((row) => row['QUERY PLAN']))
      return { rows: [] }
    }
    const explaining = { query: explain, release: () => {} }
    const db = {
      ...test.db,
      pool: { connect: () => Promise.resolve(explaining) } as unknown as Database['pool'],
    } satisfies Database
    try {
      await client.query('begin')
      for (const way of ['seqscan', 'sort', 'hashjoin', 'mergejoin'])
        await client.query(`set local enable_${way} = off`)
      await work(db, { ...setUpOperation(test.db, OPERATOR_TENANT_ID), db })
    } finally {
      await client.query('rollback')
      client.release()
    }
    return plans.join('\n')
  }

  for (const [what, index, work] of [
    ['newest jobs', 'compile_jobs_of_all_newest', async (_, op) => await listAllJobs(op, PAGE)],
    [
      'failed jobs',
      'compile_jobs_of_all_by_status',
      async (_, op) => await listAllJobs(op, { ...PAGE, status: 'failed' }),
    ],
    ['number of failed jobs', 'compile_jobs_of_all_by_status', async (_, op) => await countAllJobs(op, 'failed')],
    ['newest ledger lines', 'audit_entries_newest', async (_, op) => await listAllAudit(op, PAGE)],
    [
      "newest lines of one tenant's ledger",
      'audit_entries_by_time',
      async (_, op) => await listAllAudit(op, { ...PAGE, tenantId: OPERATOR_TENANT_ID }),
    ],
    [
      'number of lines of one ledger',
      'audit_entries',
      async (_, op) => await countAllAudit(op, { tenantId: OPERATOR_TENANT_ID }),
    ],
    ['newest tenants', 'tenants_newest', async (_, op) => await listTenants(op, PAGE)],
    [
      'tenants whose month is nearly used up',
      'quota_periods_period_index',
      async (db) => await notifyQuota(db, { limits: limits(), now: LONG_AGO }),
    ],
    ['leases of dead processes', 'quota_leases_touched_at_index', async (db) => await reclaimLeases(db)],
    ['counts of past windows', 'rate_limits_expire_index', async (db) => await sweepNamed(db, 'rateLimits', LONG_AGO)],
    [
      'events beyond their time',
      'control_events_by_age',
      async (db) => await sweepNamed(db, 'controlEvents', LONG_AGO),
    ],
    [
      'hours to be added up',
      'invocation_stats_to_fold',
      async (db) => await foldHours(db, { before: LONG_AGO }, signal),
    ],
    [
      'links beyond their time',
      'share_links_expires_at_index',
      async (db) => await sweepNamed(db, 'shareLinks', LONG_AGO),
    ],
  ] as const satisfies readonly [string, string, (db: Database, op: Operation) => Promise<unknown>][]) {
    it(`finds ${what} by the index ${index}, without sorting all of them`, async () => {
      const plan = await plansOf(work)
      expect(plan).to.contain(index)
      expect(plan).not.to.match(/Seq Scan on (?!tenants)/)
      expect(plan).not.to.match(/Sort Key: [jet]\.(?:created_)?at/)
    })
  }
})
