import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { call, givenApiTenant, type ApiTenant } from '../../support/api.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { startApiProcess, type ApiProcess } from '../../support/stack/api-process.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { bootMachine } from '../../support/workflows/rentals/boot.ts'
import { SWAPPED_WORDS } from '../../support/workflows/rentals/given-rentals.ts'
import { missWorker } from '../../support/workflows/miss-worker.ts'
import { useService } from '../../support/workflows/service.ts'
import { startWorkerProcess, type WorkerProcess } from '../../workers/worker-process.ts'

const BASES = fileURLToPath(new URL('../../model/golden', import.meta.url))
const FIT = { base_model: 'llama-tied', k_score_floor: 0, lora: { epochs: 100, rank: 4, learning_rate: 0.0001 } }
/** A lease in this test is over when the test says so. */
const LEASE_S = 300

describe('a cloud job whose processes are killed while a worker of the pool has its fit', function () {
  // Two workers and two APIs have to start.
  this.timeout(240_000)
  const service = useService({ withWorkers: false })
  const kills: (() => unknown)[] = []
  after(() => {
    for (const kill of kills) kill()
  })

  const environment = () => ({
    DATABASE_URL: service.database.url,
    TEMPORAL_ADDRESS: service.temporalAddress,
    TEMPORAL_NAMESPACE: service.temporal.namespace,
    SVC_MASTER_KEY: service.database.masterKey.toString('hex'),
    SVC_BASES_DIR: BASES,
    SVC_COMPUTE_THREADS: '1',
    SVC_LIMITS: JSON.stringify({ signups_per_ip_day: 100, pool_lease_s: LEASE_S }),
  })

  async function startWorker(): Promise<WorkerProcess> {
    const worker = startWorkerProcess(environment())
    kills.push(() => worker.child.kill('SIGKILL'))
    await worker.ready
    return worker
  }

  async function startApi(port: string): Promise<ApiProcess> {
    const api = await startApiProcess({ ...environment(), SVC_PORT: port })
    kills.push(() => api.child.kill('SIGKILL'))
    return api
  }

  /** Boots a worker of the pool, which asks the API at this address until it is killed. */
  function bootTrainer(url: string, token: string): () => void {
    const kill = bootMachine({ bases: BASES })({
      name: 'worker',
      image: '',
      environment: { SVC_TRAINER_URL: url, SVC_POOL_TOKEN: token },
    })
    kills.push(kill)
    return kill
  }

  const leases = async () =>
    await sendSql<{ id: string; is_open: boolean; has_checkpoint: boolean; seen_ms: number }>(
      service.database.db,
      `select id, ended_at is null as is_open, checkpoint_at is not null as has_checkpoint,
              extract(epoch from seen_at)::float8 * 1000 as seen_ms
         from rental_leases order by number`,
    )

  it('goes on under the same lease, then from the checkpoint, and is charged once', async () => {
    const [first, worker] = await Promise.all([startApi('0'), startWorker()])
    const { url } = first
    const send = async (method: string, path: string, body?: object) =>
      await call(url, method, path, { key: tenant.key, ...(body !== undefined && { body }) })
    const post = async (path: string, body: object) => {
      const answer = await send('POST', path, body)
      expect(answer.status, answer.text).to.be.within(200, 202)
      return answer.body
    }
    const tenant: ApiTenant = await givenApiTenant({ call: async (...args) => await call(url, ...args) })
    const items = SWAPPED_WORDS.map(({ input, output }) => ({ prompt: input, response: output }))
    const { ids } = await post('/v1/capture/log', { namespace: 'support', items })
    await post('/v1/captures/review-bulk', { ids, action: 'approve' })
    const { token } = await post('/v1/cloud/pools', { name: 'lab' })
    const { job_id: id } = await post('/v1/cloud/distill/submit', { namespace: 'support', ...FIT })
    const kill = bootTrainer(url, token)
    await eventually(async () => expect((await leases())[0]).to.include({ has_checkpoint: true }))
    const { run_id: runId, compile_job_id: jobId } = (await send('GET', `/v1/cloud/distill/${id}`)).body

    await worker.end('SIGKILL')
    first.child.kill('SIGKILL')
    for (const workflow of [runId, jobId, `${jobId}/rental`]) await missWorker(service.temporal, workflow)
    const lastMs = (await leases())[0]?.seen_ms ?? Infinity
    await Promise.all([startApi(new URL(url).port), startWorker()])
    // The worker of the pool has kept its lease, and reports to the API that came back.
    await eventually(async () => {
      const [lease] = await leases()
      expect(lease).to.include({ is_open: true })
      expect(lease?.seen_ms).to.be.greaterThan(lastMs)
    })
    kill()
    // A report that was on its way may still be recorded.
    await eventually(async () => {
      await sendSql(service.database.db, `update rental_leases set seen_at = now() - interval '${LEASE_S + 1} seconds'`)
      expect((await leases())[0]).to.include({ is_open: false })
    })
    bootTrainer(url, token)
    const run = service.temporal.client.workflow.getHandle(runId)
    expect(await run.result()).to.include({ state: 'completed' })

    const done = (await send('GET', `/v1/cloud/distill/${id}`)).body
    expect(done, JSON.stringify(done.error)).to.include({ state: 'succeeded' })
    expect((await leases()).map(({ is_open: isOpen }) => isOpen)).to.deep.equal([false, false])
    const { rows, total_cost_usd: cost } = (await send('GET', `/v1/cloud/distill/meter/${id}`)).body
    const begun = rows.filter(({ kind }: { kind: string }) => kind === 'training_reservation')
    expect(begun).to.have.length(2)
    const { rental } = (await send('GET', `/v1/compile/${jobId}`)).body
    expect(rental).to.include({ state: 'ended', machines: 2, cost_usd: Math.ceil(cost * 10_000) / 10_000 })
    const { meters } = (await send('GET', '/v1/billing/usage')).body
    expect(meters).to.include({ optimization_runs: 1 })
  })
})
