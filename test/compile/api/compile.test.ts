import { expect } from 'chai'
import { verifyReceiptOffline } from '../../../core/ledger/receipts/verify-receipt.ts'
import { trustKeys } from '../../../core/ledger/keys/jwk.ts'
import { verifyArchive } from '../../../core/compile/archive/verify.ts'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import { systemOperation } from '../../../db/kernel/operation.ts'
import { call, givenApiTenant, readEvents, serverOptions, useApi, type ApiTenant } from '../../support/api.ts'
import { startServer } from '../../../api/server.ts'
import { nameExamples, noiseExamples, useService } from '../../support/workflows/service.ts'

const TASK = 'Write the name with the family name first'

describe('compile through the API', () => {
  const service = useService()
  const stores = () => ({
    database: service.database,
    temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
  })
  const api = useApi({ stores })
  let tenant: ApiTenant
  let stranger: ApiTenant
  // oxlint-disable-next-line typescript/no-explicit-any -- the document that the tests look into
  let job: any
  before(async () => {
    tenant = await givenApiTenant(api)
    stranger = await givenApiTenant(api)
    const done = await api.call('POST', '/v1/compile', {
      key: tenant.key,
      body: { task: TASK, examples: nameExamples(), k_score_floor: 0.5 },
      headers: { 'idempotency-key': 'the first' },
    })
    expect(done.status, done.text).to.equal(200)
    job = done.body
  })

  it('waits for the end and answers the job', async () => {
    expect(job).to.include({ status: 'completed', stage: 'ready', progress: 100, examples_n: 40, base_model: 'none' })
    expect(job.signature).to.match(/^hmac-sha256:[0-9a-f]{64}$/)
    expect(job.evals_summary).to.deep.equal({ total: 40, source: 'tenant_given', failing: 0 })
    expect(job.stages.map((stage: { name: string; status: string }) => `${stage.name} ${stage.status}`)).to.deep.equal([
      'k-sample done',
      'verify done',
      'lora-fit skipped',
      'bundle done',
      'sign done',
    ])
    const detail = await api.call('GET', `/v1/compile/${job.id}`, { key: tenant.key })
    expect({ ...detail.body, request_id: '' }).to.deep.equal({ ...job, request_id: '' })
    const list = await api.call('GET', '/v1/compile?limit=1', { key: tenant.key })
    expect(list.body.jobs[0]).to.include({ id: job.id, status: 'ready', k_score: job.k_score, size_mb: job.size_mb })
  })

  it('gives a caller who lost the connection the same job again', async () => {
    const again = await api.call('POST', '/v1/compile', {
      key: tenant.key,
      body: { task: TASK, examples: nameExamples(), k_score_floor: 0.5 },
      headers: { 'idempotency-key': 'the first' },
    })
    expect([again.status, again.body.id]).to.deep.equal([200, job.id])
  })

  it('shows nothing of it to another tenant', async () => {
    const { body } = await api.call('GET', '/v1/concepts', { key: tenant.key })
    const concept = body.concepts[0].id
    for (const path of [
      `/v1/compile/${job.id}`,
      `/v1/compile/${job.id}/.svc`,
      `/v1/compile/stream/${job.id}`,
      `/v1/artifacts/${job.id}`,
      `/v1/artifacts/${job.id}/download`,
      `/v1/artifacts/${job.id}/evidence-trace`,
      `/v1/cid/${job.cid}`,
      `/v1/concepts/${concept}`,
      `/v1/concepts/${concept}/lineage`,
      `/v1/concepts/${concept}/stats`,
    ]) {
      expect((await api.call('GET', path, { key: tenant.key })).status, path).to.equal(200)
      expect((await api.call('GET', path, { key: stranger.key })).status, path).to.equal(404)
    }
    expect((await api.call('DELETE', `/v1/concepts/${concept}`, { key: stranger.key })).status).to.equal(404)
    expect((await api.call('POST', `/v1/compile/${job.id}/cancel`, { key: stranger.key })).status).to.equal(404)
    for (const target of [{ concept_id: concept }, { version_id: job.version_id }, { artifact_cid: job.cid }]) {
      const run = await api.call('POST', '/v1/run', { key: stranger.key, body: { ...target, input: 'x' } })
      expect(run.status).to.equal(404)
    }
    const theirs = { task: TASK, examples: nameExamples(), concept_id: concept, mode: 'async' }
    expect((await api.call('POST', '/v1/compile', { key: stranger.key, body: theirs })).status).to.equal(404)
  })

  /** Counts the downloads in the tenant's ledger. */
  const downloads = async (): Promise<number> => {
    const op = systemOperation(service.database.db, { tenantId: tenant.id, name: 'test', requestId: 'test' })
    const { items } = await listAudit(op, { limit: 100 })
    return items.filter((entry) => entry.action === 'artifact.downloaded').length
  }

  it('hands the archive out whole, in parts, and not again when it is known', async () => {
    const path = `/v1/compile/${job.id}/.svc`
    const earlier = await downloads()
    const whole = await api.call('GET', path, { key: tenant.key })
    expect(whole.headers.get('content-type')).to.equal('application/zip')
    expect(whole.headers.get('content-disposition')).to.equal(`attachment; filename="${job.id}.svc"`)
    expect(Number(whole.headers.get('content-length'))).to.equal(whole.bytes.length)
    const jwks = await api.call('GET', '/.well-known/jwks.json')
    const verified = await verifyArchive(whole.bytes, { trustedKeys: jwks.body.keys })
    expect(verified).to.include({ ok: true, trusted: 'trusted' })
    const etag = whole.headers.get('etag') ?? ''
    expect((await api.call('GET', path, { key: tenant.key, headers: { 'if-none-match': etag } })).status).to.equal(304)
    const part = await api.call('GET', path, { key: tenant.key, headers: { range: 'bytes=10-19', 'if-range': etag } })
    expect(part.status).to.equal(206)
    expect(part.headers.get('content-range')).to.equal(`bytes 10-19/${whole.bytes.length}`)
    expect(part.bytes.equals(whole.bytes.subarray(10, 20))).to.equal(true)
    const tail = await api.call('GET', path, { key: tenant.key, headers: { range: 'bytes=-7' } })
    expect(tail.bytes.equals(whole.bytes.subarray(-7))).to.equal(true)
    const beyond = await api.call('GET', path, { key: tenant.key, headers: { range: `bytes=${whole.bytes.length}-` } })
    expect(beyond.status).to.equal(416)
    const head = await api.call('HEAD', path, { key: tenant.key })
    expect([head.status, head.headers.get('content-length')]).to.deep.equal([200, String(whole.bytes.length)])
    expect((await downloads()) - earlier, 'the whole and two parts').to.equal(3)
  })

  it('runs it, with a receipt that verifies without a key', async () => {
    const body = { version_id: job.version_id, input: 'Hedy Lamarr' }
    const first = await api.call('POST', '/v1/run', { key: tenant.key, body })
    expect(first.body).to.include({ output: 'Lamarr, Hedy', abstained: false, cache_hit: false })
    const second = await api.call('POST', '/v1/run', { key: tenant.key, body })
    expect(second.body).to.include({ output: 'Lamarr, Hedy', cache_hit: true })
    const uncached = await api.call('POST', '/v1/run', {
      key: tenant.key,
      body: { ...body, use_cache: false, receipt: false },
    })
    expect(uncached.body).to.include({ cache_hit: false, receipt: null })
    const { receipt } = second.body
    const verdict = await api.call('POST', '/v1/receipts/verify', {
      body: { receipt, input: 'Hedy Lamarr', output: 'Lamarr, Hedy' },
    })
    expect([verdict.status, verdict.body.verified]).to.deep.equal([200, true])
    const jwks = await api.call('GET', '/.well-known/jwks.json')
    expect(verifyReceiptOffline(receipt, trustKeys(jwks.body.keys)).verified).to.equal(true)
    const tampered = { ...receipt, output_hash: `sha256:${'0'.repeat(64)}` }
    const refused = await api.call('POST', '/v1/receipts/verify', { body: { receipt: tampered } })
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'signature_mismatch'])
    expect(receipt.source_hash).to.equal(job.artifact_hash)
    const { body: artifact } = await api.call('GET', `/v1/artifacts/${job.id}`, { key: tenant.key })
    const { svc_version, artifact_hash, chain, signature } = artifact.receipt
    const claim = { svc_version, artifact_hash, chain, signature }
    const claimed = await api.call('POST', '/v1/receipts/verify', { body: { receipt: claim } })
    expect(claimed.body, claimed.text).to.include({ verified: true, mode: 'drive-by' })
    expect(artifact.artifact_hash).to.equal(artifact_hash)
    const unknown = await api.call('POST', '/v1/receipts/verify', {
      body: { receipt: { ...receipt, key_id: 'rsk_unknown' } },
    })
    expect([unknown.status, unknown.body.code]).to.deep.equal([400, 'unknown_receipt_key'])
    const stats = await api.call('GET', `/v1/concepts/${job.concept_id}/stats`, { key: tenant.key })
    expect(stats.body).to.include({ invocations: 3, error_rate: 0 })
    expect(stats.body.cache_hit_rate).to.be.closeTo(1 / 3, 1e-9)
    const account = await api.call('GET', '/v1/account', { key: tenant.key })
    expect(account.body.usage.calls_30d).to.equal(3)
  })

  it('runs no version under the name of a concept', async () => {
    const body = { concept_id: job.version_id, input: 'Hedy Lamarr' }
    expect((await api.call('POST', '/v1/run', { key: tenant.key, body })).status).to.equal(404)
  })

  it('starts a compile and waits for its end when asked to', async () => {
    const start = async (examples: readonly object[]) =>
      await api.call('POST', '/v1/compile/start?sync=1', { key: tenant.key, body: { task: TASK, examples } })
    const done = await start(nameExamples().slice(0, 30))
    expect(done.body, done.text).to.include({ status: 'completed', job: done.body.id, state: 'ready' })
    expect(done.body.stream_url).to.equal(`/v1/compile/stream/${done.body.id}`)
    const gated = await start(noiseExamples(24))
    expect([gated.status, gated.body.code]).to.deep.equal([422, 'k_score_below_floor'])
    const strategy = await api.call('GET', '/v1/build/strategy?real_pairs=200', { key: tenant.key })
    expect(strategy.body.journey).to.deep.equal({ stage: 'improve', finished_compiles: 3 })
    const catalog = await api.call('GET', '/v1/build/strategy/catalog', { key: tenant.key })
    expect(catalog.body.data.catalog.actions).to.have.length.greaterThan(5)
    for (const { body } of [strategy, catalog]) {
      expect(body).to.include.keys('surface', 'journey', 'readiness', 'tenant', 'evidence', 'next_actions', 'meta')
    }
  })

  it('answers a run with an Idempotency-Key once', async () => {
    const headers = { 'idempotency-key': 'run-1' }
    const body = { version_id: job.version_id, input: 'Mae Jemison', use_cache: false }
    const first = await api.call('POST', '/v1/run', { key: tenant.key, body, headers })
    const again = await api.call('POST', '/v1/run', { key: tenant.key, body, headers })
    expect(again.body.receipt).to.deep.equal(first.body.receipt)
    const other = await api.call('POST', '/v1/run', { key: tenant.key, body: { ...body, input: 'x' }, headers })
    expect([other.status, other.body.code]).to.deep.equal([409, 'idempotency_key_reused'])
  })

  it('answers 422 and names the rows when the floor is missed, and signs nothing', async () => {
    const gated = await api.call('POST', '/v1/compile', {
      key: tenant.key,
      body: { task: 'Find what is not there', examples: noiseExamples(24) },
    })
    expect([gated.status, gated.body.code], gated.text).to.deep.equal([422, 'k_score_below_floor'])
    const { job_id: id, failing_rows: failing, k_score_floor: floor } = gated.body.details
    expect(floor).to.equal(0.85)
    expect(failing[0]).to.match(/^row_\d+$/)
    const detail = await api.call('GET', `/v1/compile/${id}`, { key: tenant.key })
    expect(detail.body).to.include({ status: 'gated', error_code: 'k_score_below_floor' })
    expect(detail.body.artifact_url).to.equal(undefined)
    for (const path of [`/v1/compile/${id}/.svc`, `/v1/artifacts/${id}/download`]) {
      const archive = await api.call('GET', path, { key: tenant.key })
      expect([archive.status, archive.body.code]).to.deep.equal([422, 'k_score_below_floor'])
    }
    const stream = await readEvents(api.url, `/v1/compile/stream/${id}`, { key: tenant.key })
    expect(stream.events.at(-1)?.event).to.equal('gated')
  })

  it('takes JSONL and CSV files, and makes a new version of a concept', async () => {
    const upload = async (name: string, text: string) => {
      const raw = new FormData()
      raw.append('file', new Blob([text]), name)
      raw.append('spec', JSON.stringify({ task: TASK, k_score_floor: 0.5, concept_id: job.concept_id }))
      return await api.call('POST', '/v1/compile', { key: tenant.key, raw })
    }
    const jsonl = await upload(
      'rows.jsonl',
      nameExamples()
        .map((row) => JSON.stringify(row))
        .join('\n'),
    )
    expect(jsonl.status, jsonl.text).to.equal(200)
    const csv = await upload(
      'rows.csv',
      ['input,output', ...nameExamples().map((row) => `${row.input},"${row.output}"`)].join('\r\n'),
    )
    expect(csv.status, csv.text).to.equal(200)
    // The same content gives the same content identifier, whichever way it came in.
    expect(new Set([job.cid, jsonl.body.cid, csv.body.cid]).size).to.equal(1)
    const concept = await api.call('GET', `/v1/concepts/${job.concept_id}`, { key: tenant.key })
    expect(concept.body.versions.map((version: { version: number }) => version.version)).to.deep.equal([3, 2, 1])
    expect(concept.body.head_version).to.equal(csv.body.version_id)
    const byCid = await api.call('GET', `/v1/cid/${job.cid}`, { key: tenant.key })
    expect(byCid.body.n).to.equal(3)
    const run = await api.call('POST', '/v1/run', {
      key: tenant.key,
      body: { concept_id: job.concept_id, input: 'Ada Byron' },
    })
    expect(run.body.version_id).to.equal(csv.body.version_id)
  })

  it('streams every event once, across a restart of the API and whatever a client says it has seen', async () => {
    const hold = service.hold()
    const { body } = await api.call('POST', '/v1/compile/start', {
      key: tenant.key,
      body: {
        describe: TASK,
        pairs: nameExamples().map((row) => ({ q: row.input, a: row.output })),
        k_score_floor: 0.5,
      },
    })
    const path: string = body.stream_url
    const begun = readEvents(api.url, path, {
      key: tenant.key,
      enough: (seen) => seen.some((event) => event.data.step === 'k-sample'),
    })
    await hold.reached
    const first = (await begun).events
    expect(first.map((event) => event.event)).to.deep.equal(['hello', 'step.start', 'step.end', 'step.start'])
    expect(first[0]?.data.steps).to.have.length(7)

    // A stream that is open when the server goes away just ends; the client comes back and resumes.
    const opened = Promise.withResolvers<void>()
    const cut = readEvents(api.url, `${path}?cursor=${first.at(-1)?.id}`, { key: tenant.key, onOpen: opened.resolve })
    await opened.promise
    await api.restart()
    expect((await cut).events).to.deep.equal([])
    const resumed = readEvents(api.url, `${path}?cursor=1`, {
      key: tenant.key,
      headers: { 'last-event-id': String(first.at(-1)?.id) },
    })
    hold.release()
    const rest = (await resumed).events
    const seen = [...first, ...rest].map((event) => event.id)
    expect(seen).to.deep.equal(Array.from({ length: seen.length }, (_, i) => i))
    for (const event of rest) expect(event.data.seq).to.equal(event.id)
    expect(rest.at(-1)).to.deep.include({ event: 'done' })
    expect(rest.at(-1)?.data).to.include({ job: body.job, k_source: 'cross_fit' })

    const replay = await readEvents(api.url, path, { key: tenant.key })
    expect(replay.events.map((event) => event.id)).to.deep.equal(seen)
    expect(replay.headers.get('content-type')).to.contain('text/event-stream')
    expect(replay.headers.get('x-request-id')).to.match(/^req_/)
    const over = await readEvents(api.url, `${path}?cursor=${seen.at(-1)}`, { key: tenant.key })
    expect([over.status, over.events.length]).to.deep.equal([204, 0])
  })

  it('cancels a running job at once, and only once', async () => {
    const hold = service.hold()
    const body = { task: TASK, examples: nameExamples(), mode: 'async' }
    const { job_id: id } = (await api.call('POST', '/v1/compile', { key: tenant.key, body })).body
    await hold.reached
    const early = await api.call('GET', `/v1/compile/${id}/.svc`, { key: tenant.key })
    expect([early.status, early.body.code, early.body.details.status]).to.deep.equal([409, 'not_ready', 'running'])
    const cancelled = await api.call('POST', `/v1/compile/${id}/cancel`, { key: tenant.key })
    expect([cancelled.status, cancelled.body.status]).to.deep.equal([200, 'cancelled'])
    const [stage] = cancelled.body.stages
    expect([stage.name, stage.status, stage.completed_at]).to.deep.equal([
      'k-sample',
      'cancelled',
      cancelled.body.failed_at,
    ])
    expect((await api.call('POST', `/v1/compile/${id}/cancel`, { key: tenant.key })).status).to.equal(200)
    hold.release()
    const late = await api.call('POST', `/v1/compile/${job.id}/cancel`, { key: tenant.key })
    expect([late.status, late.body.code]).to.deep.equal([409, 'already_finished'])
    const stream = await readEvents(api.url, `/v1/compile/stream/${id}`, { key: tenant.key })
    expect(stream.events.at(-1)?.data.error_code).to.equal('compile_cancelled')
    expect(stream.events.at(-2)?.data).to.include({ step: 'k-sample', status: 'cancelled' })
  })

  it('drains: a waiting call gets its answer, a stream ends, and nothing counted is lost', async () => {
    const options = serverOptions({ limits: { sync_compile_wait_s: 60 } }, stores())
    const other = await startServer(options)
    const hold = service.hold()
    const waiting = call(other.url, 'POST', '/v1/compile', {
      key: tenant.key,
      body: { task: TASK, examples: nameExamples(), k_score_floor: 0.5 },
    })
    await hold.reached
    const [running] = (await call(other.url, 'GET', '/v1/compile?status=running', { key: tenant.key })).body.jobs
    const stream = readEvents(other.url, `/v1/compile/stream/${running.id}`, { key: tenant.key })
    await call(other.url, 'POST', '/v1/run', { key: tenant.key, body: { version_id: job.version_id, input: 'A B' } })
    const before = await api.call('GET', `/v1/concepts/${job.concept_id}/stats`, { key: tenant.key })
    await other.stop()
    const answer = await waiting
    expect([answer.status, answer.body.job_id]).to.deep.equal([202, running.id])
    expect((await stream).events.map((event) => event.event)).to.not.include('done')
    const after = await api.call('GET', `/v1/concepts/${job.concept_id}/stats`, { key: tenant.key })
    expect(after.body.invocations).to.be.at.least(before.body.invocations)
    expect(after.body.invocations).to.equal(6)
    hold.release()
    const rest = await readEvents(api.url, `/v1/compile/stream/${running.id}`, { key: tenant.key })
    expect(rest.events.at(-1)?.event).to.equal('done')
  })

  it('stops running a deleted concept on every process at once', async () => {
    const other = await startServer(serverOptions({}, stores()))
    try {
      const run = { key: tenant.key, body: { concept_id: job.concept_id, input: 'Ada Byron' } }
      expect((await call(other.url, 'POST', '/v1/run', run)).status).to.equal(200)
      const gone = await api.call('DELETE', `/v1/concepts/${job.concept_id}`, { key: tenant.key })
      expect(gone.body).to.include({ ok: true })
      expect((await api.call('POST', '/v1/run', run)).status).to.equal(404)
      let status = 200
      for (let i = 0; i < 100 && status === 200; i++) status = (await call(other.url, 'POST', '/v1/run', run)).status
      expect(status).to.equal(404)
      expect((await api.call('GET', `/v1/artifacts/${job.id}/download`, { key: tenant.key })).status).to.equal(200)
    } finally {
      await other.stop()
    }
  })
})
