import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { verifyArchive } from '../../../core/compile/archive/verify.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { call, givenApiTenant, useApi, type Answer } from '../../support/api.ts'
import { sendSql, writeAll } from '../../support/db/send-sql.ts'
import { startApiProcess, type ApiProcess } from '../../support/stack/api-process.ts'
import { missWorker } from '../../support/workflows/miss-worker.ts'
import { useService } from '../../support/workflows/service.ts'
import { startWorkerProcess, type WorkerProcess } from '../../workers/worker-process.ts'

const EXAMPLES = ['Ada Lovelace', 'Alan Turing', 'Grace Hopper', 'Tony Hoare', 'Donald Knuth'].map((input, i) => ({
  input,
  output: i === 3 ? 'another answer' : input.toUpperCase(),
  ...(i > 2 && { kind: 'test' }),
}))

describe('an API and a worker that are killed between accept and publication', () => {
  const service = useService({ withWorkers: false })
  const stores = () => ({
    database: service.database,
    temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
  })
  const api = useApi({ stores })
  const workers: WorkerProcess[] = []
  const apis: ApiProcess[] = []
  after(async () => {
    for (const { child } of [...workers, ...apis]) if (child.exitCode === null) child.kill('SIGKILL')
    for (const { ended } of workers) await ended
  })

  async function startProcesses(): Promise<{ readonly worker: WorkerProcess; readonly url: string }> {
    const env = {
      DATABASE_URL: service.database.url,
      TEMPORAL_ADDRESS: service.temporalAddress,
      TEMPORAL_NAMESPACE: service.temporal.namespace,
      SVC_MASTER_KEY: service.database.masterKey.toString('hex'),
    }
    const worker = startWorkerProcess({ ...env, SVC_COMPUTE_THREADS: '1' })
    workers.push(worker)
    const [served] = await Promise.all([startApiProcess(env), worker.ready])
    apis.push(served)
    return { worker, url: served.url }
  }

  it('are made good by a second call: one artifact, one charge', async function () {
    // Two pairs of processes have to start.
    this.timeout(180_000)
    const { key } = await givenApiTenant(api)
    const first = await startProcesses()
    const gatedJob = async (): Promise<string> => {
      const body = { task: 'In capitals', examples: EXAMPLES, base_model: 'none', k_score_floor: 0.99 }
      const { status, body: answer, text } = await call(first.url, 'POST', '/v1/compile', { key, body })
      expect(status, text).to.equal(422)
      return answer.details.job_id
    }
    const accept = async (url: string, jobId: string) => await call(url, 'POST', `/v1/compile/${jobId}/accept`, { key })
    const [unsigned, unpublished] = [await gatedJob(), await gatedJob()]
    const isRunning = async (jobId: string): Promise<boolean> => {
      const run = service.temporal.client.workflow.getHandle(`${jobId}/accept`)
      return await run.describe().then(
        () => true,
        () => false,
      )
    }
    const cut: Promise<Answer | 'cut'>[] = []
    const acceptAndWait = async (jobId: string, isAwaited: () => Promise<boolean>) => {
      cut.push(accept(first.url, jobId).catch(() => 'cut' as const))
      // Another process may wait for the lock as well: the run must be there.
      while (!(await isAwaited()) || !(await isRunning(jobId))) await sleep(20)
    }
    await whileLocked('artifacts', async (isPublishing) => {
      await acceptAndWait(unpublished, isPublishing)
      await whileLocked('blob_chunks', async (isStoring) => {
        await acceptAndWait(unsigned, isStoring)
        for (const { child } of apis) child.kill('SIGKILL')
        await first.worker.end('SIGKILL')
      })
    })
    expect(await Promise.all(cut)).to.deep.equal(['cut', 'cut'])
    for (const jobId of [unsigned, unpublished]) await missWorker(service.temporal, `${jobId}/accept`)
    expect(await count('select count(*) as n from artifacts')).to.equal(0)

    const { url } = await startProcesses()
    for (const jobId of [unsigned, unpublished]) {
      const { status, body, text } = await accept(url, jobId)
      expect([status, body.status, body.accepted?.state], text).to.deep.equal([200, 'completed', 'signed'])
      const { bytes } = await call(url, 'GET', `/v1/compile/${jobId}/.svc`, { key })
      const { ok, detail, manifest } = await verifyArchive(bytes)
      expect(ok, detail).to.equal(true)
      expect(manifest?.accepted).to.include({ by: body.accepted.by, at: body.accepted.at })
      const events = `select count(*) as n from job_events where job_id = $1 and body ->> 'code' = $2`
      for (const code of ['accepted', 'sealed']) expect(await count(events, [jobId, code]), code).to.equal(1)
    }
    expect(await count('select count(*) as n from artifacts')).to.equal(2)
    expect(await count('select sum(used_units) as n from quota_periods')).to.equal(
      2 * DEFAULT_LIMITS.quota_units_per_compile,
    )
  })

  /** Blocks inserts into a table until `work` is over; it can ask whether one waits. */
  async function whileLocked(
    table: 'artifacts' | 'blob_chunks',
    work: (isAwaited: () => Promise<boolean>) => Promise<void>,
  ): Promise<void> {
    await writeAll(service.database.db, async (tx) => {
      await tx.query(`lock table ${table} in share mode`)
      await work(async () => {
        const waiting = `select 1 from pg_locks where relation = '${table}'::regclass and not granted limit 1`
        return (await tx.query(waiting)).length > 0
      })
    })
  }

  async function count(query: string, values: readonly unknown[] = []): Promise<number> {
    const [row] = await sendSql<{ n: string }>(service.database.db, query, values)
    return Number(row?.n ?? 0)
  }
})
