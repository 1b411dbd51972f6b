import { expect } from 'chai'
import { sha256 } from '../../../core/kernel/json/json.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { collectOrphanedBlobs } from '../../../db/kernel/blobs/collect-orphans.ts'
import {
  endRound,
  findRound,
  openRound,
  releaseReservation,
  reserveSpending,
} from '../../../db/compile/progress/teacher-samples/rounds.ts'
import {
  findEarlierSample,
  listSamples,
  recordOutcomes,
  recordSamples,
  type NewTeacherSample,
} from '../../../db/compile/progress/teacher-samples/samples.ts'
import { collectRounds } from '../../../db/compile/across/release/collect-finished.ts'
import { cancelJob } from '../../../db/compile/jobs/cancel-job.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { aSample } from '../core/teacher/given.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { givenJob, givenTenant, limits } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const now = new Date('2026-05-01T12:00:00Z')

describe('teacher rounds and samples', () => {
  const database = useDatabase()

  async function givenRound(op: Operation, budgetUsdMicros = 1000): Promise<string> {
    const { job } = await givenJob(op)
    const { sha256: blobSha256 } = await putBlob(op.db, Buffer.from(`draft of ${job.id}`))
    await openRound(op, {
      jobId: job.id,
      blobSha256,
      summary: { n: 1 },
      budgetUsdMicros,
      now,
    })
    return job.id
  }

  const newSample = (question: string, ordinal: number, request: string): NewTeacherSample => ({
    ...aSample(question, ordinal, { answer: request }),
    requestHash: sha256(request),
  })

  it('never set more aside than the budget, however many calls ask at once', async () => {
    const { op } = await givenTenant(database.db)
    const jobId = await givenRound(op, 1000)
    const granted = await Promise.all(Array.from({ length: 40 }, () => reserveSpending(op, jobId, 30)))
    expect(granted.filter(Boolean)).to.have.length(33)
    await releaseReservation(op, jobId, 30)
    expect(await reserveSpending(op, jobId, 41)).to.equal(false)
    expect(await reserveSpending(op, jobId, 40)).to.equal(true)
    const round = await findRound(op, jobId)
    expect(round).to.include({ reservedUsdMicros: 1000, spentUsdMicros: 0 })
  })

  it('settle a reservation with the samples of a call, which are written once', async () => {
    const { op } = await givenTenant(database.db)
    const jobId = await givenRound(op)
    await reserveSpending(op, jobId, 500)
    const samples = [newSample('program/0', 0, 'a'), { ...newSample('program/0', 1, 'a'), text: 'with \0 in it' }]
    const record = async (reservedUsdMicros: number) =>
      await recordSamples(op, { jobId, samples, reservedUsdMicros, now })
    await record(500)
    expect(await findRound(op, jobId)).to.include({ reservedUsdMicros: 0, spentUsdMicros: 400 })
    // A worker that was thought dead paid for the same samples: its money counts, its samples do not.
    await record(0)
    expect(await findRound(op, jobId)).to.include({ spentUsdMicros: 800 })
    const listed = await listSamples(op, jobId)
    expect(listed.map(({ ordinal, text }) => [ordinal, text])).to.deep.equal([
      [0, '{"answer":"a"}'],
      [1, 'with \uFFFD in it'],
    ])
    await recordOutcomes(op, jobId, [{ question: 'program/0', ordinal: 1, outcome: 'unreadable' }])
    expect(
      await sendSql(op.db, 'select ordinal, outcome from teacher_samples where job_id = $1 order by ordinal', [jobId]),
    ).to.deep.equal([
      { ordinal: 0, outcome: null },
      { ordinal: 1, outcome: 'unreadable' },
    ])
  })

  it('find earlier samples of the tenant, and none of another tenant', async () => {
    const { op } = await givenTenant(database.db)
    const { op: other } = await givenTenant(database.db)
    const jobId = await givenRound(op)
    const samples = [newSample('label/3', 0, 'same question')]
    await recordSamples(op, { jobId, samples, reservedUsdMicros: 0, now })
    const find = async (by: Operation, ordinal: number) =>
      await findEarlierSample(by, { requestHash: sha256('same question'), ordinal })
    expect(await find(op, 0)).to.include({ text: '{"answer":"same question"}' })
    expect(await find(op, 1)).to.equal(null)
    expect(await find(other, 0)).to.equal(null)
  })

  it('open once, end once, and keep their draft from being collected', async () => {
    const { op } = await givenTenant(database.db)
    const jobId = await givenRound(op)
    const first = await findRound(op, jobId)
    const { sha256: blobSha256 } = await putBlob(op.db, Buffer.from('another draft'))
    const again = await openRound(op, {
      jobId,
      blobSha256,
      summary: {},
      budgetUsdMicros: 5,
      now,
    })
    expect(again).to.deep.equal(first)
    await endRound(op, { jobId, ending: { stopped: 'budget_exhausted', failure: null }, now })
    await endRound(op, { jobId, ending: { stopped: null, failure: null }, now })
    expect((await findRound(op, jobId))?.ending).to.deep.equal({ stopped: 'budget_exhausted', failure: null })
    await collectOrphanedBlobs(op.db, new Date(Date.now() + 86_400_000))
    const kept = await sendSql(op.db, 'select 1 from blobs where sha256 = $1', [first?.blobSha256])
    expect(kept).to.have.length(1)
  })

  it('open for no job that is over, and go some time after its end', async () => {
    const { op } = await givenTenant(database.db)
    const jobId = await givenRound(op)
    await recordSamples(op, {
      jobId,
      samples: [newSample('label/0', 0, 'x')],
      reservedUsdMicros: 0,
      now,
    })
    expect(await collectRounds(op.db, { finishedBefore: new Date(Date.now() + 1000) })).to.equal(0)
    await cancelJob(op, { jobId, limits: limits() })
    expect(await collectRounds(op.db, { finishedBefore: new Date(Date.now() + 1000) })).to.equal(1)
    expect(await listSamples(op, jobId)).to.deep.equal([])
    const { sha256: blobSha256 } = await putBlob(op.db, Buffer.from('late'))
    await expectCode('compile_cancelled', () =>
      openRound(op, { jobId, blobSha256, summary: {}, budgetUsdMicros: 1, now }),
    )
  })
})
