import { expect } from 'chai'
import { findArtifact, findByCid, openArchive } from '../../../db/compile/artifacts/find-artifact.ts'
import { listArtifacts } from '../../../db/compile/artifacts/list-artifacts.ts'
import { deleteConcept } from '../../../db/compile/concepts/delete-concept.ts'
import { findConcept } from '../../../db/compile/concepts/find-concept.ts'
import { findRunnable } from '../../../db/compile/concepts/find-runnable.ts'
import { conceptLineage } from '../../../db/compile/concepts/lineage.ts'
import { listConcepts } from '../../../db/compile/concepts/list-concepts.ts'
import { CompileJobEntity } from '../../../db/compile/jobs/compile-job.ts'
import { listEvents } from '../../../db/compile/progress/events/list-events.ts'
import { findDag } from '../../../db/compile/evidence/find-dag.ts'
import { conceptStats } from '../../../db/compile/invocations/concept-stats.ts'
import { createInvocationRecorder } from '../../../db/compile/invocations/recorder.ts'
import { cancelJob } from '../../../db/compile/jobs/cancel-job.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { jobDetails } from '../../../db/compile/jobs/stages/job-details.ts'
import { finishReady } from '../../../db/compile/jobs/finish/finish-ready.ts'
import { listJobs } from '../../../db/compile/jobs/list-jobs.ts'
import { revokeKey } from '../../../db/accounts/keys/revoke-key.ts'
import { pruneReceiptSecret } from '../../../db/ledger/receipt-secrets/prune-secret.ts'
import { createReceiptSecrets } from '../../../db/ledger/across/receipt-secrets.ts'
import { usage30d } from '../../../db/overview/account/usage-30d.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { writeAll } from '../../support/db/send-sql.ts'
import { givenJob, givenReady, givenTenant, limits, readyInput } from '../../support/db/given.ts'

describe('tenancy', () => {
  const test = useDatabase()

  it('finds nothing of another tenant by any door', async () => {
    const owner = await givenTenant(test.db)
    const { op } = await givenTenant(test.db)
    const { job } = await givenReady(owner.op, (await givenJob(owner.op)).job.id)
    const waiting = (await givenJob(owner.op)).job.id
    const conceptId = job.conceptId ?? ''
    const versionId = job.versionId ?? ''
    const { cid } = await findArtifact(owner.op, job.id)
    const receiptKey = (await createReceiptSecrets(test).current(owner.tenant.id)).keyId

    const doors = [
      async () => await findJob(op, job.id),
      async () => await jobDetails(op, job),
      async () => await cancelJob(op, { jobId: waiting, limits: limits() }),
      async () => await finishReady(op, await readyInput(test.db, waiting)),
      async () => await givenJob(op, { conceptId }),
      async () => await findArtifact(op, job.id),
      async () => await openArchive(op, job.id),
      async () => await findConcept(op, conceptId),
      async () => await conceptLineage(op, conceptId),
      async () => await conceptStats(op, conceptId),
      async () => await deleteConcept(op, { conceptId }),
      async () => await revokeKey(op, { keyId: owner.keyId }),
    ]
    for (const door of doors) await expectCode('not_found', door)
    await expectCode('unknown_receipt_key', async () => await pruneReceiptSecret(op, { keyId: receiptKey }))
    expect(await findByCid(op, cid)).to.deep.equal([])
    expect(await findDag(op, job.id)).to.equal(null)
    expect(await listEvents(op, { jobId: job.id, afterSeq: 0, limit: 10 })).to.deep.equal([])
    for (const target of [{ conceptId }, { versionId }, { artifactCid: cid }]) {
      expect(await findRunnable(test.db, { tenantId: op.tenantId, target, bounds: null })).to.equal(null)
      expect(await findRunnable(test.db, { tenantId: owner.tenant.id, target, bounds: null })).to.include({ versionId })
    }
    for (const list of [listJobs, listArtifacts, listConcepts]) {
      expect((await list(op, { limit: 10 })).items).to.deep.equal([])
      expect((await list(owner.op, { limit: 10 })).items).not.to.deep.equal([])
    }
    expect((await findJob(owner.op, waiting)).status).to.equal('queued')
  })

  it('refuses a query of the ORM that names no tenant', async () => {
    const outcome = await writeAll(test.db, async (tx) => await tx.em.find(CompileJobEntity, {})).then(
      () => 'answered',
      (error: unknown) => String(error),
    )
    expect(outcome).to.include("filter 'tenant'")
  })

  it('counts calls without a write for each, over processes and versions', async () => {
    const { op } = await givenTenant(test.db)
    const { job } = await givenReady(op, (await givenJob(op)).job.id)
    const call = {
      tenantId: op.tenantId,
      conceptId: job.conceptId ?? '',
      versionId: job.versionId ?? '',
      isFailed: false,
    }
    const recorders = [createInvocationRecorder(test), createInvocationRecorder(test)]
    for (let n = 1; n <= 100; n++) {
      recorders[n % 2]?.record({ ...call, latencyUs: n * 10, isCacheHit: false, isFailed: n % 10 === 0 })
    }
    for (let n = 0; n < 25; n++) recorders[0]?.record({ ...call, latencyUs: 1, isCacheHit: true })
    for (const recorder of recorders) await recorder.close()
    const stats = await conceptStats(op, call.conceptId)
    expect(stats).to.include({ invocations: 125, cacheHitRate: 0.2, errorRate: 0.08, versions: 1 })
    expect(stats.latencyUs.avg).to.equal(505)
    expect(stats.latencyUs.p50).to.be.within(480, 540)
    expect(stats.latencyUs.p99).to.be.within(950, 1050)
    expect(stats.lastInvokedAt).to.be.instanceOf(Date)
    expect(await usage30d(op)).to.deep.equal({ compiles30d: 1, calls30d: 125 })
  })
})
