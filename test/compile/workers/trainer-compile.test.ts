import { setTimeout as sleep } from 'node:timers/promises'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { CompileJob } from '../../../db/compile/jobs/compile-job.ts'
import { listEvents } from '../../../db/compile/progress/events/list-events.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { isTrainerListening } from '../../../temporal/trainer.ts'
import { givenTenant } from '../../support/db/given.ts'
import { stockNotes } from '../../support/archives/stock-notes.ts'
import { submitJob, useService } from '../../support/workflows/service.ts'
import { startTrainer, type TrainerProcess } from './trainer-process.ts'

const BASES = fileURLToPath(new URL('../../../bases', import.meta.url))
const PYTHON = process.env['SVC_TRAINER_PYTHON']

const describeWhereInstalled = PYTHON === undefined ? describe.skip : describe

/** Whole compiles with the Python worker; see trainer.test.ts for where they run. */
describeWhereInstalled('compile with the peft trainer', function () {
  this.timeout(300_000)

  const codecKey = randomBytes(32)
  const service = useService({
    codecKey,
    baseFolders: [BASES],
    change: (deps) => ({ ...deps, limits: { ...deps.limits, trainer_absent_s: 2 } }),
  })
  const trainers: TrainerProcess[] = []
  after(async () => {
    for (const trainer of trainers) await trainer.end('SIGKILL')
  })

  it('ends ready after a kill -9 of the worker, and tells how the fit goes', async () => {
    const { op } = await givenTenant(service.database.db)
    const first = await start()
    const job = await submit(op, 4)
    await told(op, job.id)
    expect(await isTrainerListening(service.temporal, new Date())).to.equal(true)
    await first.end('SIGKILL')
    const second = await start()
    const done = await ended(op, job.id)
    expect(done, done.errorMessage ?? '').to.include({ status: 'ready', baseModel: 'nano' })
    expect(done.evaluation).to.have.nested.property('adapter.trainer', 'peft')
    expect(second.output()).to.contain('goes on from step')
    await second.end('SIGTERM')
  })

  it('ends with no_trainer_installed when the worker is gone for good', async () => {
    const { op } = await givenTenant(service.database.db)
    const trainer = await start()
    const job = await submit(op, 90)
    await told(op, job.id)
    await trainer.end('SIGKILL')
    expect(await ended(op, job.id)).to.include({ status: 'failed', errorCode: 'no_trainer_installed' })
  })

  async function start(): Promise<TrainerProcess> {
    const trainer = startTrainer(PYTHON ?? '', {
      DATABASE_URL: service.database.url,
      TEMPORAL_ADDRESS: service.temporalAddress,
      TEMPORAL_NAMESPACE: service.temporal.namespace,
      SVC_CODEC_KEY: codecKey.toString('hex'),
      SVC_TRAINER_CHECKPOINT_SECONDS: '0.5',
    })
    trainers.push(trainer)
    await trainer.ready
    return trainer
  }

  async function submit(op: Operation, epochs: number): Promise<{ readonly id: string }> {
    const { job } = await submitJob(op, {
      floor: 0,
      baseModel: 'nano',
      examples: stockNotes(80),
      choices: { recipe_kind: 'lora', trainer: 'peft', lora: { epochs } },
    })
    await service.deps.workflows.start(job.id)
    return job
  }

  /** Waits until the job's stream has a step of the fit. */
  async function told(op: Operation, jobId: string): Promise<void> {
    for (;;) {
      const events = await listEvents(op, { jobId, afterSeq: 0, limit: 1000 })
      if (events.some(({ body }) => typeof body['training_step'] === 'number')) return
      await sleep(200)
    }
  }

  async function ended(op: Operation, jobId: string): Promise<CompileJob> {
    const running = service.temporal.client.workflow.getHandle(jobId)
    await running.result().catch(() => undefined)
    return await findJob(op, jobId)
  }
})
