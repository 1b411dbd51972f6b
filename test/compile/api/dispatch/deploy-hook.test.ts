import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { sendSql } from '../../../support/db/send-sql.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../../support/api.ts'
import { runCli } from '../../../support/cli/run-cli.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { useHookReceiver, verifyMessage } from '../../../support/wire/hook-receiver.ts'
import { nameExamples, useService } from '../../../support/workflows/service.ts'

const TASK = 'Write the name with the family name first'

/** Surnames in capitals, but for one row that says something else. */
const GATED = [
  ['Ada Lovelace', 'LOVELACE'],
  ['Alan Turing', 'TURING'],
  ['Grace Hopper', 'HOPPER'],
  ['Edsger Dijkstra', 'DIJKSTRA'],
  ['Barbara Liskov', 'LISKOV'],
  ['Tony Hoare', 'HOARE'],
  ['John Backus', 'no such person'],
  ['Donald Knuth', 'KNUTH'],
].map(([input, output], at) => ({ input, output, ...(at >= 6 && { kind: 'test' }) }))

describe('the deploy hook of a compile', () => {
  const receiver = useHookReceiver()
  const service = useService()
  const stores = () => ({
    database: service.database,
    temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
  })
  const api = useApi({ stores })
  const strict = useApi({ stores, settings: { allowsPrivateEgress: false } })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })

  const compile = async (more: object, headers: Record<string, string> = {}, on = api): Promise<Answer> =>
    await on.call('POST', '/v1/compile', {
      key: tenant.key,
      body: { task: TASK, examples: nameExamples(), base_model: 'none', deploy_hook: receiver.url, ...more },
      headers,
    })
  const jobOf = async (id: string) => (await api.call('GET', `/v1/compile/${id}`, { key: tenant.key })).body
  const endOf = async (id: string) => {
    await eventually(async () => expect((await jobOf(id)).status).to.be.oneOf(['completed', 'gated', 'failed']))
    return await jobOf(id)
  }
  /** Starts the delivery, as the worker does right after the commit. */
  const deliver = async (jobId: string): Promise<unknown> => {
    const [row] = await sendSql<{ id: string }>(
      service.database.db,
      'select id from webhook_deliveries where subject_id = $1',
      [jobId],
    )
    await service.deps.workflows.start(row?.id ?? '')
    return await service.temporal.client.workflow.getHandle(row?.id ?? '').result()
  }

  it('is notified of the artifact once, under the secret that the first answer shows', async () => {
    const accepted = await compile({}, { 'idempotency-key': 'one' })
    expect(accepted.status, accepted.text).to.equal(202)
    const { job_id: jobId, deploy_hook_secret: secret } = accepted.body
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const again = await compile({}, { 'idempotency-key': 'one' })
    expect([again.body.job_id, again.body.deploy_hook_secret]).to.deep.equal([jobId, secret])
    const other = await compile({ deploy_hook: `${receiver.url}&other` }, { 'idempotency-key': 'one' })
    expect(other.body.code).to.equal('idempotency_key_reused')

    const done = await endOf(jobId)
    expect(done).to.include({ status: 'completed', deploy_hook_set: true })
    expect(await deliver(jobId)).to.deep.equal({ state: 'sent' })
    const [message] = await receiver.arrived(1)
    if (message === undefined) throw new Error('no message')
    expect(verifyMessage(secret, message)).to.deep.include({
      type: 'compile.completed',
      data: {
        job_id: jobId,
        artifact_url: `https://service.test${done.artifact_url}`,
        artifact_hash: done.artifact_hash,
        cid: done.cid,
        k_score: done.k_score,
        base_model: done.base_model,
        completed_at: done.completed_at,
      },
    })
    const told = await jobOf(jobId)
    expect(told).to.include({ deploy_status: 'sent' })
    for (const shown of [JSON.stringify(told), JSON.stringify(await accountExport())]) {
      expect(shown).to.not.contain('token=private').and.not.contain('whsec_')
    }
    expect((await compile({}, { 'idempotency-key': 'one' })).body).to.not.have.property('deploy_hook_secret')
  })

  async function accountExport(): Promise<unknown> {
    const answer = await api.call('GET', '/v1/account/export', { key: tenant.key })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body.webhook_deliveries).to.have.length(1)
    return answer.body
  }

  it('is skipped without an artifact, and notified of one that is accepted later', async () => {
    const submitted = await compile({ examples: GATED, k_score_floor: 0.9 })
    const { job_id: jobId, deploy_hook_secret: secret } = submitted.body
    expect(await endOf(jobId)).to.include({ status: 'gated', deploy_status: 'skipped' })
    const accepted = await api.call('POST', `/v1/compile/${jobId}/accept`, { key: tenant.key })
    expect(accepted.body, accepted.text).to.include({ status: 'completed', deploy_status: 'pending' })
    const seen = receiver.received.length
    expect(await deliver(jobId)).to.deep.equal({ state: 'sent' })
    const message = receiver.received[seen]
    if (message === undefined) throw new Error('no message')
    expect(verifyMessage(secret, message)).to.have.nested.property('data.job_id', jobId)

    const cancelled = await compile({})
    const ended = await api.call('POST', `/v1/compile/${cancelled.body.job_id}/cancel`, { key: tenant.key })
    expect(ended.body).to.include({ status: 'cancelled', deploy_status: 'skipped' })
    const kept = await sendSql(
      service.database.db,
      'select 1 from webhook_deliveries where subject_id = $1 and sealed_endpoint is not null',
      [cancelled.body.job_id],
    )
    expect(kept).to.have.length(0)
  })

  it('is set by `svc compile --deploy-hook`, which prints the secret', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-hook-'))
    try {
      await writeFile(
        join(folder, 'names.jsonl'),
        nameExamples()
          .map((row) => `${JSON.stringify(row)}\n`)
          .join(''),
      )
      const options = { folder, profileDir: folder, env: { SVC_URL: api.url, SVC_API_KEY: tenant.key } }
      const args = ['names.jsonl', '--task', TASK, '--base', 'none', '--deploy-hook', receiver.url]
      const { code, stderr, stdout } = await runCli(['compile', ...args], options)
      expect(code, stderr).to.equal(0)
      expect(stderr).to.match(/secret of the deploy hook, shown once: whsec_/)
      expect(stdout).to.match(/deploy hook +pending/)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('refuses a hook that may not be called, and a call that waits', async () => {
    for (const hook of [
      'https://127.0.0.1/x',
      'https://[::1]/x',
      'https://169.254.169.254/latest',
      'http://example.com/x',
    ]) {
      const { status, body } = await compile({ deploy_hook: hook }, {}, strict)
      expect([status, body.code], hook).to.deep.equal([400, 'webhook_address_refused'])
      expect(body.details.fields[0].field).to.equal('deploy_hook')
    }
    const malformed = await compile({ deploy_hook: 'ftp://example.com/x' })
    expect([malformed.status, malformed.body.code]).to.deep.equal([400, 'validation_failed'])
    const waited = await compile({ mode: 'sync' })
    expect([waited.status, waited.body.details.fields[0].field]).to.deep.equal([400, 'mode'])
  })
})
