import { expect } from 'chai'
import type { WorkStage } from '../../../core/compile/rows/task.ts'
import { cancelJob } from '../../../db/compile/jobs/cancel-job.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { beginStage, completeStage, completeStages } from '../../../db/compile/jobs/stages/record-stages.ts'
import { stageResult, type CompleteStageInput } from '../../../db/compile/jobs/stages/stages.ts'
import { listEvents } from '../../../db/compile/progress/events/list-events.ts'
import { subscribeJob, subscribeJobEnd } from '../../../db/compile/progress/events/subscribe.ts'
import { prepareBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { givenJob, givenTenant, limits } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { expectCode } from '../../support/wire/expect-code.ts'

const MAX_BYTES = 1000

describe('records of stages', () => {
  const test = useDatabase()

  async function givenBegun(stage: WorkStage): Promise<{ readonly op: Operation; readonly jobId: string }> {
    const { op } = await givenTenant(test.db)
    const { job } = await givenJob(op)
    await beginStage(op, { jobId: job.id, stage, now: new Date() })
    return { op, jobId: job.id }
  }

  function record(jobId: string, stage: WorkStage, more: Partial<CompleteStageInput> = {}): CompleteStageInput {
    const cost = { durationMs: 5, usdMicros: 7 }
    return { jobId, stage, outcome: 'done', result: { stage }, cost, now: new Date(), ...more }
  }

  it('records stages that follow one another at once, with the events of each', async () => {
    const { op, jobId } = await givenBegun('lora-fit')
    const archive = await prepareBlob(test.db, Buffer.from(`archive of ${jobId}`))
    const { stored, begun } = await completeStages(
      op,
      [record(jobId, 'lora-fit', { outcome: 'skipped' })],
      record(jobId, 'bundle', { blobSha256: archive.sha256, blobs: [archive], next: 'sign' }),
    )
    expect(stored).to.include({ stage: 'bundle', blobSha256: archive.sha256 })
    expect(begun).to.deep.equal({ stage: 'sign', result: null })
    expect(String(Buffer.from(await getBlob(test.db, archive.sha256, MAX_BYTES)))).to.equal(`archive of ${jobId}`)
    expect(await stageResult(op, { jobId, stage: 'lora-fit' })).to.include({ outcome: 'skipped' })
    expect(await findJob(op, jobId)).to.include({ status: 'running', stage: 'sign', costUsdMicros: 14 })
    const events = await listEvents(op, { jobId, afterSeq: 3, limit: 100 })
    expect(events.map(({ kind, body }) => [kind, body['step'], body['status'] ?? null])).to.deep.equal([
      ['cost', 'lora-fit', null],
      ['step.end', 'lora-fit', 'skipped'],
      ['step.start', 'bundle', 'running'],
      ['cost', 'bundle', null],
      ['step.end', 'bundle', 'done'],
      ['step.start', 'sign', 'running'],
    ])
  })

  it('records nothing where another attempt recorded an earlier stage, so that no result follows from one that does not stand', async () => {
    const { op, jobId } = await givenBegun('lora-fit')
    const rival = await completeStage(op, record(jobId, 'lora-fit', { result: { attempt: 'rival' } }))
    await expectCode('store_unavailable', async () => {
      await completeStages(op, [record(jobId, 'lora-fit')], record(jobId, 'bundle'))
    })
    expect(await stageResult(op, { jobId, stage: 'lora-fit' })).to.deep.equal(rival.stored)
    expect(await stageResult(op, { jobId, stage: 'bundle' })).to.equal(null)
    expect((await findJob(op, jobId)).costUsdMicros).to.equal(7)
  })

  it('returns the record of another attempt for the last stage, and keeps those before it', async () => {
    const { op, jobId } = await givenBegun('bundle')
    await beginStage(op, { jobId, stage: 'sign', now: new Date() })
    const rival = await completeStage(op, record(jobId, 'sign', { result: { attempt: 'rival' } }))
    const { stored } = await completeStages(op, [record(jobId, 'bundle')], record(jobId, 'sign'))
    expect(stored).to.deep.equal(rival.stored)
    expect(await stageResult(op, { jobId, stage: 'bundle' })).to.include({ outcome: 'done' })
    expect((await findJob(op, jobId)).costUsdMicros).to.equal(14)
  })

  it('stores no bytes for a job that was cancelled', async () => {
    const { op, jobId } = await givenBegun('k-sample')
    const sample = await prepareBlob(test.db, Buffer.from(`sample of ${jobId}`))
    await cancelJob(op, { jobId, limits: limits() })
    await expectCode('compile_cancelled', async () => {
      await completeStage(op, record(jobId, 'k-sample', { blobSha256: sample.sha256, blobs: [sample] }))
    })
    const stored = await sendSql(test.db, 'select 1 from blobs where sha256 = $1', [sample.sha256])
    expect(stored).to.deep.equal([])
  })

  it('notifies those who wait for the end of a job of its end alone', async () => {
    const { op, jobId } = await givenBegun('k-sample')
    let wakes = 0
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const { promise: told, resolve: tell } = Promise.withResolvers<void>()
    const stops = [
      subscribeJobEnd(test.notifications, jobId, () => {
        wakes++
        end()
      }),
      subscribeJob(test.notifications, jobId, tell),
    ]
    await completeStage(op, record(jobId, 'k-sample', { next: 'verify' }))
    await told
    expect(wakes).to.equal(0)
    await cancelJob(op, { jobId, limits: limits() })
    await ended
    for (const stop of stops) stop()
    expect(wakes).to.equal(1)
  })
})
