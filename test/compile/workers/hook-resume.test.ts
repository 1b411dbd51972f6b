import { expect } from 'chai'
import { findWebhook } from '../../../db/accounts/webhooks/find-webhook.ts'
import { makeWebhookDue, setWebhook } from '../../../db/accounts/webhooks/set-webhook.ts'
import { givenProgramArtifact } from '../../support/archives/signed-artifacts.ts'
import { givenTenant } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { useHookReceiver, verifyMessage } from '../../support/wire/hook-receiver.ts'
import { missWorker } from '../../support/workflows/miss-worker.ts'
import { useService } from '../../support/workflows/service.ts'
import { startWorkerProcess, type WorkerProcess } from '../../workers/worker-process.ts'

describe('a worker that is killed while a hook takes its message', () => {
  const receiver = useHookReceiver()
  const service = useService({ withWorkers: false })
  const started: WorkerProcess[] = []
  after(async () => {
    for (const worker of started) if (worker.child.exitCode === null) await worker.end('SIGKILL')
  })

  async function startWorker(): Promise<WorkerProcess> {
    const worker = startWorkerProcess({
      DATABASE_URL: service.database.url,
      TEMPORAL_ADDRESS: service.temporalAddress,
      TEMPORAL_NAMESPACE: service.temporal.namespace,
      SVC_MASTER_KEY: service.database.masterKey.toString('hex'),
      SVC_COMPUTE_THREADS: '1',
      SVC_EGRESS_PRIVATE: '1',
    })
    started.push(worker)
    await worker.ready
    return worker
  }

  it('leaves it to the next one, which sends it again under the same id', async function () {
    // Two processes have to start.
    this.timeout(180_000)
    const { op } = await givenTenant(service.database.db)
    const subjectId = await givenProgramArtifact(op)
    const subject = { tenantId: op.tenantId, kind: 'compile.completed', subjectId } as const
    const secret = await op.write(async (tx) => {
      const made = await setWebhook(tx, op.db, { ...subject, url: receiver.url, namespace: null, now: new Date() })
      await makeWebhookDue(tx, subject, new Date())
      return made
    })
    const [row] = await sendSql<{ id: string }>(op.db, 'select id from webhook_deliveries')
    const deliveryId = row?.id ?? ''

    receiver.answer('hang')
    const first = await startWorker()
    await service.deps.workflows.start(deliveryId)
    await receiver.arrived(1)
    await first.end('SIGKILL')
    await missWorker(service.temporal, deliveryId)
    expect(await findWebhook(op, subject)).to.deep.equal({ state: 'pending', errorCode: null })

    const second = await startWorker()
    const messages = await receiver.arrived(2)
    expect(await service.temporal.client.workflow.getHandle(deliveryId).result()).to.deep.equal({ state: 'sent' })
    expect(messages.map(({ id }) => id)).to.deep.equal([deliveryId, deliveryId])
    for (const message of messages)
      expect(verifyMessage(secret, message)).to.have.nested.property('data.job_id', subjectId)
    expect(await findWebhook(op, subject)).to.deep.equal({ state: 'sent', errorCode: null })
    expect(await second.end('SIGTERM')).to.deep.equal({ code: 0, signal: null })
  })
})
