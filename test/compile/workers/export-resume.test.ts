import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import { getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import type { ExportJob } from '../../../db/compile/exports/export-job.ts'
import { findExport } from '../../../db/compile/exports/find-export.ts'
import { openExportFile } from '../../../db/compile/exports/open-export-file.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { givenExport, givenTenant } from '../../support/db/given.ts'
import { givenAdapterArtifact } from '../../support/archives/signed-artifacts.ts'
import { missWorker } from '../../support/workflows/miss-worker.ts'
import { useService } from '../../support/workflows/service.ts'
import { startWorkerProcess, type WorkerProcess } from '../../workers/worker-process.ts'
import { writeAll } from '../../support/db/send-sql.ts'

const GOLDEN = fileURLToPath(new URL('../../model/golden/qwen3', import.meta.url))

describe('a worker that is killed while it writes an export', () => {
  const service = useService({ withWorkers: false })
  const started: WorkerProcess[] = []
  let folder = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-worker-'))
    await cp(GOLDEN, join(folder, 'bases', 'tiny'), { recursive: true })
  })
  after(async () => {
    for (const worker of started) if (worker.child.exitCode === null) await worker.end('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })

  async function startWorker(): Promise<WorkerProcess> {
    const worker = startWorkerProcess({
      DATABASE_URL: service.database.url,
      TEMPORAL_ADDRESS: service.temporalAddress,
      TEMPORAL_NAMESPACE: service.temporal.namespace,
      SVC_MASTER_KEY: service.database.masterKey.toString('hex'),
      SVC_BASES_DIR: join(folder, 'bases'),
      SVC_COMPUTE_THREADS: '1',
    })
    started.push(worker)
    await worker.ready
    return worker
  }

  /** Blocks the storing of file chunks until `work` is over. */
  async function whileNothingIsStored(work: (isAwaited: () => Promise<boolean>) => Promise<void>): Promise<void> {
    await writeAll(service.database.db, async (tx) => {
      await tx.query('lock table blob_chunks in share mode')
      await work(async () => {
        const waiting = await tx.query(
          `select 1 from pg_locks where relation = 'blob_chunks'::regclass and not granted limit 1`,
        )
        return waiting.length > 0
      })
    })
  }

  async function accept(op: Operation, artifactId: string): Promise<ExportJob> {
    const job = await givenExport(op, artifactId, { target: 'gguf', quant: 'F16' })
    await service.deps.workflows.start(job.id)
    return job
  }

  const resultOf = async (exportId: string): Promise<unknown> =>
    await service.temporal.client.workflow.getHandle(exportId).result()

  it('leaves an export that the next one ends once, with the bytes of an undisturbed one', async function () {
    // Two processes have to start.
    this.timeout(180_000)
    const { op } = await givenTenant(service.database.db)
    const artifactId = await givenAdapterArtifact(op, GOLDEN, 'tiny')
    const first = await startWorker()
    let job: ExportJob | undefined
    await whileNothingIsStored(async (isAwaited) => {
      job = await accept(op, artifactId)
      while (!(await isAwaited())) await sleep(20)
      await first.end('SIGKILL')
      await missWorker(service.temporal, job.id)
    })
    const exportId = job?.id ?? ''
    expect(await findExport(op, exportId)).to.include({ state: 'running', resultHash: null })

    const second = await startWorker()
    expect(await resultOf(exportId)).to.deep.equal({ state: 'succeeded' })
    const done = await findExport(op, exportId)
    expect(done).to.include({ state: 'succeeded', errorCode: null })
    const { sha256, sizeBytes } = await openExportFile(op, exportId)
    expect(await getBlob(op.db, sha256, 10_000_000)).to.have.length(sizeBytes)
    const ledger = await listAudit(op, { limit: 200 })
    expect(ledger.items.filter(({ action }) => action.startsWith('export.')).map(({ action }) => action)).to.deep.equal(
      ['export.succeeded', 'export.created'],
    )

    const undisturbed = await accept(op, artifactId)
    await resultOf(undisturbed.id)
    expect((await findExport(op, undisturbed.id)).resultHash).to.equal(sha256)
    expect(await second.end('SIGTERM')).to.deep.equal({ code: 0, signal: null })
  })
})
