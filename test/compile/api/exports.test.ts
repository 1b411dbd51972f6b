import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { beginExport, failExport, succeedExport } from '../../../db/compile/exports/finish-export.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import { systemOperation } from '../../../db/kernel/operation.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type Answer, type ApiTenant } from '../../support/api.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenAdapterArtifact, givenProgramArtifact } from '../../support/archives/signed-artifacts.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const GOLDEN = fileURLToPath(new URL('../../model/golden/qwen3', import.meta.url))
const NOBODYS = '0123456789abcdefghjkmnpqrs'

describe('exports over HTTP', () => {
  const bases: string[] = []
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    settings: { baseFolders: bases },
    limits: { planning_calls_per_ip_minute: 10_000, unfinished_exports_per_tenant: 3 },
  })
  let tenant: ApiTenant
  let other: ApiTenant
  let op: Operation
  let adapter: string
  let program: string

  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-bases-'))
    await cp(GOLDEN, join(folder, 'tiny'), { recursive: true })
    bases.push(folder)
    tenant = await givenApiTenant(api)
    other = await givenApiTenant(api)
    op = systemOperation(database.db, { tenantId: tenant.id, name: 'test', requestId: 'test' })
    adapter = await givenAdapterArtifact(op, GOLDEN, 'tiny')
    program = await givenProgramArtifact(op)
  })
  after(async () => {
    for (const folder of bases) await rm(folder, { recursive: true })
  })

  const post = async (path: string, body: object, key = tenant.key): Promise<Answer> =>
    await api.call('POST', path, { key, body })
  const get = async (path: string, headers: Record<string, string> = {}, key = tenant.key): Promise<Answer> =>
    await api.call('GET', path, { key, headers })
  /** Ends all exports that are under way. */
  const finishAll = async (): Promise<void> => {
    const { body } = await get('/v1/exports?limit=200')
    for (const { export_id: exportId, state } of body.exports) {
      if (state !== 'queued') continue
      await failExport(op, { exportId, errorCode: 'export_failed', errorMessage: 'cleared away' })
    }
  }

  it('plans formats that are not written here, and says where the others are', async () => {
    const awq = await post('/v1/export', { artifact_id: adapter, target: 'awq' })
    expect(awq.status, awq.text).to.equal(200)
    expect(awq.body).to.include({
      ok: true,
      plan: true,
      target: 'awq',
      quant: 'w4-g128',
      requires_gpu: true,
      base_model: 'tiny',
      source: adapter,
    })
    expect(awq.body.notes[0]).to.contain('plan')
    const gguf = await post('/v1/export', { artifact: adapter, target: 'gguf' })
    expect(gguf.body).to.include({ plan: false, quant: 'F16' })
    expect(gguf.body.est_output_bytes).to.be.greaterThan(10_000)
    const small = await post('/v1/export', { artifact_id: adapter, target: 'gguf', quant: 'q4_k_m' })
    expect(small.body).to.include({ plan: true, quant: 'Q4_K_M' })
    expect(small.body.commands[0]).to.contain('llama-quantize')
  })

  it('refuses plans that make no sense', async () => {
    const code = async (body: object, key?: string) => {
      const { status, body: answer } = await post('/v1/export', body, key)
      return [status, answer.code]
    }
    expect(await code({ artifact_id: adapter, target: 'floppy' })).to.deep.equal([400, 'unknown_target'])
    expect(await code({ artifact_id: adapter })).to.deep.equal([400, 'unknown_target'])
    expect(await code({ target: 'gguf' })).to.deep.equal([400, 'artifact_id_required'])
    expect(await code({ artifact_id: adapter, target: 'gguf', quant: 'Q9' })).to.deep.equal([400, 'unknown_quant'])
    expect(await code({ artifact_id: program, target: 'gguf' })).to.deep.equal([400, 'export_not_applicable'])
    expect(await code({ artifact_id: `cmp_${NOBODYS}`, target: 'gguf' })).to.deep.equal([404, 'not_found'])
    expect(await code({ artifact_id: adapter, target: 'gguf' }, other.key)).to.deep.equal([404, 'not_found'])
  })

  it('accepts an export once per Idempotency-Key, and keeps it from other tenants', async () => {
    const body = { artifact_id: adapter, target: 'gguf', quant: 'Q8_0' }
    const headers = { 'idempotency-key': 'export-1' }
    const first = await api.call('POST', '/v1/exports', { key: tenant.key, body, headers })
    expect(first.status, first.text).to.equal(202)
    expect(first.body).to.include({ state: 'queued', poll: `/v1/exports/${first.body.export_id}` })
    const again = await api.call('POST', '/v1/exports', { key: tenant.key, body, headers })
    expect(again.body.export_id).to.equal(first.body.export_id)

    const shown = await get(first.body.poll)
    expect(shown.body.export).to.include({
      artifact_id: adapter,
      target: 'gguf',
      quant: 'Q8_0',
      part: 'merged',
      target_url: null,
    })
    expect((await get(first.body.poll, {}, other.key)).status).to.equal(404)
    expect((await get(`${first.body.poll}/download`, {}, other.key)).status).to.equal(404)
    expect((await get('/v1/exports', {}, other.key)).body).to.include({ count: 0 })
    await finishAll()
  })

  it('refuses exports that cannot be, and more than a few at a time', async () => {
    const code = async (body: object, key?: string) => {
      const { status, body: answer } = await post('/v1/exports', body, key)
      return [status, answer.code]
    }
    expect(await code({ target: 'onnx' })).to.deep.equal([400, 'artifact_id_required'])
    expect(await code({ artifact_id: adapter, target: 'floppy' })).to.deep.equal([400, 'unknown_target'])
    expect(await code({ artifact_id: adapter, target: 'awq' })).to.deep.equal([400, 'export_not_applicable'])
    expect(await code({ artifact_id: adapter, target: 'gguf', quant: 'Q4_K_M' })).to.deep.equal([400, 'unknown_quant'])
    expect(await code({ artifact_id: adapter, target: 'onnx', part: 'adapter' })).to.deep.equal([400, 'unknown_quant'])
    expect(await code({ artifact_id: adapter, destination: 'moon' })).to.deep.equal([400, 'unknown_destination'])
    expect(await code({ artifact_id: `cmp_${NOBODYS}` })).to.deep.equal([404, 'not_found'])
    expect(await code({ artifact_id: adapter }, other.key)).to.deep.equal([404, 'not_found'])
    for (let count = 0; count < 3; count++)
      expect((await post('/v1/exports', { artifact_id: program })).status).to.equal(202)
    const full = await post('/v1/exports', { artifact_id: program })
    expect([full.status, full.body.code, full.body.details.max]).to.deep.equal([429, 'too_many_running_jobs', 3])
    await finishAll()
  })

  it('lists exports page by page, newest first', async () => {
    const made: string[] = []
    for (let count = 0; count < 3; count++) {
      const { body } = await post('/v1/exports', { artifact_id: program })
      made.unshift(body.export_id)
    }
    const first = await get('/v1/exports?limit=2')
    expect(first.body.exports.map((each: { export_id: string }) => each.export_id)).to.deep.equal(made.slice(0, 2))
    const second = await get(`/v1/exports?limit=1&cursor=${first.body.next_cursor}`)
    expect(second.body.exports[0].export_id).to.equal(made[2])
    expect((await get('/v1/exports?cursor=x')).body.code).to.equal('invalid_cursor')
    await finishAll()
  })

  it('hands the file out whole or in parts, and writes that into the ledger', async () => {
    const { body } = await post('/v1/exports', { artifact_id: adapter, target: 'gguf' })
    const path = `${body.poll}/download`
    const early = await get(path)
    expect([early.status, early.body.code, early.body.details.state]).to.deep.equal([409, 'not_ready', 'queued'])
    const bytes = Buffer.from('GGUF and what follows')
    const { sha256, sizeBytes } = await putBlob(op.db, bytes)
    await beginExport(op, { exportId: body.export_id, now: new Date() })
    expect((await get(body.poll)).body.export.state).to.equal('running')
    const result = { sha256, sizeBytes, fileName: 'model.gguf', mediaType: 'application/octet-stream' }
    await succeedExport(op, { exportId: body.export_id, result, keptDays: 7 })
    await failExport(op, { exportId: body.export_id, errorCode: 'internal', errorMessage: 'too late' })

    const shown = (await get(body.poll)).body.export
    expect(shown).to.deep.include({ state: 'succeeded', target_url: path, error: null })
    expect(shown.meta).to.deep.equal({
      file_name: 'model.gguf',
      media_type: 'application/octet-stream',
      size_bytes: 21,
      sha256,
    })
    const whole = await get(path)
    expect(whole.bytes.equals(bytes)).to.equal(true)
    expect(whole.headers.get('content-disposition')).to.equal('attachment; filename="model.gguf"')
    const etag = whole.headers.get('etag') ?? ''
    expect((await get(path, { 'if-none-match': etag })).status).to.equal(304)
    const part = await get(path, { range: 'bytes=5-7' })
    expect([part.status, part.text, part.headers.get('content-range')]).to.deep.equal([206, 'and', 'bytes 5-7/21'])
    expect((await get(path, { range: 'bytes=99-' })).status).to.equal(416)
    const { items } = await listAudit(op, { limit: 4 })
    expect(items.map((entry) => entry.action)).to.deep.equal([
      'export.downloaded',
      'export.downloaded',
      'export.succeeded',
      'export.created',
    ])

    await sendSql(op.db, 'update exports set expires_at = now() where id = $1', [body.export_id])
    const late = await get(path)
    expect([late.status, late.body.code]).to.deep.equal([410, 'export_expired'])
  })
})

