import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { givenPlan, setUpOperation } from '../../support/people/given-members.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { bootMachine } from '../../support/workflows/rentals/boot.ts'
import { rentalSettings, SWAPPED_WORDS } from '../../support/workflows/rentals/given-rentals.ts'
import { Market } from '../../support/workflows/rentals/market.ts'
import { startPods, type ProviderServer } from '../../support/workflows/rentals/providers.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { useService } from '../../support/workflows/service.ts'

const BASES = fileURLToPath(new URL('../../model/golden', import.meta.url))
const KEY = 'operator-key'
/** H100-80GB, as the specification states it. */
const RATE = 1.99
/** Longer than any step of a worker, also where its processor is busy: tests end a lease by its age. */
const LEASE_S = 60
const FIT = { base_model: 'llama-tied', k_score_floor: 0, lora: { epochs: 20, rank: 4 } }

describe('a cloud job', function () {
  this.timeout(120_000)
  let provider: ProviderServer
  let market: Market
  const kills: (() => void)[] = []
  before(async () => {
    market = new Market({ key: KEY, usdPerHour: 36, boot: bootMachine({ bases: BASES }) })
    provider = await startPods(market)
  })
  const rentals = rentalSettings({ lane: 'gpu_pods', key: KEY, usdPerHour: 36, url: () => provider.url })
  const limits = {
    rental_settle_s: 2,
    rental_silent_s: 5,
    rental_start_s: 30,
    pool_lease_s: LEASE_S,
    pool_attempts: 4,
    pool_wait_s: 3 * 86_400,
    rental_usd_free: 100,
  }
  const service = useService({
    baseFolders: [BASES],
    rentals,
    change: (deps) => ({
      ...deps,
      limits: { ...deps.limits, ...limits },
      get publicUrl() {
        return api.url
      },
    }),
  })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    settings: { baseFolders: [BASES], rentals, publicUrl: 'https://svc.example' },
    limits,
  })
  after(async () => {
    for (const kill of kills) kill()
    market.close()
    await provider.close()
  })

  const call = async (tenant: ApiTenant, method: string, path: string, body?: object, headers = {}) =>
    await api.call(method, path, { key: tenant.key, headers, ...(body !== undefined && { body }) })

  /** A tenant with approved captures in the namespace `support`. */
  async function givenCaller(): Promise<ApiTenant> {
    const tenant = await givenApiTenant(api)
    const items = SWAPPED_WORDS.map(({ input, output }) => ({ prompt: input, response: output }))
    const logged = await call(tenant, 'POST', '/v1/capture/log', { namespace: 'support', items })
    expect(logged.status, logged.text).to.equal(201)
    await call(tenant, 'POST', '/v1/captures/review-bulk', { ids: logged.body.ids, action: 'approve' })
    return tenant
  }

  async function submit(tenant: ApiTenant, body: object = {}) {
    const answer = await call(tenant, 'POST', '/v1/cloud/distill/submit', { namespace: 'support', ...FIT, ...body })
    expect(answer.status, answer.text).to.equal(202)
    return answer.body
  }

  async function givenPool(tenant: ApiTenant, body: object = {}): Promise<{ token: string; id: string }> {
    const answer = await call(tenant, 'POST', '/v1/cloud/pools', { name: 'lab', ...body })
    expect(answer.status, answer.text).to.equal(201)
    return { token: answer.body.token, id: answer.body.pool.pool_id }
  }

  function bootWorker(token: string): () => void {
    const environment = { SVC_TRAINER_URL: api.url, SVC_POOL_TOKEN: token }
    const kill = bootMachine({ bases: BASES })({ name: 'worker', image: '', environment })
    kills.push(kill)
    return kill
  }

  const show = async (tenant: ApiTenant, id: string) => (await call(tenant, 'GET', `/v1/cloud/distill/${id}`)).body
  const meter = async (tenant: ApiTenant, id: string) =>
    (await call(tenant, 'GET', `/v1/cloud/distill/meter/${id}`)).body

  async function ended(tenant: ApiTenant, id: string) {
    const result = async (workflowId: string) => {
      const run = service.temporal.client.workflow.getHandle(workflowId)
      await eventually(async () => await run.describe())
      await run.result().catch(() => undefined)
    }
    await result(id)
    const { run_id: runId } = await show(tenant, id)
    if (runId !== null) await result(runId)
    return await show(tenant, id)
  }

  it('waits without a pool, begins when one is registered, and is metered by its heartbeats', async () => {
    const tenant = await givenCaller()
    const job = await submit(tenant, { billing_token: 'token-of-the-customer' })
    expect(job).to.include({
      state: 'queued',
      cloud_backend_status: 'no_pool_configured',
      rate_per_gpu_hour_usd: RATE,
      scheduler_lane: 'free',
      created: true,
    })
    expect(await meter(tenant, job.job_id)).to.deep.include({ rows: [], total_cost_usd: 0 })
    // A pool with other GPUs is none for this job.
    await givenPool(tenant, { name: 'small', gpu_sku: 'RTX-4090' })
    const { token } = await givenPool(tenant)
    const kill = bootWorker(token)
    const done = await ended(tenant, job.job_id)
    expect(done, JSON.stringify(done.error)).to.include({ state: 'succeeded', backend: 'pool' })
    expect((await call(tenant, 'GET', done.artifact_url)).status).to.equal(200)
    kill()
    const { rows, total_gpu_seconds: seconds, total_cost_usd: cost } = await meter(tenant, job.job_id)
    expect(rows.map(({ kind }: { kind: string }) => kind).slice(0, 2)).to.deep.equal([
      'training_reservation',
      'training_run',
    ])
    expect(cost).to.be.closeTo((seconds / 3600) * RATE, 0.000002)
    const { rental } = (await call(tenant, 'GET', `/v1/compile/${done.compile_job_id}`)).body
    expect(rental).to.include({
      backend: 'pool',
      machines: 1,
      state: 'ended',
      cost_usd: Math.ceil(cost * 10_000) / 10_000,
    })
    expect((await call(tenant, 'GET', '/v1/cloud/distill')).text).to.not.match(/token|billing/)
    const stored = await sendSql(service.database.db, 'select cloud_jobs::text as row from cloud_jobs')
    expect(JSON.stringify(stored)).to.not.include('token-of-the-customer')
    const op = setUpOperation(service.database.db, tenant.id)
    await expectAudited(op, 'pool.leased', done.compile_job_id)
    await expectAudited(op, 'pool.lease_ended', done.compile_job_id)
    await expectAudited(op, 'cloud_job.submitted', job.job_id)
    await recordHistory(service.temporal, 'cloud-distill-waited', job.job_id)
    await recordHistory(service.temporal, 'rental-pool', `${done.compile_job_id}/rental`)
    await recordHistory(service.temporal, 'compile-pool', done.compile_job_id)
  })

  /** A worker that speaks the protocol of the door and fits nothing. */
  async function ask(token: string) {
    const secret = randomBytes(32).toString('hex')
    const send = async (path: string, body: object, bearer = secret) =>
      await api.call('POST', `/v1/trainer/${path}`, { body, headers: { authorization: `Bearer ${bearer}` } })
    const { body, status } = await send('pool', { secret, worker: 'by-hand' }, token)
    return { status, lease: body.lease, secret, send }
  }

  async function leased(token: string) {
    let worker = await ask(token)
    await eventually(async () => {
      if (worker.lease === null) worker = await ask(token)
      expect(worker.lease).to.not.equal(null)
    })
    return worker
  }

  type Worker = Awaited<ReturnType<typeof ask>>
  const report = async ({ send }: Worker) => await send('progress', { step: 1, steps: 5 })
  const expectOver = async (worker: Worker) => {
    const late = await report(worker)
    expect([late.status, late.body.code]).to.deep.equal([410, 'lease_over'])
  }
  const expectGoesOn = async (worker: Worker) => expect((await report(worker)).body.state).to.equal('go_on')

  const fitWaits = async (tenant: ApiTenant, id: string) =>
    await eventually(async () => {
      const { compile_job_id: jobId } = await show(tenant, id)
      expect(jobId).to.be.a('string')
      expect((await call(tenant, 'GET', `/v1/compile/${jobId}`)).body.rental.state).to.equal('renting')
    })

  it('is leased by plan, then by age; a worker that is lost is replaced, and the fourth is the last', async () => {
    const tenant = await givenCaller()
    const { token, id: pool } = await givenPool(tenant)
    const older = await submit(tenant)
    expect(older.cloud_backend_status).to.equal('unreachable')
    await fitWaits(tenant, older.job_id)
    await givenPlan(service.database.db, tenant.id, 'enterprise')
    await eventually(async () => {
      expect((await call(tenant, 'GET', '/v1/whoami')).body.plan).to.equal('enterprise')
    })
    const dearer = await submit(tenant)
    expect(dearer.scheduler_lane).to.equal('enterprise')
    await fitWaits(tenant, dearer.job_id)

    const first = await leased(token)
    const second = await leased(token)
    expect((await show(tenant, dearer.job_id)).state).to.equal('running')
    // A repeated call has the same lease.
    const again = await first.send('pool', { secret: first.secret }, token)
    expect(again.body.lease.lease_id).to.equal(first.lease.lease_id)
    const reason = 'not needed'
    const cancelled = await call(tenant, 'DELETE', `/v1/cloud/distill/${older.job_id}?reason=not%20needed`)
    expect(cancelled.body, cancelled.text).to.include({ ok: true, state: 'cancelled', reason })
    await expectOver(second)
    const twice = await call(tenant, 'DELETE', `/v1/cloud/distill/${older.job_id}`)
    expect([twice.status, twice.body.code]).to.deep.equal([409, 'invalid_transition'])
    expect(twice.body.details).to.deep.equal({ current_state: 'cancelled' })

    await expectGoesOn(first)
    await sendSql(
      service.database.db,
      `update rental_leases set seen_at = seen_at - interval '${LEASE_S + 1} seconds' where id = $1`,
      [first.lease.lease_id],
    )
    await expectOver(first)
    const third = await leased(token)
    await expectGoesOn(third)
    expect((await call(tenant, 'GET', '/v1/cloud/pools')).body.pools[0]).to.include({ pool_id: pool, fits: 1 })
    expect((await call(tenant, 'DELETE', `/v1/cloud/pools/${pool}`)).status).to.equal(200)
    await expectOver(third)
    expect((await ask(token)).status).to.equal(401)
    const { token: next } = await givenPool(tenant)
    for (let attempt = 3; attempt <= limits.pool_attempts; attempt++) {
      const worker = await leased(next)
      await worker.send('failure', { code: 'internal' })
    }
    const failed = await ended(tenant, dearer.job_id)
    expect(failed.error.code).to.equal('pool_attempts_used')
    const op = setUpOperation(service.database.db, tenant.id)
    await expectAudited(op, 'pool.registered', pool)
    await expectAudited(op, 'pool.removed', pool)
    await expectAudited(op, 'cloud_job.cancelled', older.job_id)
    await recordHistory(service.temporal, 'rental-poolless', `${failed.compile_job_id}/rental`)
  })

  it('runs on a rented lane, whose meter is the cost of the machine', async () => {
    const tenant = await givenCaller()
    const job = await submit(tenant, { provider: 'gpu_pods', budget_usd: 50 })
    expect(job).to.include({ cloud_backend_status: 'reachable_via_provider', backend: 'gpu_pods' })
    const done = await ended(tenant, job.job_id)
    expect(done, JSON.stringify(done.error)).to.include({ state: 'succeeded' })
    const { rental } = (await call(tenant, 'GET', `/v1/compile/${done.compile_job_id}`)).body
    const { total_cost_usd: cost } = await meter(tenant, job.job_id)
    expect(rental.cost_usd).to.equal(Math.ceil(cost * 10_000) / 10_000)
    const short = await submit(tenant, { provider: 'gpu_pods', budget_usd: 0.001 })
    expect((await ended(tenant, short.job_id)).error.code).to.equal('budget_below_quote')
  })

  it('fails without charge when no pool comes in time, and when there is nothing to learn from', async () => {
    const tenant = await givenCaller()
    const job = await submit(tenant)
    await sendSql(service.database.db, `update cloud_jobs set created_at = now() - interval '4 days' where id = $1`, [
      job.job_id,
    ])
    service.deps.workflows.changedSoon(job.job_id)
    const failed = await ended(tenant, job.job_id)
    expect(failed).to.deep.include({ state: 'failed', compile_job_id: null, started_at: null })
    expect(failed.error.code).to.equal('no_pool_configured')
    await recordHistory(service.temporal, 'cloud-distill-unpooled', job.job_id)
    await givenPool(tenant)
    const empty = await submit(tenant, { namespace: 'empty' })
    const nothing = await ended(tenant, empty.job_id)
    expect(nothing.error.code).to.equal('empty_dataset')
    await expectAudited(setUpOperation(service.database.db, tenant.id), 'cloud_job.failed', job.job_id)
  })
})
