import { expect } from 'chai'
import { findWebhook } from '../../../db/accounts/webhooks/find-webhook.ts'
import { makeWebhookDue, setWebhook } from '../../../db/accounts/webhooks/set-webhook.ts'
import { moveArtifact } from '../../../db/compile/artifacts/life/move-artifact.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import { givenProgramArtifact } from '../../support/archives/signed-artifacts.ts'
import { givenTenant } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { useHookReceiver, verifyMessage } from '../../support/wire/hook-receiver.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { useService } from '../../support/workflows/service.ts'

describe('webhook-delivery workflow', () => {
  const receiver = useHookReceiver()
  let allowsPrivateEgress = true
  const service = useService({
    change: (deps) => ({
      ...deps,
      get allowsPrivateEgress() {
        return allowsPrivateEgress
      },
    }),
  })

  /** Sets a hook on an artifact that exists, and makes it due. */
  async function givenDue(given: { readonly op: Operation; readonly jobId: string; readonly url?: string }) {
    const { op, jobId, url = receiver.url } = given
    const subject = { tenantId: op.tenantId, kind: 'compile.completed', subjectId: jobId } as const
    const secret = await op.write(async (tx) => {
      const made = await setWebhook(tx, op.db, { ...subject, url, namespace: null, now: new Date() })
      await makeWebhookDue(tx, subject, new Date())
      return made
    })
    const [row] = await sendSql<{ id: string }>(op.db, 'select id from webhook_deliveries where subject_id = $1', [
      jobId,
    ])
    const deliveryId = row?.id ?? ''
    await service.deps.workflows.start(deliveryId)
    return { secret, deliveryId }
  }

  async function givenArtifact() {
    const { op } = await givenTenant(service.database.db)
    return { op, jobId: await givenProgramArtifact(op) }
  }

  const resultOf = async (deliveryId: string): Promise<unknown> =>
    await service.temporal.client.workflow.getHandle(deliveryId).result()
  const failureOf = async (deliveryId: string): Promise<unknown> =>
    await resultOf(deliveryId).catch((failure: unknown) => failure)
  const standingOf = async (op: Operation, subjectId: string) =>
    await findWebhook(op, { kind: 'compile.completed', subjectId })
  const linesOf = async (op: Operation) =>
    (await listAudit(op, { limit: 50 })).items.filter(({ action }) => action.startsWith('webhook.'))

  it('sends a message that the library of Standard Webhooks verifies, again under its id until it is taken', async () => {
    const { op, jobId } = await givenArtifact()
    const seen = receiver.received.length
    receiver.answer({ status: 503, headers: { 'retry-after': '1' } }, { status: 302, headers: { 'retry-after': '1' } })
    const { secret, deliveryId } = await givenDue({ op, jobId })
    expect(await resultOf(deliveryId)).to.deep.equal({ state: 'sent' })
    const messages = receiver.received.slice(seen)
    expect(messages.map(({ id }) => id)).to.deep.equal([deliveryId, deliveryId, deliveryId])
    for (const message of messages) {
      expect(verifyMessage(secret, message)).to.have.property('type', 'compile.completed')
      expect(() => verifyMessage(secret, { ...message, body: message.body.replace(jobId, 'cmp_other') })).to.throw()
    }
    const { data, timestamp } = JSON.parse(messages[0]?.body ?? '')
    expect(Date.parse(timestamp)).to.be.closeTo(Date.now(), 60_000)
    expect(Object.keys(data)).to.have.members([
      'job_id',
      'artifact_url',
      'artifact_hash',
      'cid',
      'k_score',
      'base_model',
      'completed_at',
    ])
    expect(data).to.include({ job_id: jobId, artifact_url: `https://service.test/v1/artifacts/${jobId}/download` })
    expect(await standingOf(op, jobId)).to.deep.equal({ state: 'sent', errorCode: null })
    const [line, ...others] = await linesOf(op)
    expect(line).to.deep.include({ action: 'webhook.sent', target: jobId })
    expect(line?.payload).to.include({ attempts: 3, status: 204 })
    expect(others).to.deep.equal([])
    expect(JSON.stringify(line)).to.not.contain('private')
    const left = await sendSql(op.db, `select id from webhook_deliveries where sealed_endpoint is not null`)
    expect(left).to.deep.equal([])
    await recordHistory(service.temporal, 'webhook-delivery-sent', deliveryId)
  })

  it('ends with the first 410', async () => {
    const { op, jobId } = await givenArtifact()
    const seen = receiver.received.length
    receiver.answer({ status: 410 })
    const { deliveryId } = await givenDue({ op, jobId })
    expect(await failureOf(deliveryId)).to.have.nested.property('cause.type', 'webhook_gone')
    expect(receiver.received.length - seen).to.equal(1)
    expect(await standingOf(op, jobId)).to.deep.equal({ state: 'failed', errorCode: 'webhook_gone' })
    expect((await linesOf(op)).map(({ action }) => action)).to.deep.equal(['webhook.failed'])
    await recordHistory(service.temporal, 'webhook-delivery-failed', deliveryId)
  })

  it('looks at the address again when it sends, and calls none that is private', async () => {
    const { op, jobId } = await givenArtifact()
    const seen = receiver.received.length
    allowsPrivateEgress = false
    const { deliveryId } = await givenDue({ op, jobId, url: receiver.url.replace('http:', 'https:') })
    expect(await failureOf(deliveryId)).to.have.nested.property('cause.type', 'webhook_address_refused')
    allowsPrivateEgress = true
    expect(receiver.received.length).to.equal(seen)
    expect(await standingOf(op, jobId)).to.deep.equal({ state: 'failed', errorCode: 'webhook_address_refused' })
  })

  it('sends nothing of an artifact that was revoked meanwhile', async () => {
    const { op, jobId } = await givenArtifact()
    const order = {
      artifactId: jobId,
      toState: 'revoked',
      reason: 'a leak',
      evidenceId: null,
      successorId: null,
    } as const
    await moveArtifact(op, { ...order, limits: service.deps.limits })
    const { deliveryId } = await givenDue({ op, jobId })
    expect(await resultOf(deliveryId)).to.deep.equal({ state: 'skipped' })
    expect(await standingOf(op, jobId)).to.deep.equal({ state: 'skipped', errorCode: null })
  })
})
