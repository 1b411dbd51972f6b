import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { findWebhook } from '../../../db/accounts/webhooks/find-webhook.ts'
import { makeWebhookDue, setWebhook } from '../../../db/accounts/webhooks/set-webhook.ts'
import type { ExportJob } from '../../../db/compile/exports/export-job.ts'
import { findExport } from '../../../db/compile/exports/find-export.ts'
import { openExportFile } from '../../../db/compile/exports/open-export-file.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { answerQuestion } from '../../../db/compile/progress/questions/answer-question.ts'
import { listQuestions } from '../../../db/compile/progress/questions/questions.ts'
import { getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import { givenAdapterArtifact, givenProgramArtifact } from '../../support/archives/signed-artifacts.ts'
import { givenExport, givenTenant } from '../../support/db/given.ts'
import { sendSql, writeAll } from '../../support/db/send-sql.ts'
import { useHookReceiver, verifyMessage } from '../../support/wire/hook-receiver.ts'
import { missWorker } from '../../support/workflows/miss-worker.ts'
import { submitJob, useService } from '../../support/workflows/service.ts'
import { startWorkerProcess, type WorkerProcess } from '../../workers/worker-process.ts'

const GOLDEN = fileURLToPath(new URL('../../model/golden/qwen3', import.meta.url))
const EXAMPLES = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing'].map((input) => ({
  input,
  output: input.split(' ')[1] ?? '',
}))
const UNLABELLED = ['Donald Ervin Knuth', 'Barbara Liskov', 'Edsger Wybe Dijkstra']

type Setting = Awaited<ReturnType<typeof given>>

/** Work of three tenants, for one worker: an export, a message to a hook, and a compile that asks a question. */
async function given(db: Operation['db'], url: string) {
  const { op: exporting } = await givenTenant(db)
  const artifactId = await givenAdapterArtifact(exporting, GOLDEN, 'tiny')

  const { op: hooked } = await givenTenant(db)
  const subjectId = await givenProgramArtifact(hooked)
  const subject = { tenantId: hooked.tenantId, kind: 'compile.completed', subjectId } as const
  const secret = await hooked.write(async (tx) => {
    const made = await setWebhook(tx, db, { ...subject, url, namespace: null, now: new Date() })
    await makeWebhookDue(tx, subject, new Date())
    return made
  })
  const [delivery] = await sendSql<{ id: string }>(db, 'select id from webhook_deliveries where tenant_id = $1', [
    hooked.tenantId,
  ])

  const { op: asking } = await givenTenant(db)
  const { job } = await submitJob(asking, {
    examples: EXAMPLES,
    unlabelled: UNLABELLED,
    task: 'Write the family name',
    floor: 0,
    choices: { questions: { max: 1, wait: 600 } },
  })
  return {
    exports: { op: exporting, artifactId },
    hook: { op: hooked, subject, secret, deliveryId: delivery?.id ?? '' },
    question: { op: asking, jobId: job.id },
  }
}