describe('memory fit over HTTP', () => {
  const api = useApi({ limits: { planning_calls_per_ip_minute: 10_000 } })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })
  const fit = async (body: object): Promise<Answer> => await api.call('POST', '/v1/fit', { key: tenant.key, body })
  const seven = { model_params_b: 7, quant: 'int4', vram_gb: 24 }

  it('splits the memory up and says what it assumed', async () => {
    const answer = await fit(seven)
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body).to.include({
      ok: true,
      fits: true,
      fit_class: 'comfortable',
      est_total_gb: 6.5,
      headroom_gb: 17.5,
      kv_precision: 'fp16',
    })
    expect(answer.body.fit_sha256).to.match(/^sha256:[0-9a-f]{64}$/)
    expect(answer.body.assumptions[0]).to.contain('average')
    const exact = await fit({ ...seven, layers: 28, kv_heads: 4, head_dim: 128 })
    expect(exact.body).to.include({ est_kv_gb: 0.5 })
    const known = await fit({ base_model: 'Qwen/Qwen2.5-7B-Instruct', quant: 'int4', vram_gb: 24 })
    expect(known.body).to.include({ est_kv_gb: 0.5, est_weights_gb: 4.2 })
    expect(known.body.assumptions[0]).to.contain('published sizes')
  })

  it('picks the most exact way to store weights that fits', async () => {
    const best = await fit({ model_params_b: 32, vram_gb: 24, pick_best: true })
    expect(best.body).to.include({ picked: 'gguf-iq3xxs', candidates_evaluated: 17 })
    expect(best.body.fit).to.include({ est_total_gb: 20.6 })
    const none = await fit({ model_params_b: 400, vram_gb: 24, pick_best: true })
    expect(none.body).to.include({ picked: null, fit: null })
    expect(none.body.smallest_attempt.fits).to.equal(false)
  })

  it('names what is wrong', async () => {
    const code = async (body: object) => {
      const { status, body: answer } = await fit(body)
      return [status, answer.code, answer.details.fields[0].field]
    }
    expect(await code({ quant: 'int4', vram_gb: 24 })).to.deep.equal([
      400,
      'fit_requires_model_params_b',
      'model_params_b',
    ])
    expect(await code({ ...seven, model_params_b: 1e7 })).to.deep.equal([
      400,
      'fit_requires_model_params_b',
      'model_params_b',
    ])
    expect(await code({ ...seven, vram_gb: 'lots' })).to.deep.equal([400, 'fit_requires_vram_gb', 'vram_gb'])
    expect(await code({ ...seven, context: 0 })).to.deep.equal([400, 'fit_requires_context', 'context'])
    expect(await code({ ...seven, batch: 1025 })).to.deep.equal([400, 'fit_requires_batch', 'batch'])
    expect(await code({ ...seven, quant: 'int99' })).to.deep.equal([400, 'fit_unknown_quant', 'quant'])
    expect(await code({ model_params_b: 7, vram_gb: 24 })).to.deep.equal([400, 'fit_unknown_quant', 'quant'])
    expect(await code({ ...seven, kv_precision: 'fp3' })).to.deep.equal([
      400,
      'fit_unknown_kv_precision',
      'kv_precision',
    ])
    expect(await code({ ...seven, pick_best: true, supported_methods: ['int99'] })).to.deep.equal([
      400,
      'fit_supported_methods_invalid',
      'supported_methods[0]',
    ])
  })
})
