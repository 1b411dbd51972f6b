import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { WorkflowFailedError } from '@temporalio/client'
import { reconcileOne, sweepAll } from '../../support/workflows/chores.ts'
import { findLife } from '../../../db/compile/artifacts/life/find-life.ts'
import { moveArtifact } from '../../../db/compile/artifacts/life/move-artifact.ts'
import { findArtifact } from '../../../db/compile/artifacts/find-artifact.ts'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import { collectOrphanedBlobs } from '../../../db/kernel/blobs/collect-orphans.ts'
import { findBlob, getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import type { ExportJob } from '../../../db/compile/exports/export-job.ts'
import { findExport } from '../../../db/compile/exports/find-export.ts'
import { openExportFile } from '../../../db/compile/exports/open-export-file.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { givenExport, givenTenant } from '../../support/db/given.ts'
import { givenAdapterArtifact, givenProgramArtifact } from '../../support/archives/signed-artifacts.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { useService } from '../../support/workflows/service.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const GOLDEN = fileURLToPath(new URL('../../model/golden', import.meta.url))
/** Fewer than by default. */
const EXPORT_DAYS = 3

describe('export workflow', () => {
  const bases: string[] = []
  const service = useService({
    baseFolders: bases,
    change: (deps) => ({ ...deps, limits: { ...deps.limits, export_days: EXPORT_DAYS } }),
  })
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-bases-'))
    await cp(join(GOLDEN, 'qwen3'), join(folder, 'tiny'), { recursive: true })
    bases.push(folder)
  })
  after(async () => {
    for (const folder of bases) await rm(folder, { recursive: true })
  })

  const resultOf = async (exportId: string): Promise<unknown> =>
    await service.temporal.client.workflow.getHandle(exportId).result()
  const run = async (op: Operation, job: ExportJob): Promise<ExportJob> => {
    await service.deps.workflows.start(job.id)
    await resultOf(job.id).catch((error: unknown) => {
      if (!(error instanceof WorkflowFailedError)) throw error
    })
    return await findExport(op, job.id)
  }
  const actions = async (op: Operation): Promise<readonly string[]> =>
    (await listAudit(op, { limit: 200 })).items
      .map((entry) => entry.action)
      .filter((action) => action.startsWith('export.'))

  it('writes an adapter as a file, once, and says so in the ledger', async () => {
    const { op } = await givenTenant(service.database.db)
    const artifactId = await givenAdapterArtifact(op, join(GOLDEN, 'qwen3'), 'tiny')
    const job = await givenExport(op, artifactId, { target: 'gguf', quant: 'Q8_0' })
    expect(job).to.include({ state: 'queued', artifactId })
    expect(await service.deps.workflows.start(job.id)).to.equal(true)
    expect(await resultOf(job.id)).to.deep.equal({ state: 'succeeded' })
    expect(await service.deps.workflows.start(job.id)).to.equal(false)

    const done = await findExport(op, job.id)
    expect(done).to.include({ state: 'succeeded', errorCode: null })
    const keptMs = (done.expiresAt?.getTime() ?? 0) - (done.finishedAt?.getTime() ?? 0)
    expect(keptMs).to.equal(EXPORT_DAYS * 86_400_000)
    const file = await openExportFile(op, job.id)
    expect(file.fileName).to.equal(`${artifactId}-q8_0.gguf`)
    const bytes = Buffer.from(await getBlob(op.db, file.sha256, 10_000_000))
    expect(bytes.subarray(0, 4).toString()).to.equal('GGUF')
    expect(bytes.length).to.equal(file.sizeBytes)
    expect(await actions(op)).to.deep.equal(['export.succeeded', 'export.created'])
    const history = await recordHistory(service.temporal, 'export-succeeded', job.id)
    expect(history).to.not.include('tiny')

    const again = await run(op, await givenExport(op, artifactId, { target: 'gguf', quant: 'Q8_0' }))
    expect(again.resultHash).to.equal(done.resultHash)
  })

  it('ends as failed, with a reason, where the artifact has no weights', async () => {
    const { op } = await givenTenant(service.database.db)
    const artifactId = await givenProgramArtifact(op)
    const failed = await run(op, await givenExport(op, artifactId, { target: 'onnx', quant: 'fp32' }))
    expect(failed).to.include({ state: 'failed', errorCode: 'export_not_applicable', resultSha256: null })
    expect(failed.errorMessage).to.contain('program')
    await recordHistory(service.temporal, 'export-failed', failed.id)
    expect(await actions(op)).to.deep.equal(['export.failed', 'export.created'])

    const plain = await run(op, await givenExport(op, artifactId))
    expect(plain).to.include({ state: 'succeeded', resultHash: (await findArtifact(op, artifactId)).archiveSha256 })
  })

  it('fails when the base is not the one that the adapter was fitted on', async () => {
    const { op } = await givenTenant(service.database.db)
    const artifactId = await givenAdapterArtifact(op, join(GOLDEN, 'qwen2'), 'tiny')
    const failed = await run(op, await givenExport(op, artifactId, { target: 'onnx', quant: 'fp32' }))
    expect(failed).to.include({ state: 'failed', errorCode: 'base_mismatch' })
  })

  it('is started by the reconciler when its first start failed, and again when Temporal lost it', async () => {
    const { op } = await givenTenant(service.database.db)
    const artifactId = await givenAdapterArtifact(op, join(GOLDEN, 'qwen3'), 'tiny')
    const later = (ms: number) => ({ ...service.deps, now: () => new Date(Date.now() + ms) })
    const job = await givenExport(op, artifactId, { target: 'mlx', quant: 'fp16' })
    expect(await reconcileOne(later(0), 'export')).to.include({ started: 0 })
    expect(await reconcileOne(later(5000), 'export')).to.include({ started: 1, failed: 0 })
    expect(await resultOf(job.id)).to.deep.equal({ state: 'succeeded' })

    const lost = await givenExport(op, artifactId, { target: 'mlx', quant: 'fp16' })
    await sendSql(op.db, 'delete from outbox where workflow_id = $1', [lost.id])
    expect(await reconcileOne(later(60_000), 'export')).to.include({ restarted: 1 })
    expect(await resultOf(lost.id)).to.deep.equal({ state: 'succeeded' })
  })

  it('ends the row of an export whose workflow was ended from outside', async () => {
    const { op } = await givenTenant(service.database.db)
    const artifactId = await givenAdapterArtifact(op, join(GOLDEN, 'qwen3'), 'tiny')
    const job = await givenExport(op, artifactId, { target: 'mlx', quant: 'fp16' })
    await service.temporal.client.workflow.start('no-such-workflow', { workflowId: job.id, taskQueue: 'nowhere' })
    await sendSql(op.db, 'delete from outbox where workflow_id = $1', [job.id])
    await service.temporal.client.workflow.getHandle(job.id).terminate()
    const deps = { ...service.deps, now: () => new Date(Date.now() + 60_000) }
    expect(await reconcileOne(deps, 'export')).to.include({ finished: 1 })
    expect(await findExport(op, job.id)).to.include({ state: 'failed', errorCode: 'export_failed' })
  })

  it('is refused once the artifact was revoked, and the workflow of its life ends what is under way', async () => {
    const { op } = await givenTenant(service.database.db)
    const artifactId = await givenAdapterArtifact(op, join(GOLDEN, 'qwen3'), 'tiny')
    const written = await run(op, await givenExport(op, artifactId, { target: 'mlx', quant: 'fp16' }))
    const open = await givenExport(op, artifactId, { target: 'mlx', quant: 'fp16' })
    const order = { artifactId, toState: 'revoked', reason: 'a leak', evidenceId: null, successorId: null }
    await moveArtifact(op, { ...order, limits: service.deps.limits })
    const started = await run(op, open)
    expect(started).to.include({ state: 'failed', errorCode: 'artifact_revoked' })
    await service.deps.workflows.start(`${artifactId}/lifecycle`)
    await service.temporal.client.workflow.getHandle(`${artifactId}/lifecycle`).result()
    expect((await findLife(op, artifactId)).transitions[0]?.effectsAt).to.be.instanceOf(Date)
    const error = await openExportFile(op, written.id).catch((thrown: unknown) => thrown)
    expect(error).to.have.property('code', 'artifact_revoked')
    const history = await recordHistory(service.temporal, 'lifecycle', `${artifactId}/lifecycle`)
    expect(history).to.not.include('a leak')
  })

  it('lets go of its file when its time is over, and keeps the digest', async () => {
    const { op } = await givenTenant(service.database.db)
    const artifactId = await givenAdapterArtifact(op, join(GOLDEN, 'qwen3'), 'tiny')
    const done = await run(op, await givenExport(op, artifactId, { target: 'gguf', quant: 'F16', part: 'adapter' }))
    const { sha256 } = await openExportFile(op, done.id)
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)
    const never = new AbortController().signal
    await collectOrphanedBlobs(op.db, inDays(2), never)
    expect(await findBlob(op.db, sha256)).to.not.equal(null)
    await sweepAll({ ...service.deps, now: () => inDays(8) })
    expect(await findBlob(op.db, sha256)).to.equal(null)
    const expired = await findExport(op, done.id)
    expect(expired).to.include({ state: 'succeeded', resultSha256: null, resultHash: sha256 })
    const error = await openExportFile(op, done.id).catch((thrown: unknown) => thrown)
    expect(error).to.have.property('code', 'export_expired')
  })
})
