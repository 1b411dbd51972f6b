import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { CHUNK_BYTES } from '../../../db/kernel/blobs/chunks.ts'
import { collectOrphanedBlobs } from '../../../db/kernel/blobs/collect-orphans.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { findBlob, getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import { removeDiscardedChunks } from '../../../db/kernel/blobs/remove-discarded.ts'
import { cancelJob } from '../../../db/compile/jobs/cancel-job.ts'
import { createJob } from '../../../db/compile/jobs/create-job.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { releaseDatasets } from '../../../db/compile/across/release/release-datasets.ts'
import { releaseStageBlobs } from '../../../db/compile/across/release/collect-finished.ts'
import { beginStage, completeStage } from '../../../db/compile/jobs/stages/record-stages.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { sweepNamed } from '../../support/workflows/chores.ts'
import { openSession } from '../../../db/accounts/sessions/open-session.ts'
import { CHARGED_TO_NOBODY } from '../../../db/billing/usage/charged-to.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenJob, givenReady, givenTenant, limits } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

describe('collection of unused blobs', () => {
  const test = useDatabase()
  const inHours = (hours: number): Date => new Date(Date.now() + hours * HOUR_MS)

  const givenBytes = async (): Promise<Sha256> => (await putBlob(test.db, randomBytes(64))).sha256

  const submit = async (op: Operation, datasetSha256: Sha256) =>
    await createJob(op, {
      spec: { task: 'Any', baseModel: 'none', kScoreFloor: 0.85, extra: {} },
      datasetSha256,
      rowCount: 1,
      plan: 'free',
      quota: null,
      chargedTo: CHARGED_TO_NOBODY,
      limits: limits(),
    })

  it('takes blobs that nothing refers to, once their hour of grace is over, and their chunks', async () => {
    const { op } = await givenTenant(test.db)
    const dataset = await givenBytes()
    const { job } = await submit(op, dataset)
    await givenReady(op, job.id)
    const orphan = (await putBlob(test.db, randomBytes(CHUNK_BYTES + 1))).sha256

    expect(await collectOrphanedBlobs(test.db, inHours(0.9))).to.equal(0)
    expect(await collectOrphanedBlobs(test.db, inHours(1.1))).to.equal(1)
    expect(await findBlob(test.db, orphan)).to.equal(null)
    expect(await getBlob(test.db, dataset, 64)).to.have.length(64)
    expect(await removeDiscardedChunks(test.db)).to.equal(2)
    const [left] = await sendSql<{ chunks: number }>(
      test.db,
      `select count(*) as chunks from blob_chunks where storage_id not in (select storage_id from blobs)`,
    )
    expect(left?.chunks).to.equal(0)
  })

  it('leaves a blob that was stored again, and one that an open transaction refers to', async () => {
    const { op } = await givenTenant(test.db)
    const bytes = randomBytes(64)
    const { sha256 } = await putBlob(test.db, bytes)
    await sendSql(test.db, `update blobs set review_at = now() - interval '1 day' where sha256 = $1`, [sha256])
    await putBlob(test.db, bytes)
    expect(await collectOrphanedBlobs(test.db, inHours(0.9))).to.equal(0)

    const referring = await test.db.pool.connect()
    try {
      await referring.query('begin')
      await referring.query('select 1 from blobs where sha256 = $1 for key share', [sha256])
      expect(await collectOrphanedBlobs(test.db, inHours(2))).to.equal(0)
    } finally {
      await referring.query('rollback')
      referring.release()
    }
    await submit(op, sha256)
    expect(await collectOrphanedBlobs(test.db, inHours(48))).to.equal(0)
    expect(await getBlob(test.db, sha256, 64)).to.have.length(64)
  })

  it('never takes a blob from under a caller who stores it again at that moment', async () => {
    const { op } = await givenTenant(test.db)
    const contents = Array.from({ length: 24 }, () => randomBytes(64))
    for (const bytes of contents) await putBlob(test.db, bytes)
    await sendSql(test.db, `update blobs set review_at = now() - interval '1 day'`)
    let isOver = false
    const collector = (async () => {
      let collected = 0
      while (!isOver) collected += await collectOrphanedBlobs(test.db, new Date())
      return collected
    })()
    const jobs = await Promise.all(
      contents.map(async (bytes) => {
        const { sha256 } = await putBlob(test.db, bytes)
        return { bytes, sha256, ...(await submit(op, sha256)) }
      }),
    )
    isOver = true
    await collector
    for (const { bytes, sha256 } of jobs) {
      expect(Buffer.compare(await getBlob(test.db, sha256, 64), bytes)).to.equal(0)
    }
  })

  it('releases the data of stages when the job is long finished, not before', async () => {
    const { op } = await givenTenant(test.db)
    const finished = await givenJob(op)
    const running = await givenJob(op)
    const kept = new Map<string, Sha256>()
    for (const { job } of [finished, running]) {
      const blobSha256 = await givenBytes()
      kept.set(job.id, blobSha256)
      const stage = { jobId: job.id, stage: 'k-sample', now: new Date() } as const
      await beginStage(op, stage)
      const cost = { durationMs: 1, usdMicros: 0 }
      await completeStage(op, { ...stage, outcome: 'done', result: {}, blobSha256, cost })
    }
    await givenReady(op, finished.job.id)
    const now = inHours(7 * 24 + 1)
    expect(await releaseStageBlobs(test.db, { finishedBefore: new Date(Date.now() - 7 * DAY_MS) })).to.equal(0)
    expect(await collectOrphanedBlobs(test.db, now)).to.equal(0)
    expect(await releaseStageBlobs(test.db, { finishedBefore: new Date(now.getTime() - 7 * DAY_MS) })).to.equal(1)
    expect(await collectOrphanedBlobs(test.db, inHours(9 * 24))).to.equal(1)
    expect(await findBlob(test.db, kept.get(finished.job.id) ?? 'sha256:')).to.equal(null)
    expect(await findBlob(test.db, kept.get(running.job.id) ?? 'sha256:')).not.to.equal(null)
  })

  it('releases the examples of finished jobs, sooner for unsigned ones, and keeps their digest', async () => {
    const { op } = await givenTenant(test.db)
    const kept = { signed: await givenBytes(), unsigned: await givenBytes(), running: await givenBytes() }
    const [signed, unsigned] = [await submit(op, kept.signed), await submit(op, kept.unsigned)]
    await givenReady(op, signed.job.id)
    await cancelJob(op, { jobId: unsigned.job.id, limits: limits() })
    await submit(op, kept.running)
    const [past, later] = [inHours(-1), inHours(1)]
    expect(await releaseDatasets(test.db, { unsignedBefore: past, signedBefore: past })).to.equal(0)
    expect(await releaseDatasets(test.db, { unsignedBefore: later, signedBefore: past })).to.equal(1)
    expect(await findJob(op, unsigned.job.id)).to.include({ datasetHash: kept.unsigned, datasetSha256: null })
    await collectOrphanedBlobs(test.db, inHours(100 * 24))
    expect(await findBlob(test.db, kept.unsigned)).to.equal(null)
    expect(await findBlob(test.db, kept.signed)).not.to.equal(null)
    expect(await releaseDatasets(test.db, { unsignedBefore: later, signedBefore: later })).to.be.at.least(1)
    await collectOrphanedBlobs(test.db, inHours(200 * 24))
    expect(await findBlob(test.db, kept.signed)).to.equal(null)
    expect(await findBlob(test.db, kept.running)).not.to.equal(null)
  })

  it('stops between two batches on its signal', async () => {
    const orphan = await givenBytes()
    expect(await collectOrphanedBlobs(test.db, inHours(2), AbortSignal.abort())).to.equal(0)
    expect(await removeDiscardedChunks(test.db, AbortSignal.abort())).to.equal(0)
    expect(await findBlob(test.db, orphan)).not.to.equal(null)
  })

  it('takes sessions that have ended', async () => {
    const { op, keyId } = await givenTenant(test.db)
    const { expiresAt } = await openSession(op, {
      keyId,
      memberId: null,
      authMethod: 'key',
      limits: limits({ session_days: 1 }),
    })
    expect(await sweepNamed(test.db, 'sessions', new Date(expiresAt.getTime() - 1000))).to.equal(0)
    expect(await sweepNamed(test.db, 'sessions', expiresAt)).to.equal(1)
  })
})