describe('a worker that is killed', function () {
  // Two processes have to start.
  this.timeout(180_000)
  const receiver = useHookReceiver()
  const service = useService({ withWorkers: false })
  const started: WorkerProcess[] = []
  let folder = ''
  let work: Setting
  let exportId = ''
  let asked = ''
  let second: WorkerProcess

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-worker-'))
    await cp(GOLDEN, join(folder, 'bases', 'tiny'), { recursive: true })
    work = await given(service.database.db, receiver.url)
    const { workflows } = service.deps
    const { hook, question, exports } = work
    receiver.answer('hang')
    const first = await startWorker()
    await workflows.start(hook.deliveryId)
    await workflows.start(question.jobId)
    await receiver.arrived(1)
    while ((await listQuestions(question.op, question.jobId)).length === 0) await sleep(50)
    await whileNothingIsStored(async (isAwaited) => {
      exportId = (await startExport(exports.op, exports.artifactId)).id
      while (!(await isAwaited())) await sleep(20)
      await first.end('SIGKILL')
      for (const workflowId of [exportId, hook.deliveryId, question.jobId]) {
        await missWorker(service.temporal, workflowId)
      }
    })
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
      SVC_EGRESS_PRIVATE: '1',
    })
    started.push(worker)
    await worker.ready
    return worker
  }

  /** Blocks the storing of file chunks until `action` is over. */
  async function whileNothingIsStored(action: (isAwaited: () => Promise<boolean>) => Promise<void>): Promise<void> {
    await writeAll(service.database.db, async (tx) => {
      await tx.query('lock table blob_chunks in share mode')
      await action(async () => {
        const waiting = await tx.query(
          `select 1 from pg_locks where relation = 'blob_chunks'::regclass and not granted limit 1`,
        )
        return waiting.length > 0
      })
    })
  }

  async function startExport(op: Operation, artifactId: string): Promise<ExportJob> {
    const job = await givenExport(op, artifactId, { target: 'gguf', quant: 'F16' })
    await service.deps.workflows.start(job.id)
    return job
  }

  const resultOf = async (workflowId: string): Promise<unknown> =>
    await service.temporal.client.workflow.getHandle(workflowId).result()

  it('leaves its work unfinished, and a question takes its answer while no worker runs', async () => {
    const { exports, hook, question } = work
    expect(await findExport(exports.op, exportId)).to.include({ state: 'running', resultHash: null })
    expect(await findWebhook(hook.op, hook.subject)).to.deep.equal({ state: 'pending', errorCode: null })
    const { op, jobId } = question
    const [open] = await listQuestions(op, jobId)
    if (open === undefined || typeof open.input !== 'string') throw new Error('no question')
    expect(open.state).to.equal('open')
    asked = open.input
    await answerQuestion(op, {
      jobId,
      number: 1,
      answer: { state: 'answered', output: familyName(asked) },
      wake: () => service.deps.workflows.changedSoon(jobId),
    })
    second = await startWorker()
  })

  it('leaves an export that the next one ends once, with the bytes of an undisturbed one', async () => {
    const { op, artifactId } = work.exports
    expect(await resultOf(exportId)).to.deep.equal({ state: 'succeeded' })
    const done = await findExport(op, exportId)
    expect(done).to.include({ state: 'succeeded', errorCode: null })
    const { sha256, sizeBytes } = await openExportFile(op, exportId)
    expect(await getBlob(op.db, sha256, 10_000_000)).to.have.length(sizeBytes)
    const ledger = await listAudit(op, { limit: 200 })
    expect(ledger.items.filter(({ action }) => action.startsWith('export.')).map(({ action }) => action)).to.deep.equal(
      ['export.succeeded', 'export.created'],
    )

    const undisturbed = await startExport(op, artifactId)
    await resultOf(undisturbed.id)
    expect((await findExport(op, undisturbed.id)).resultHash).to.equal(sha256)
  })

  it('leaves a message to a hook to the next one, which sends it again under the same id', async () => {
    const { op, subject, secret, deliveryId } = work.hook
    const messages = await receiver.arrived(2)
    expect(await resultOf(deliveryId)).to.deep.equal({ state: 'sent' })
    expect(messages.map(({ id }) => id)).to.deep.equal([deliveryId, deliveryId])
    for (const message of messages)
      expect(verifyMessage(secret, message)).to.have.nested.property('data.job_id', subject.subjectId)
    expect(await findWebhook(op, subject)).to.deep.equal({ state: 'sent', errorCode: null })
  })

  it('loses neither an open question nor its answer', async () => {
    const { op, jobId } = work.question
    expect(await resultOf(jobId)).to.have.property('status', 'ready')
    const [answered, ...others] = await listQuestions(op, jobId)
    expect(others).to.deep.equal([])
    expect(answered).to.deep.include({ input: asked, state: 'answered', given: { output: familyName(asked) } })
    expect(await findJob(op, jobId)).to.include({ status: 'ready' })
  })

  it('is followed by one that ends in order', async () => {
    expect(await second.end('SIGTERM')).to.deep.equal({ code: 0, signal: null })
  })
})

function familyName(name: string): string {
  return name.split(' ').at(-1) ?? ''
}
