import { expect } from 'chai'
import { WorkflowFailedError } from '@temporalio/client'
import { CancelledFailure } from '@temporalio/common'
import type { CompileJob } from '../../../db/compile/jobs/compile-job.ts'
import { listEvents } from '../../../db/compile/progress/events/list-events.ts'
import { cancelJob } from '../../../db/compile/jobs/cancel-job.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { compileProgress } from '../../../temporal/compile-progress.ts'
import { cancelRun, findRun } from '../../../temporal/runs.ts'
import { startWorkflow } from '../../../temporal/start.ts'
import { Compile } from '../../../core/compile/workflows.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { givenTenant } from '../../support/db/given.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { nameExamples, noiseExamples, submitJob, useService } from '../../support/workflows/service.ts'

describe('compile workflow', () => {
  const service = useService()

  it('compiles examples to a signed archive and says nothing private on the way', async () => {
    const { op } = await givenTenant(service.database.db)
    const { job } = await submitJob(op, { examples: nameExamples() })
    expect(await service.deps.workflows.start(job.id)).to.equal(true)
    const outcome = await resultOf(job.id)
    expect(outcome).to.deep.include({ status: 'ready' })

    const done = await findJob(op, job.id)
    expect(done).to.include({ status: 'ready', stage: 'ready', progress: 100, errorCode: null })
    expect(done.versionId).to.match(/^ver_/)
    expect(Number(done.kScore)).to.equal(outcome?.kScore)
    expect(await stepsOf(op, job.id)).to.deep.equal([
      'queued done',
      'k-sample done',
      'verify done',
      'lora-fit skipped',
      'bundle done',
      'sign done',
      'ready done',
    ])
    expect(await compileProgress(service.temporal, job.id)).to.include({ stage: 'ready', fraction: 1 })
    const { searchAttributes, staticSummary } = await describeRun(job.id)
    expect(searchAttributes).to.deep.include({
      SvcTenant: [op.tenantId],
      SvcKind: ['compile'],
      SvcStage: ['ready'],
      SvcKScore: [outcome?.kScore],
    })
    expect(staticSummary).to.equal('Compile of 40 examples, K floor 0.5')

    const history = await recordHistory(service.temporal, 'compile-ready_built', job.id)
    for (const text of ['Lovelace', 'family name', op.tenantId.slice(4, 10).toUpperCase()]) {
      expect(history).to.not.include(text)
    }
    // A second start changes nothing, with or without a request in the outbox.
    expect(await service.deps.workflows.start(job.id)).to.equal(false)
    const input = { jobId: job.id, tenantId: op.tenantId, rows: 40, kScoreFloor: 0.5, baseModel: 'none' }
    expect(await startWorkflow(service.temporal, Compile, Compile.plan(input))).to.equal(false)
  })

  it('gates a job without a passing recipe, names the rows, and says why nothing was trained', async () => {
    const { op } = await givenTenant(service.database.db)
    const { job } = await submitJob(op, { examples: noiseExamples(), floor: 0.85 })
    await service.deps.workflows.start(job.id)
    expect(await resultOf(job.id)).to.include({ status: 'gated' })
    const gated = await findJob(op, job.id)
    expect(gated).to.include({ status: 'gated', stage: 'lora-fit', errorCode: 'k_score_below_floor', versionId: null })
    expect(gated.errorMessage?.match(/lora/gi)).to.have.length(1)
    expect(gated.errorMessage).to.match(
      /candidate: program \(.*\), .*LoRA adapter \(the base model is “none”, so no adapter was asked for\)$/,
    )
    expect(gated.failingRows).to.have.length.greaterThan(0)
    expect((await stepsOf(op, job.id)).at(-1)).to.equal('lora-fit skipped')
    await recordHistory(service.temporal, 'compile-gated_built', job.id)
  })

  it('ends as failed with the code when a stage cannot succeed, without a second attempt', async () => {
    const { op } = await givenTenant(service.database.db)
    const { job } = await submitJob(op, { examples: [] })
    await service.deps.workflows.start(job.id)
    expect(await failureOf(job.id)).to.be.instanceOf(WorkflowFailedError)
    const failed = await findJob(op, job.id)
    expect(failed).to.include({ status: 'failed', stage: 'k-sample', errorCode: 'no_examples' })
    expect(await findRun(service.temporal, job.id)).to.equal('failed')
    await recordHistory(service.temporal, 'compile-failed_built', job.id)
  })

  it('stops the stage that runs when the workflow is cancelled', async () => {
    const { op } = await givenTenant(service.database.db)
    const { job } = await submitJob(op, { examples: nameExamples() })
    const hold = service.hold()
    await service.deps.workflows.start(job.id)
    await hold.reached
    expect(await compileProgress(service.temporal, job.id)).to.include({ stage: 'k-sample', status: 'running' })
    expect(await cancelRun(service.temporal, job.id)).to.equal(true)
    const failure = await failureOf(job.id)
    expect(failure instanceof WorkflowFailedError && failure.cause).to.be.instanceOf(CancelledFailure)
    expect(await findJob(op, job.id)).to.include({ status: 'cancelled', errorCode: 'compile_cancelled' })
    await recordHistory(service.temporal, 'compile-cancelled_built', job.id)
    hold.release()
  })

  it('ends the workflow of a job that was cancelled in the database first', async () => {
    const { op } = await givenTenant(service.database.db)
    const { job } = await submitJob(op, { examples: nameExamples() })
    const hold = service.hold()
    await service.deps.workflows.start(job.id)
    await hold.reached
    await cancelJob(op, { jobId: job.id, limits: DEFAULT_LIMITS })
    hold.release()
    expect(await resultOf(job.id)).to.include({ status: 'cancelled' })
    expect((await stepsOf(op, job.id)).at(-1)).to.equal('k-sample cancelled')
  })

  it('starts the next waiting job when one ends', async () => {
    const { op } = await givenTenant(service.database.db)
    const jobs: CompileJob[] = []
    for (let i = 0; i < 3; i++) jobs.push((await submitJob(op, { examples: nameExamples() })).job)
    const [first, second, third] = jobs
    expect([first?.admittedAt, second?.admittedAt, third?.admittedAt].map((at) => at !== null)).to.deep.equal([
      true,
      true,
      false,
    ])
    await Promise.all([service.deps.workflows.start(first?.id ?? ''), service.deps.workflows.start(second?.id ?? '')])
    await Promise.all([resultOf(first?.id ?? ''), resultOf(second?.id ?? '')])
    expect(await resultOf(third?.id ?? '')).to.include({ status: 'ready' })
  })

  async function resultOf(jobId: string): Promise<{ readonly status: string; readonly kScore: number | null } | null> {
    return await service.temporal.client.workflow.getHandle(jobId).result()
  }

  async function failureOf(jobId: string): Promise<unknown> {
    return await resultOf(jobId).then(
      () => undefined,
      (error: unknown) => error,
    )
  }

  async function describeRun(jobId: string) {
    const description = await service.temporal.client.workflow.getHandle(jobId).describe()
    const { searchAttributes } = description
    return { searchAttributes, staticSummary: await description.staticSummary() }
  }

  async function stepsOf(op: Operation, jobId: string): Promise<string[]> {
    const events = await listEvents(op, { jobId, afterSeq: 0, limit: 1000 })
    return events
      .filter((event) => event.kind === 'step.end')
      .map(({ body }) => `${textOf(body['step'])} ${textOf(body['status'])}`)
  }
})

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
