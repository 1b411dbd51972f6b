import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { WRONG_SETTINGS_EXIT } from '../../config/environment-error.ts'
import { findJob } from '../../db/compile/jobs/find-job.ts'
import { jobDetails } from '../../db/compile/jobs/stages/job-details.ts'
import { givenTenant } from '../support/db/given.ts'
import { nameExamples, noiseExamples, submitJob, useService } from '../support/workflows/service.ts'
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts'

describe('worker process', () => {
  const service = useService({ withWorkers: false })
  const started: WorkerProcess[] = []

  after(async () => {
    for (const worker of started) if (worker.child.exitCode === null) await worker.end('SIGKILL')
  })

  function startWorker(overrides: Readonly<Record<string, string>> = {}): WorkerProcess {
    const worker = startWorkerProcess({
      DATABASE_URL: service.database.url,
      TEMPORAL_ADDRESS: service.temporalAddress,
      TEMPORAL_NAMESPACE: service.temporal.namespace,
      SVC_MASTER_KEY: service.database.masterKey.toString('hex'),
      SVC_COMPUTE_THREADS: '1',
      ...overrides,
    })
    started.push(worker)
    return worker
  }

  it('continues the work of a killed worker, and drains when it is stopped', async function () {
    // The one test that waits until Temporal misses a killed worker, by its late heartbeats; see `missWorker`.
    this.timeout(180_000)
    const { op } = await givenTenant(service.database.db)
    const first = startWorker()
    await first.ready
    const { job } = await submitJob(op, { examples: noiseExamples(600), floor: 0, task: 'A task to be kept private' })
    await service.deps.workflows.start(job.id)
    while ((await findJob(op, job.id)).stage === 'queued') await sleep(10)
    await first.end('SIGKILL')

    const second = startWorker()
    await second.ready
    const outcome: unknown = await service.temporal.client.workflow.getHandle(job.id).result()
    expect(outcome).to.have.property('status').that.is.oneOf(['ready', 'gated'])
    const { stages } = await jobDetails(op, await findJob(op, job.id))
    expect(stages.reduce((attempts, stage) => attempts + stage.attempts, 0)).to.be.greaterThan(stages.length)

    const { job: last } = await submitJob(op, { examples: nameExamples() })
    await service.deps.workflows.start(last.id)
    expect(await second.end('SIGTERM')).to.deep.equal({ code: 0, signal: null })
    expect(second.output()).to.include('the worker has stopped')
    expect(second.output()).to.not.include('kept private')
  })

  it('names what is missing or wrong in its settings', async () => {
    const worker = startWorker({ SVC_MASTER_KEY: '' })
    expect(await worker.ended).to.deep.equal({ code: WRONG_SETTINGS_EXIT, signal: null })
    expect(worker.output()).to.include('SVC_MASTER_KEY')
  })

  it('waits for Postgres and Temporal instead of dying, and stops while it waits', async () => {
    const worker = startWorker({ DATABASE_URL: 'postgres://svc:secret@127.0.0.1:9/none' })
    while (!worker.output().includes('waiting for Postgres')) await sleep(50)
    expect(await worker.end('SIGTERM')).to.deep.equal({ code: 0, signal: null })
    expect(worker.output()).to.not.include('secret@')

    const other = startWorker({
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      TEMPORAL_NAMESPACE: `none-${randomBytes(4).toString('hex')}`,
    })
    while (!other.output().includes('waiting for Temporal')) await sleep(50)
    expect(await other.end('SIGTERM'), other.output()).to.deep.equal({ code: 0, signal: null })
  })
})
