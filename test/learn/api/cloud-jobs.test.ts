import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { costOfMs } from '../../../core/compile/stages/rentals/cost.ts'
import { retryDelayMs } from '../../../core/compile/stages/rentals/attempts.ts'
import { gpuRateUsdMicros, GPU_SKUS, VRAM_TIERS } from '../../../core/compile/stages/rentals/quote/reference.ts'
import { windowMs } from '../../../core/learn/distill/cloud/window.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../support/api.ts'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import { givenScopedKey } from '../../support/people/given-keys.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { runCli } from '../../support/cli/run-cli.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

const BASES = fileURLToPath(new URL('../../../bases', import.meta.url))

describe('metered time', () => {
  it('costs the rate of the GPU times the factor of their number, to the second', () => {
    // Rates and factors of the specification.
    expect(gpuRateUsdMicros({ sku: 'A100-80GB', tier: '1x' })).to.equal(1_650_000)
    expect(gpuRateUsdMicros({ sku: 'H100-80GB', tier: '8x' })).to.equal(13_532_000)
    expect(gpuRateUsdMicros({ sku: 'RTX-4090', tier: '2x' })).to.equal(740_000)
    expect(costOfMs(3_600_000, 1_990_000)).to.equal(1_990_000)
    expect(costOfMs(90_000, 1_990_000)).to.equal(49_750)
    expect([0, 1, 2, 3, 13].map(retryDelayMs)).to.deep.equal([0, 1000, 2000, 4000, 3_600_000])
    expect(['24h', '7d', '366d', '367d', '9999h'].map(windowMs)).to.deep.equal([
      86_400_000,
      604_800_000,
      31_622_400_000,
      null,
      null,
    ])
  })
})

