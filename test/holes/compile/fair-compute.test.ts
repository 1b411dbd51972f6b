import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { listEvents } from '../../../db/compile/progress/events/list-events.ts'
import { cancelJob } from '../../../db/compile/jobs/cancel-job.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { admitInTransaction } from '../../../db/compile/jobs/start/admission.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { InferenceRequest } from '../../../core/learn/evals/inference/inference.ts'
import { createMeasurement, findMeasurement } from '../../../db/learn/bench/measurements.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { cancelRun } from '../../../temporal/runs.ts'
import { givenTenant } from '../../support/db/given.ts'
import { startWorkerProcess, type WorkerProcess } from '../../workers/worker-process.ts'
import { missWorker } from '../../support/workflows/miss-worker.ts'
import { nameExamples, submitJob, useService, type TestService } from '../../support/workflows/service.ts'
import { createComputeCores } from '../../../core/compile/stages/pool/compute-cores.ts'
import type { FairLane } from '../../../core/kernel/threads/fair/fair-lane.ts'

const BASES = fileURLToPath(new URL('../../../bases', import.meta.url))
/** A small base with random weights: it learns nothing worth while, quickly. */
const TINY = { folder: fileURLToPath(new URL('../../model/golden', import.meta.url)), name: 'llama-tied' }

/** Rows whose outputs nothing in the inputs explains. */
const FIT_ROWS = ['red', 'old', 'small', 'good', 'odd', 'warm'].flatMap((first, i) =>
  ['hat', 'cup', 'desk', 'pen', 'lamp', 'rug'].map((second, j) => ({
    input: `${first} ${second} ${(i * 31 + j * 17) % 23}`,
    output: `${['ice', 'tea', 'oil', 'tar', 'ink'][(i * 7 + j * 5 + i * j) % 5] ?? ''} ${(i * 13 + j * 29) % 97}`,
  })),
)

/** A measurement of minutes. */
const MANY_CALLS: InferenceRequest = {
  target: { kind: 'base', base: TINY.name },
  model: TINY.name,
  prompts: ['where is it'],
  repeats: 10_000,
  warmUps: 0,
  maxTokens: 256,
  concurrency: [1],
  speculative: 'none',
}

/** A fit of the small base has few rows: what comes before it takes longer than the fit. */
async function submitFit(op: Operation, options: { baseModel: string; epochs: number }): Promise<string> {
  const choices = { recipe_kind: 'lora', lora: { epochs: options.epochs, rank: 4 } }
  const examples = options.baseModel === TINY.name ? FIT_ROWS.slice(0, 12) : FIT_ROWS
  return (await submitJob(op, { examples, floor: 0, baseModel: options.baseModel, choices })).job.id
}

async function compileSmall(service: TestService, op: Operation): Promise<void> {
  const { job } = await submitJob(op, { examples: nameExamples() })
  await service.deps.workflows.start(job.id)
  await service.temporal.client.workflow.getHandle(job.id).result()
  expect((await findJob(op, job.id)).status).to.equal('ready')
}

async function untilTraining(op: Operation, jobIds: readonly string[]): Promise<void> {
  for (;;) {
    for (const jobId of jobIds) {
      const events = await listEvents(op, { jobId, afterSeq: 0, limit: 1000 })
      if (events.some(({ kind, body }) => kind === 'metric' && body['training_step'] !== undefined)) return
    }
    await sleep(100)
  }
}

async function cancel(service: TestService, op: Operation, jobId: string): Promise<void> {
  await cancelJob(op, { jobId, limits: DEFAULT_LIMITS })
  await cancelRun(service.temporal, jobId)
}

