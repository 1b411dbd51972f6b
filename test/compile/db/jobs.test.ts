import { expect } from 'chai'
import { DomainError } from '../../../core/kernel/errors.ts'
import { conceptLineage } from '../../../db/compile/concepts/lineage.ts'
import { deleteConcept } from '../../../db/compile/concepts/delete-concept.ts'
import { findConcept } from '../../../db/compile/concepts/find-concept.ts'
import { findRunnable } from '../../../db/compile/concepts/find-runnable.ts'
import { appendEvent } from '../../../db/compile/progress/events/append-event.ts'
import { listEvents } from '../../../db/compile/progress/events/list-events.ts'
import { subscribeJob } from '../../../db/compile/progress/events/subscribe.ts'
import { findDag } from '../../../db/compile/evidence/find-dag.ts'
import { openArchive } from '../../../db/compile/artifacts/find-artifact.ts'
import { readArchive } from '../../../db/compile/artifacts/read-archive.ts'
import { admitWaiting } from '../../../db/compile/across/admit-waiting.ts'
import { cancelJob } from '../../../db/compile/jobs/cancel-job.ts'
import { finishGated } from '../../../db/compile/jobs/finish/finish-otherwise.ts'
import { finishReady } from '../../../db/compile/jobs/finish/finish-ready.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { listJobs } from '../../../db/compile/jobs/list-jobs.ts'
import { listOpenJobs } from '../../../db/compile/across/open-jobs.ts'
import { openOutbox, withdrawStart } from '../../../db/kernel/outbox/outbox.ts'
import { beginStage, completeStage } from '../../../db/compile/jobs/stages/record-stages.ts'
import { reportProgress } from '../../../db/compile/jobs/stages/stages.ts'
import { quotaStatus } from '../../../db/billing/quota/status.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { givenBlob, givenJob, givenReady, givenTenant, limits, readyInput } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const cost = { durationMs: 5, usdMicros: 7 }
const missed = {
  limits: limits(),
  kScore: 0.2,
  evaluation: {},
  failingRows: ['row_1'],
  failingCount: 250,
  message: 'below the floor',
}