describe('cloud jobs, before they begin', () => {
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    settings: { baseFolders: [BASES], publicUrl: 'https://svc.example' },
    limits: { waiting_cloud_jobs_per_tenant: 3, pools_per_tenant: 2 },
  })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })

  const call = async (method: string, path: string, body?: object, headers = {}, key = tenant.key) =>
    await api.call(method, path, { key, headers, ...(body !== undefined && { body }) })
  const submit = async (body: object = {}, headers = {}) =>
    await call('POST', '/v1/cloud/distill/submit', { namespace: 'support', ...body }, headers)

  it('names each wrong field, with what is supported', async () => {
    const refused = async (body: object) => {
      const answer = await submit(body)
      return [answer.status, answer.body.code, answer.body.details.fields?.[0].field]
    }
    expect(await refused({ gpu_sku: 'TPU' })).to.deep.equal([400, 'unknown_gpu_sku', 'gpu_sku'])
    expect((await submit({ gpu_sku: 'TPU' })).body.details.supported).to.deep.equal([...GPU_SKUS])
    expect(await refused({ vram_tier: '3x' })).to.deep.equal([400, 'unknown_vram_tier', 'vram_tier'])
    expect((await submit({ vram_tier: '3x' })).body.details.supported).to.deep.equal([...VRAM_TIERS])
    expect(await refused({ capture_window: '7 days' })).to.deep.equal([400, 'validation_failed', 'capture_window'])
    expect(await refused({ namespace: 'No Such' })).to.deep.equal([400, 'validation_failed', 'namespace'])
    expect(await refused({ provider: 'abacus' })).to.deep.equal([400, 'invalid_managed_provider', 'provider'])
    expect(await refused({ base_model: 'unknown' })).to.deep.equal([400, 'unknown_base_model', 'base_model'])
    expect(await refused({ base_model: 'nano', student: 'other' })).to.deep.equal([400, 'validation_failed', 'student'])
    expect(await refused({ provider: 'gpu_pods', gpu_sku: 'RTX-4090' })).to.deep.equal([
      400,
      'validation_failed',
      'gpu_sku',
    ])
    expect((await submit({ provider: 'gpu_pods' })).body.code).to.equal('rental_not_configured')
  })

  it('are submitted once for a key, of the header or the body', async () => {
    const first = await submit({ idempotency_key: 'once' })
    expect([first.status, first.body.created]).to.deep.equal([202, true])
    const again = await submit({}, { 'idempotency-key': 'once' })
    expect(again.body).to.include({ job_id: first.body.job_id, created: false, idempotent_replay: true })
    const other = await submit({ gpu_sku: 'RTX-4090', idempotency_key: 'once' })
    expect([other.status, other.body.code]).to.deep.equal([409, 'idempotency_key_reused'])
    const both = await submit({ idempotency_key: 'one' }, { 'idempotency-key': 'two' })
    expect([both.status, both.body.details.fields[0].field]).to.deep.equal([400, 'idempotency_key'])
  })

  it('are listed by state and namespace, counted, bounded, and cancelled once', async () => {
    const [one, two] = [await submit(), await submit({ namespace: 'sales' })]
    await submit()
    const full = await submit()
    expect([full.status, full.body.code]).to.deep.equal([429, 'too_many_running_jobs'])
    const cancelled = await call('DELETE', `/v1/cloud/distill/${one.body.job_id}`)
    expect(cancelled.body).to.include({ state: 'cancelled', reason: null })
    const again = await call('DELETE', `/v1/cloud/distill/${one.body.job_id}`)
    expect([again.status, again.body.code]).to.deep.equal([409, 'invalid_transition'])
    const list = await call('GET', '/v1/cloud/distill?status=queued&namespace=sales')
    expect(list.body).to.deep.include({ count: 1, total_for_tenant: 3, status_filter: 'queued' })
    expect(list.body.jobs[0].job_id).to.equal(two.body.job_id)
    expect(list.body.counts).to.deep.equal({ queued: 2, running: 0, succeeded: 0, failed: 0, cancelled: 1 })
    const wrong = await call('GET', '/v1/cloud/distill?status=done')
    expect([wrong.status, wrong.body.code]).to.deep.equal([400, 'invalid_status_filter'])
    const page = await call('GET', '/v1/cloud/distill?limit=2')
    const rest = await call('GET', `/v1/cloud/distill?limit=2&cursor=${page.body.next_cursor}`)
    expect([page.body.count, rest.body.count, rest.body.next_cursor]).to.deep.equal([2, 1, null])
    const path = `/v1/cloud/distill/${two.body.job_id}`
    await Promise.all([call('DELETE', path), call('DELETE', path)])
    const { items } = await listAudit(setUpOperation(database.db, tenant.id), { limit: 50 })
    const told = items.filter(({ action }) => action === 'cloud_job.cancelled').map(({ target }) => target)
    expect(told).to.have.members([one.body.job_id, two.body.job_id])
  })

  it('are not found by others, and a key bound to a namespace sees those of its own', async () => {
    const { job_id: id } = (await submit()).body
    const stranger = await givenApiTenant(api)
    for (const path of [`/v1/cloud/distill/${id}`, `/v1/cloud/distill/meter/${id}`]) {
      expect((await call('GET', path, undefined, {}, stranger.key)).status, path).to.equal(404)
      expect((await call('GET', path.replace(id, `${id}0`))).status).to.equal(404)
    }
    expect((await call('DELETE', `/v1/cloud/distill/${id}`, undefined, {}, stranger.key)).status).to.equal(404)
    const scopes = ['cloud:read', 'cloud:write', 'capture:read', 'namespace:sales']
    const { key } = await givenScopedKey(api, tenant.key, { name: 'sales', scopes })
    expect((await call('GET', '/v1/cloud/distill', undefined, {}, key)).body.total_for_tenant).to.equal(0)
    const outside = await call('POST', '/v1/cloud/distill/submit', { namespace: 'support' }, {}, key)
    expect([outside.status, outside.body.code]).to.deep.equal([403, 'insufficient_scope'])
    expect((await call('POST', '/v1/cloud/pools', { name: 'lab' }, {}, key)).status).to.equal(403)
  })

  it('find pools, whose token is shown once', async () => {
    const made = await call('POST', '/v1/cloud/pools', { name: 'lab', gpu_sku: 'A100-80GB' })
    expect([made.status, made.body.pool.rate_per_gpu_hour_usd]).to.deep.equal([201, 1.65])
    expect(made.body.token).to.match(/^pool_[0-9a-f]{64}$/)
    expect((await call('GET', '/v1/cloud/pools')).text).to.not.include(made.body.token)
    const twin = await call('POST', '/v1/cloud/pools', { name: 'lab' })
    expect([twin.status, twin.body.code]).to.deep.equal([409, 'pool_exists'])
    expect((await call('POST', '/v1/cloud/pools', { name: 'lab-2' })).status).to.equal(201)
    expect((await call('POST', '/v1/cloud/pools', { name: 'lab-3' })).body.code).to.equal('limit_reached')
    expect((await submit({ gpu_sku: 'A100-80GB' })).body.cloud_backend_status).to.equal('unreachable')
    const asks = async (token: string) =>
      await api.call('POST', '/v1/trainer/pool', {
        body: { secret: 'a'.repeat(64) },
        headers: { authorization: `Bearer ${token}` },
      })
    expect((await asks(made.body.token)).body.lease).to.equal(null)
    expect((await asks('pool_unknown')).status).to.equal(401)
    expect((await submit({ gpu_sku: 'A100-80GB' })).body.cloud_backend_status).to.equal('reachable')
    const stranger = await givenApiTenant(api)
    const path = `/v1/cloud/pools/${made.body.pool.pool_id}`
    expect((await call('DELETE', path, undefined, {}, stranger.key)).status).to.equal(404)
  })

  it('are submitted, listed, shown and cancelled by the CLI', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-cloud-jobs-'))
    const svc = async (...args: string[]) =>
      await runCli(['cloud', ...args], {
        folder,
        profileDir: folder,
        env: { SVC_URL: api.url, SVC_API_KEY: tenant.key },
      })
    const submitted = await svc('distill', 'submit', '-n', 'support', '--gpu', 'A100-80GB')
    expect(submitted.stdout, submitted.stderr).to.match(/^cdj_\w+ queued, no_pool_configured\n/)
    const [id = ''] = submitted.stdout.split(' ')
    const pool = await svc('pool', 'register', 'lab', '--gpu', 'A100-80GB')
    expect(pool.stdout, pool.stderr).to.match(/SVC_POOL_TOKEN=pool_\w+ python -m svc_trainer.pool\n1 waiting jobs/)
    const [list, shown, meter, pools] = await Promise.all([
      svc('distill', 'list', '--status', 'queued'),
      svc('distill', 'show', id),
      svc('distill', 'meter', id),
      svc('pool', 'list'),
    ])
    expect(list.stdout, list.stderr).to.include(id)
    expect(shown.stdout, shown.stderr).to.include('1x A100-80GB at 1.65 USD an hour')
    expect(meter.stdout, meter.stderr).to.include('0.0 seconds, 0.0000 USD')
    expect(pools.stdout, pools.stderr).to.match(/lab +1x A100-80GB +0 +never/)
    const [cancelled, removed] = [
      await svc('distill', 'cancel', id),
      await svc('pool', 'remove', pool.stdout.slice(0, 30)),
    ]
    expect(cancelled.stdout, cancelled.stderr).to.equal(`${id} cancelled\n`)
    expect(removed.stdout, removed.stderr).to.match(/^pol_\w+ removed\n$/)
    await rm(folder, { recursive: true })
  })

  it('have a neighbour that plans deployments and takes no credentials in an address', async () => {
    const answer = await call('POST', '/v1/cloud/deploy-plan', { base_url: 'https://ada:secret@svc.example' })
    expect([answer.status, answer.body.details.fields[0].field]).to.deep.equal([400, 'base_url'])
    expect(answer.text).to.not.include('secret')
  })
})