describe('compute that tenants share', () => {
  describe('in one worker', () => {
    const service = useService({
      baseFolders: [BASES, TINY.folder],
      change: (deps) => ({
        ...deps,
        cores: createComputeCores(2, { ...DEFAULT_LIMITS, short_turn_ms: 50, fit_turn_s: 1 }),
      }),
    })

    it('beside the fits of another tenant, a small compile is ready while the fits still run', async function () {
      this.timeout(300_000)
      const { op: fitting } = await givenTenant(service.database.db)
      const { op: other } = await givenTenant(service.database.db)
      const fits = [1, 2].map(async () => await submitFit(fitting, { baseModel: 'nano', epochs: 100 }))
      const jobIds = await Promise.all(fits)
      for (const jobId of jobIds) await service.deps.workflows.start(jobId)
      await untilTraining(fitting, jobIds)
      await compileSmall(service, other)
      for (const jobId of jobIds) {
        expect((await findJob(fitting, jobId)).status, 'the fits are not over').to.equal('running')
        await cancel(service, fitting, jobId)
      }
    })

    it('a small compile is ready while another tenant holds every place with long searches', async function () {
      this.timeout(180_000)
      const { op: searching } = await givenTenant(service.database.db)
      const { op: other } = await givenTenant(service.database.db)
      const holds = [service.hold(), service.hold()]
      const jobIds: string[] = []
      for (const hold of holds) {
        const { job } = await submitJob(searching, { examples: nameExamples() })
        jobIds.push(job.id)
        await service.deps.workflows.start(job.id)
        await hold.reached
      }
      await compileSmall(service, other)
      for (const jobId of jobIds) expect((await findJob(searching, jobId)).status).to.equal('running')
      for (const hold of holds) hold.release()
      for (const jobId of jobIds) await service.temporal.client.workflow.getHandle(jobId).result()
    })

    it('a fit gives way at a checkpoint, and goes on from it', async function () {
      this.timeout(180_000)
      const { op: long } = await givenTenant(service.database.db)
      const { op: short } = await givenTenant(service.database.db)
      const jobId = await submitFit(long, { baseModel: 'nano', epochs: 100 })
      await service.deps.workflows.start(jobId)
      await untilTraining(long, [jobId])
      const other = await submitFit(short, { baseModel: TINY.name, epochs: 1 })
      await service.deps.workflows.start(other)
      await service.temporal.client.workflow.getHandle(other).result()
      expect((await findJob(long, jobId)).status, 'the long fit is not over').to.equal('running')
      const codes = async () =>
        (await listEvents(long, { jobId, afterSeq: 0, limit: 1000 })).map(({ body }) => body['code'])
      while (!(await codes()).includes('fit_resumed')) await sleep(100)
      expect(await codes()).to.include('fit_waits')
      await cancel(service, long, jobId)
    })

    it('a measurement of a base gives way between two calls, and its time counts as unpaid', async function () {
      this.timeout(180_000)
      const { op: long } = await givenTenant(service.database.db)
      const { op: short } = await givenTenant(service.database.db)
      const id = await createMeasurement(long, { namespace: 'default', request: MANY_CALLS, limits: DEFAULT_LIMITS })
      await service.deps.workflows.start(id)
      const stateOf = async () => (await findMeasurement(long, id)).state
      while ((await stateOf()) === 'queued') await sleep(50)
      const other = await submitFit(short, { baseModel: TINY.name, epochs: 1 })
      await service.deps.workflows.start(other)
      await service.temporal.client.workflow.getHandle(other).result()
      expect(await stateOf(), 'the measurement is not over').to.equal('running')
      const used = async () =>
        await sendSql(service.database.db, 'select from unpaid_compute where tenant_id = $1 and used_ms > 0', [
          long.tenantId,
        ])
      expect(await used()).to.have.length(1)
      await cancelRun(service.temporal, id)
    })
  })

  describe('in line for fits', () => {
    const granted: string[] = []
    const asked = new Set<string>()
    /** The real lane, noting who asks and who is served. */
    const noting = (lane: FairLane): FairLane => ({
      most: lane.most,
      get waiting() {
        return lane.waiting
      },
      get held() {
        return lane.held
      },
      async take(share, options) {
        asked.add(share.member)
        const slot = await lane.take(share, options)
        granted.push(share.member)
        return slot
      },
    })
    const limits = { ...DEFAULT_LIMITS, running_jobs_free: 20 }
    const service = useService({
      baseFolders: [TINY.folder],
      change: (deps) => ({ ...deps, limits, cores: { ...deps.cores, long: noting(deps.cores.long) } }),
    })

    it('one fit of a tenant waits for at most one of another that has four', async function () {
      this.timeout(180_000)
      const { op: many } = await givenTenant(service.database.db)
      const { op: one } = await givenTenant(service.database.db)
      const jobIds: string[] = []
      for (let i = 0; i < 4; i++) jobIds.push(await submitFit(many, { baseModel: TINY.name, epochs: 1 }))
      await many.write(async (tx) => await admitInTransaction(tx, { tenantId: many.tenantId, limits, now: new Date() }))
      for (const jobId of jobIds) await service.deps.workflows.start(jobId)
      const jobId = await submitFit(one, { baseModel: TINY.name, epochs: 1 })
      await service.deps.workflows.start(jobId)
      while (!asked.has(one.tenantId)) await sleep(5)
      const before = granted.length
      while (!granted.includes(one.tenantId)) await sleep(5)
      const between = granted.slice(before, granted.indexOf(one.tenantId))
      expect(between.length, between.join()).to.be.at.most(1)
      for (const each of [...jobIds, jobId]) await service.temporal.client.workflow.getHandle(each).result()
    })
  })

  describe('when the worker is killed', () => {
    const service = useService({ withWorkers: false })
    const started: WorkerProcess[] = []
    after(async () => {
      for (const worker of started) if (worker.child.exitCode === null) await worker.end('SIGKILL')
    })

    async function startWorker(): Promise<WorkerProcess> {
      const worker = startWorkerProcess({
        DATABASE_URL: service.database.url,
        TEMPORAL_ADDRESS: service.temporalAddress,
        TEMPORAL_NAMESPACE: service.temporal.namespace,
        SVC_MASTER_KEY: service.database.masterKey.toString('hex'),
        SVC_BASES_DIR: BASES,
        SVC_COMPUTE_THREADS: '1',
      })
      started.push(worker)
      await worker.ready
      return worker
    }

    it('no slot is lost: fits go on, and a small compile beside them is ready', async function () {
      this.timeout(240_000)
      const { op: fitting } = await givenTenant(service.database.db)
      const { op: other } = await givenTenant(service.database.db)
      const first = await startWorker()
      const jobId = await submitFit(fitting, { baseModel: 'nano', epochs: 100 })
      await service.deps.workflows.start(jobId)
      await untilTraining(fitting, [jobId])
      await first.end('SIGKILL')
      await missWorker(service.temporal, jobId)
      await startWorker()
      await compileSmall(service, other)
      const computeMs = async () => (await findJob(fitting, jobId)).computeMs ?? 0
      const before = await computeMs()
      while ((await computeMs()) <= before) await sleep(200)
      expect((await findJob(fitting, jobId)).status).to.equal('running')
      await cancel(service, fitting, jobId)
    })
  })
})
