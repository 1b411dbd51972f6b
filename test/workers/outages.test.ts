import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { isFinal, type JobStatus } from '../../core/compile/rows/task.ts'
import { enqueueMail } from '../../db/accounts/mails/enqueue-mail.ts'
import { openDatabase, type Database } from '../../db/kernel/database.ts'
import { migrate } from '../../db/migrations/migrate.ts'
import { startStack, type Stack } from '../../stack/stack.ts'
import { openOutbox } from '../../db/kernel/outbox/outbox.ts'
import { createWorkflows } from '../../temporal/workflows.ts'
import { createTemporalClient } from '../../temporal/client.ts'
import { givenTenant } from '../support/db/given.ts'
import { testLog } from '../support/workflows/quiet-runtime.ts'
import { nameExamples, submitJob, TEMPORAL_YAML } from '../support/workflows/service.ts'
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts'
import { quickReconcile } from '../support/workflows/quick-reconcile.ts'
import { sendSql, writeAll } from '../support/db/send-sql.ts'
import { mailsTo } from '../support/mail/mails.ts'

describe('outages under a worker', function () {
  this.timeout(300_000)
  let folder = ''
  let stack: Stack
  let db: Database
  let worker: WorkerProcess
  const closers: (() => Promise<unknown>)[] = []

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-outage-'))
    closers.push(() => rm(folder, { recursive: true, force: true }))
    stack = await openStack()
    closers.push(() => stack.stop())
    const { databaseUrl, temporalAddress, masterKey } = stack
    db = await openDatabase({ url: databaseUrl, poolSize: 4, masterKey })
    db.pool.on('error', () => undefined)
    closers.push(() => db.close())
    await migrate(db)
    worker = startWorkerProcess({
      SVC_TEMPORAL_CONFIG: await quickReconcile(folder),
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: temporalAddress,
      SVC_MASTER_KEY: masterKey.toString('hex'),
      SVC_COMPUTE_THREADS: '1',
      SVC_LIMITS: JSON.stringify({ running_jobs_free: 2 }),
    })
    closers.push(() => worker.end('SIGTERM'))
    await worker.ready
  })
  after(async () => {
    for (const close of closers.toReversed()) await close()
  })

  /** Starts the stack, or finds it where it runs already. */
  async function openStack(): Promise<Stack> {
    return await startStack({ dataDir: folder, searchPath: process.env['PATH'] ?? '', log: () => undefined })
  }

  /** Kills a server of the stack, and starts it again after `meanwhile`. */
  async function killAndRestart(name: 'postgres' | 'temporal', meanwhile: () => Promise<unknown>): Promise<void> {
    // A server that was started again is another process than at first.
    const victim = (await openStack()).processes[name]
    if (victim === undefined) throw new Error(`the stack did not start ${name}`)
    process.kill(victim.pid, 'SIGKILL')
    await meanwhile()
    while ((await stack.restartDead().catch(() => [])).length === 0) await sleep(200)
  }

  it('brings every job to its end when Postgres and Temporal are killed and come back', async () => {
    const temporal = createTemporalClient({
      address: stack.temporalAddress,
      namespace: TEMPORAL_YAML.namespace.name,
    })
    closers.push(() => temporal.close())
    const workflows = createWorkflows({ temporal, outbox: openOutbox(db), log: testLog() })

    const { op } = await givenTenant(db)
    const jobIds: string[] = []
    for (let i = 0; i < 4; i++) jobIds.push((await submitJob(op, { examples: nameExamples() })).job.id)
    for (const jobId of jobIds.slice(0, 2)) await workflows.start(jobId)

    for (const name of ['postgres', 'temporal'] as const) {
      await untilUnderWay()
      await killAndRestart(name, async () => await sleep(500))
    }

    for (const jobId of jobIds) await untilFinal(jobId)
    const statuses = await Promise.all(jobIds.map(statusOf))
    expect(statuses).to.deep.equal(jobIds.map(() => 'ready'))
    const signed = await sendSql<{ n: number }>(db, 'select count(*) as n from artifacts where id = any($1)', [jobIds])
    expect(signed[0]?.n).to.equal(jobIds.length)
    expect(worker.child.exitCode).to.equal(null)

    async function statusOf(jobId: string): Promise<JobStatus | undefined> {
      const [job] = await sendSql<{ status: JobStatus }>(db, 'select status from compile_jobs where id = $1', [jobId])
      return job?.status
    }

    /** Resolves when a job is under way, so that the outage meets one; or when no job is left for it to meet. */
    async function untilUnderWay(): Promise<void> {
      for (;;) {
        const all = await Promise.all(jobIds.map(statusOf)).catch((): readonly (JobStatus | undefined)[] => [])
        if (all.includes('running')) return
        if (all.length > 0 && all.every((status) => status !== undefined && isFinal(status))) return
        await sleep(20)
      }
    }

    async function untilFinal(jobId: string): Promise<void> {
      for (;;) {
        const status = await statusOf(jobId).catch(() => undefined)
        if (status !== undefined && isFinal(status)) return
        await sleep(200)
      }
    }
  })

  it('sets up a Temporal that lost all its data again, and then does what the rows say', async () => {
    await killAndRestart('temporal', async () => {
      for (const suffix of ['', '-wal', '-shm'])
        await rm(join(folder, 'temporal', `temporal.db${suffix}`), { force: true })
    })

    // A mail whose workflow Temporal forgot, and nothing but the row tells of it. Without a mail server its workflow
    // ends it as failed.
    const to = 'lost@example.test'
    await writeAll(db, async (tx) => {
      const mailId = await enqueueMail(tx, db, {
        template: 'sign_in',
        to,
        tenantId: null,
        params: { workspace: 'w', link: 'https://x.test', expires_at: new Date(Date.now() + 3_600_000).toISOString() },
        now: new Date(Date.now() - 120_000),
      })
      await tx.query('delete from outbox where workflow_id = $1', [mailId])
    })
    const stateOf = async () => (await mailsTo(db, to)).map(({ state, errorCode }) => [state, errorCode])
    while ((await stateOf())[0]?.[0] === 'queued') {
      expect(worker.child.exitCode, worker.output()).to.equal(null)
      await sleep(200)
    }
    expect(await stateOf()).to.deep.equal([['failed', 'mail_not_configured']])
  })

  it('stops in order while both are away', async () => {
    const before = worker.output().length
    await stack.stop()
    await sleep(1000)
    expect(await worker.end('SIGTERM'), worker.output().slice(before)).to.deep.equal({ code: 0, signal: null })
  })
})
