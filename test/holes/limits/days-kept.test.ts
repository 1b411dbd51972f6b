import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { SWEEPS } from '../../../activities/overview/housekeeping/sweeps.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { DEFAULT_LIMITS, type LimitName } from '../../../core/limits.ts'
import { givenApiTenant, NO_TEMPORAL, useApi } from '../../support/api.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { givenBelongings } from '../../support/people/given-belongings.ts'
import { givenErrands } from '../../support/people/given-learned.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { testLog } from '../../support/workflows/quiet-runtime.ts'
import { LIMITED_SWEEPS } from './days-kept.ts'

const DAY_MS = 86_400_000
/** Days by which each limit is raised. */
const MORE = 100

describe('days that rows are kept', () => {
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    limits: { sync_dataset_wait_s: 0.05 },
  })
  before(async () => {
    const { db } = database
    const tenant = await givenApiTenant(api)
    const belongings = await givenBelongings(api, tenant)
    const jobId = belongings.get('cmp') ?? ''
    const op = setUpOperation(db, tenant.id)
    await givenErrands(op, { namespace: 'support', artifactId: jobId, mark: 'kept' })
    const call = async (method: string, path: string, body?: object) => {
      const answer = await api.call(method, path, { key: tenant.key, ...(body && { body }) })
      expect(answer.status, answer.text).to.be.below(300)
    }
    const email = `${randomBytes(6).toString('hex')}@example.test`
    await call('POST', '/v1/submissions', { email, note: 'x' })
    await call('POST', '/v1/client-error', { message: 'an error of a page' })
    await call('DELETE', `/v1/conversations/${belongings.get('cv')}`)
    for (const [text, values] of [
      [`update compile_jobs set finished_at = now() where id = $1`, [jobId]],
      [
        `insert into job_stages (job_id, tenant_id, stage, attempts, fraction, started_at, blob_sha256)
         select $1, $2, 'k-sample', 1, 1, now(), sha256 from blobs limit 1
         on conflict (job_id, stage) do update set blob_sha256 = excluded.blob_sha256`,
        [jobId, tenant.id],
      ],
      [
        `insert into teacher_rounds (job_id, tenant_id, summary, budget_usd_micros, reserved_usd_micros,
           spent_usd_micros, started_at) values ($1, $2, '{}', 1, 0, 0, now())`,
        [jobId, tenant.id],
      ],
      [
        `insert into control_events (id, tenant_id, source_id, namespace, envelope, content, receipt, at)
         values ($1, $2, 'crm', 'default', '{}', '{}', '{}', now())`,
        [newId('evt'), tenant.id],
      ],
      [
        `insert into payment_events (id, type, created, is_livemode, outcome, received_at)
         values ('evt_1', 'given', 1, false, 'applied', now())`,
        [],
      ],
    ] as const) {
      await sendSql(db, text, values)
    }
  })

  /** Runs a sweep at a time with some days more or fewer than the usual ones; returns how many rows it removed. */
  async function sweep(name: string, days: number, limits: Partial<Record<LimitName, number>> = {}): Promise<number> {
    const chore = SWEEPS.find((each) => each.name === name) ?? expect.fail(`no sweep ${name}`)
    const at = new Date(Date.now() + days * DAY_MS)
    const deps = { ...api.server.services, limits: { ...DEFAULT_LIMITS, ...limits }, now: () => at, log: testLog() }
    const counts = await chore.run(deps, {
      signal: new AbortController().signal,
      progress: () => undefined,
    })
    return counts['swept'] ?? 0
  }

  for (const { name, table, limit } of LIMITED_SWEEPS) {
    it(`${limit} says when ${name} takes rows of ${table}`, async () => {
      const days = DEFAULT_LIMITS[limit]
      expect(await sweep(name, days + MORE / 2, { [limit]: days + MORE })).to.equal(0)
      expect(await sweep(name, days - 1)).to.equal(0)
      expect(await sweep(name, days + MORE / 2)).to.be.at.least(1)
    })
  }
})