describe('compile jobs', () => {
  const test = useDatabase()

  it('never lets more in than the plan allows, and lets every waiting job in at last', async () => {
    const { op } = await givenTenant(test.db)
    const created = await Promise.all(Array.from({ length: 12 }, async () => await givenJob(op)))
    expect(created.filter((each) => each.isAdmitted)).to.have.length(2)

    const finished = new Set<string>()
    let running = created.filter((each) => each.isAdmitted).map((each) => each.job.id)
    while (running.length > 0) {
      expect(await countRunning(test.db, op.tenantId)).to.be.at.most(2)
      const ended = await Promise.all(
        running.map(async (jobId, place) => {
          finished.add(jobId)
          return place === 0 ? await givenReady(op, jobId) : await cancelJob(op, { jobId, limits: limits() })
        }),
      )
      running = ended.flatMap((each) => each.admitted)
    }
    expect(finished.size).to.equal(12)
  })

  it('lets jobs in one after the other in the order of their arrival', async () => {
    const { op } = await givenTenant(test.db)
    const one = limits({ running_jobs_free: 1 })
    const jobs = []
    for (let i = 0; i < 4; i++) jobs.push((await givenJob(op, { limits: one })).job.id)
    const order = [jobs[0]]
    for (let i = 0; i < 3; i++) {
      const { admitted } = await givenReady(op, order.at(-1) ?? '', one)
      order.push(...admitted)
    }
    expect(order).to.deep.equal(jobs)
  })

  it('lets waiting jobs in when a limit is raised, and hands their starts out once', async () => {
    const { op } = await givenTenant(test.db)
    for (let i = 0; i < 5; i++) await givenJob(op, { limits: limits({ running_jobs_free: 1 }) })
    const admitted = await admitWaiting(test.db, {
      limits: limits({ running_jobs_free: 3 }),
      batch: 100,
      now: new Date(),
    })
    expect(admitted).to.have.length(2)

    const later = new Date(Date.now() + 60_000)
    const due = async (now: Date) =>
      (await openOutbox(test.db).claimDue({ family: 'compile', batch: 100, now })).filter(
        ({ input }) => Object(input).tenantId === op.tenantId,
      )
    const claimed = (await Promise.all([due(later), due(later)])).flat()
    expect(claimed).to.have.length(3)
    expect(claimed[0]?.input).to.have.all.keys('jobId', 'tenantId', 'rows', 'kScoreFloor', 'baseModel')
    const page = { openSince: later, afterKey: '', limit: 1000 }
    const ids = claimed.map(({ workflowId }) => workflowId)
    const openIds = async () => (await listOpenJobs(test.db, page)).map(({ jobId }) => jobId)
    expect(await openIds()).to.not.include.members(ids)
    for (const id of ids) await op.write(async (tx) => withdrawStart(tx, id))
    expect(await due(new Date(later.getTime() + 60_000))).to.deep.equal([])
    expect(await openIds()).to.include.members(ids)
  })

  it('keeps the first result of a stage and writes its events once', async () => {
    const { op } = await givenTenant(test.db)
    const { job } = await givenJob(op)
    const stage = 'k-sample' as const
    const blobSha256 = await givenBlob(test.db, 'candidates')
    await Promise.all([1, 2, 3].map(async () => await beginStage(op, { jobId: job.id, stage, now: new Date() })))
    await reportProgress(op, { jobId: job.id, stage, fraction: 0.5, note: 'half', now: new Date() })
    const results = await Promise.all(
      [1, 2, 3].map(
        async (attempt) =>
          await completeStage(op, {
            jobId: job.id,
            stage,
            outcome: 'done',
            result: { attempt },
            blobSha256,
            cost,
            events: [{ kind: 'metric', body: { step: stage, k_score: 1 } }],
            now: new Date(),
          }),
      ),
    )
    expect(results[1]).to.deep.equal(results[0])
    expect(results[2]).to.deep.equal(results[0])
    const begun = await beginStage(op, { jobId: job.id, stage, now: new Date() })
    expect(begun.result).to.deep.equal(results[0]?.stored)
    expect((await findJob(op, job.id)).costUsdMicros).to.equal(7)

    const events = await listEvents(op, { jobId: job.id, afterSeq: 0, limit: 100 })
    expect(events.map(({ kind, body }) => [kind, body['step'], body['status'] ?? null])).to.deep.equal([
      ['step.start', 'queued', 'running'],
      ['step.end', 'queued', 'done'],
      ['step.start', stage, 'running'],
      ['progress', stage, null],
      ['metric', stage, null],
      ['cost', stage, null],
      ['step.end', stage, 'done'],
    ])
    expect(events.map((event) => event.seq)).to.deep.equal([1, 2, 3, 4, 5, 6, 7])
  })

  it('numbers concurrent events without gaps, and wakes the subscribers of the job', async () => {
    const { op } = await givenTenant(test.db)
    const { job } = await givenJob(op)
    let wakes = 0
    const stop = subscribeJob(test.notifications, job.id, () => wakes++)
    await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        await appendEvent(op, { jobId: job.id, kind: 'log', body: { n }, now: new Date() })
      }),
    )
    const events = await listEvents(op, { jobId: job.id, afterSeq: 1, limit: 100 })
    expect(events.map((event) => event.seq)).to.deep.equal(Array.from({ length: 60 }, (_, n) => n + 2))
    expect(new Set(events.map((event) => event.body['n'])).size).to.equal(60)
    await waitUntil(() => wakes > 0)
    stop()
  })

  it('ends a job exactly once, by whichever path', async () => {
    const { op } = await givenTenant(test.db)
    const { job } = await givenJob(op)
    const input = await readyInput(test.db, job.id)
    const ends = await Promise.all([
      ...Array.from({ length: 5 }, async () => await finishReady(op, input)),
      finishGated(op, { ...missed, jobId: job.id }),
    ])
    expect(ends.filter((end) => end.isFirst)).to.have.length(1)
    const final = await findJob(op, job.id)
    expect(ends.every((end) => end.job.status === final.status)).to.equal(true)
    const events = await listEvents(op, { jobId: job.id, afterSeq: 0, limit: 100 })
    expect(events.filter(({ kind }) => kind === 'done' || kind === 'gated' || kind === 'error')).to.have.length(1)
    await expectCode('already_finished', async () => {
      await appendEvent(op, { jobId: job.id, kind: 'log', body: {}, now: new Date() })
    })
  })

  it('is either published or cancelled when both come at once, and charged accordingly', async () => {
    const { op } = await givenTenant(test.db)
    const set = limits({ running_jobs_free: 12 })
    const jobs = await Promise.all(Array.from({ length: 12 }, async () => (await givenJob(op, { limits: set })).job.id))
    const races = await Promise.all(
      jobs.map(async (jobId, place) => {
        await beginStage(op, { jobId, stage: 'sign', now: new Date() })
        const input = await readyInput(test.db, jobId, set)
        const publish = async () => await finishReady(op, input)
        const cancel = async () =>
          await cancelJob(op, { jobId, limits: set }).then(
            () => 'cancelled',
            (error: unknown) => (error instanceof DomainError ? error.code : 'broken'),
          )
        const [published, cancelled] =
          place % 2 === 0
            ? await Promise.all([publish(), cancel()])
            : await Promise.all([cancel(), publish()]).then(([second, first]) => [first, second] as const)
        return { jobId, published, cancelled }
      }),
    )
    for (const { jobId, published, cancelled } of races) {
      const { status } = await findJob(op, jobId)
      expect([published.job.status, published.isFirst, cancelled]).to.deep.equal(
        status === 'ready' ? ['ready', true, 'already_finished'] : ['cancelled', false, 'cancelled'],
      )
      if (status === 'ready') expect((await openArchive(op, jobId)).id).to.equal(jobId)
      else await expectCode('not_ready', async () => await openArchive(op, jobId))
    }
    const ready = races.filter(({ published }) => published.isFirst).length
    expect((await quotaStatus(op, { plan: 'free', quota: null, limits: set })).used).to.equal(10 * ready)
  })

  it('makes a concept with versions, an artifact and its evidence', async () => {
    const { op } = await givenTenant(test.db)
    const first = await givenReady(op, (await givenJob(op, { task: 'Dates: to ISO 8601!' })).job.id)
    const conceptId = first.job.conceptId ?? ''
    const second = await givenReady(op, (await givenJob(op, { conceptId })).job.id)

    const { concept, versions } = await findConcept(op, conceptId)
    expect(concept).to.include({ name: 'dates-to-iso-8601', versionCount: 2, headVersionId: second.job.versionId })
    expect(versions.map((version) => version.semver)).to.deep.equal(['0.2.0', '0.1.0'])
    expect(versions[0]?.parentVersionId).to.equal(first.job.versionId)
    const { upstream, downstream } = await conceptLineage(op, conceptId)
    expect(upstream.map((link) => link.jobId)).to.deep.equal([second.job.id, first.job.id])
    expect(downstream.map((link) => link.artifactId)).to.deep.equal([second.job.id, first.job.id])
    expect((await findDag(op, first.job.id))?.edges).to.have.length(1)

    const target = { tenantId: op.tenantId, target: { conceptId }, bounds: null }
    const { versionId, id: artifactId } = second.job
    expect(await findRunnable(test.db, target)).to.include({ versionId, artifactId })
    expect(Buffer.from(await readArchive(op, first.job.id)).toString()).to.equal(`archive of ${first.job.id}`)
    expect(await deleteConcept(op, { conceptId })).to.deep.equal({ deleted: 3 })
    expect(await findRunnable(test.db, target)).to.equal(null)
    await expectCode('not_found', async () => await readArchive(op, first.job.id))
    await expectCode('not_found', async () => await findConcept(op, conceptId))
    expect((await openArchive(op, first.job.id)).id).to.equal(first.job.id)
  })

  it('gives the units of a compile back that brought nothing', async () => {
    const { op } = await givenTenant(test.db)
    const used = async () => (await quotaStatus(op, { plan: 'free', quota: null, limits: limits() })).used
    const kept = await givenJob(op)
    const gated = await givenJob(op)
    const cancelled = await givenJob(op)
    expect(await used()).to.equal(30)
    await givenReady(op, kept.job.id)
    await finishGated(op, { ...missed, jobId: gated.job.id })
    const events = await listEvents(op, { jobId: gated.job.id, afterSeq: 0, limit: 100 })
    expect(events.at(-1)?.body).to.deep.include({ failing_rows: ['row_1'], failing_row_count: 250 })
    await cancelJob(op, { jobId: cancelled.job.id, limits: limits() })
    await cancelJob(op, { jobId: cancelled.job.id, limits: limits() })
    expect(await used()).to.equal(10)
    await expectCode('k_score_below_floor', async () => await openArchive(op, gated.job.id))
    await expectCode('already_finished', async () => await cancelJob(op, { jobId: kept.job.id, limits: limits() }))
    await expectCode('compile_cancelled', async () => {
      await beginStage(op, { jobId: cancelled.job.id, stage: 'verify', now: new Date() })
    })
  })

  it('answers a repeated request with the job that the first one made', async () => {
    const { op } = await givenTenant(test.db)
    const idempotency = { route: 'createCompile', key: 'k1', credential: 'key:a', bodyHash: 'a' }
    const jobs = await Promise.all(Array.from({ length: 6 }, async () => await givenJob(op, { idempotency })))
    expect(new Set(jobs.map((each) => each.job.id)).size).to.equal(1)
    expect(jobs.filter((each) => !each.isReplay)).to.have.length(1)
    await expectCode('idempotency_key_reused', async () => {
      await givenJob(op, { idempotency: { ...idempotency, bodyHash: 'b' } })
    })
    expect((await quotaStatus(op, { plan: 'free', quota: null, limits: limits() })).used).to.equal(10)
  })

  it('lists every job once, page by page, newest first', async () => {
    const { op } = await givenTenant(test.db)
    const ids: string[] = []
    for (let i = 0; i < 7; i++) ids.push((await givenJob(op)).job.id)
    const seen: string[] = []
    for (let cursor: string | undefined, isLast = false; !isLast;) {
      const page = await listJobs(op, { limit: 3, cursor })
      seen.push(...page.items.map((item) => item.id))
      cursor = page.nextCursor ?? undefined
      isLast = page.nextCursor === null
    }
    expect(seen).to.have.members(ids)
    expect(seen).to.have.length(7)
    expect((await listJobs(op, { limit: 10, status: 'ready' })).items).to.deep.equal([])
    await expectCode('invalid_cursor', async () => await listJobs(op, { limit: 3, cursor: 'junk' }))
  })
})

async function countRunning(db: Database, tenantId: string): Promise<number> {
  const [row] = await sendSql<{ running: number }>(
    db,
    'select count(*) as running from compile_jobs where tenant_id = $1 and admitted_at is not null and finished_at is null',
    [tenantId],
  )
  return row?.running ?? 0
}

async function waitUntil(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5))
}
