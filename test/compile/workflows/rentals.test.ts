import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { findRental, type RentalFacts } from '../../../db/compile/rentals/find-rental.ts'
import { findTrainingRecords } from '../../../db/compile/progress/training/training-records.ts'
import { systemOperation, tenantOf } from '../../../db/kernel/operation.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { bootMachine } from '../../support/workflows/rentals/boot.ts'
import { rentalSettings, SWAPPED_WORDS } from '../../support/workflows/rentals/given-rentals.ts'
import { Market } from '../../support/workflows/rentals/market.ts'
import { startPods, type ProviderServer } from '../../support/workflows/rentals/providers.ts'
import { givenApiTenant, useApi } from '../../support/api.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { reconcileOne } from '../../support/workflows/chores.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { useService } from '../../support/workflows/service.ts'

const BASES = fileURLToPath(new URL('../../model/golden', import.meta.url))
const KEY = 'operator-key'
const USD_PER_HOUR = 36
/** Shorter than by default, so that tests see what they do. */
const LIMITS = { rental_settle_s: 2, rental_silent_s: 5, rental_start_s: 30, rental_machines: 3 }

describe('a compile on a rented machine', function () {
  this.timeout(300_000)
  let provider: ProviderServer
  let market: Market
  before(async () => {
    market = new Market({ key: KEY, usdPerHour: USD_PER_HOUR, boot: bootMachine({ bases: BASES }) })
    provider = await startPods(market)
  })
  const rentals = rentalSettings({ lane: 'gpu_pods', key: KEY, usdPerHour: USD_PER_HOUR, url: () => provider.url })
  const service = useService({
    baseFolders: [BASES],
    rentals,
    change: (deps) => ({
      ...deps,
      limits: { ...deps.limits, ...LIMITS },
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
    limits: { rental_usd_free: 100 },
  })
  after(async () => {
    market.close()
    await provider.close()
  })
  afterEach(() => {
    expect(
      market.running.map(({ name }) => name),
      'machines that are left',
    ).to.deep.equal([])
  })

  const body = (changes: object = {}, spec: object = {}) => ({
    backend: 'gpu_pods',
    budget_usd: 50,
    confirm: true,
    spec: {
      task: 'Swap the words',
      examples: SWAPPED_WORDS,
      base_model: 'llama-tied',
      k_score_floor: 0,
      lora: { epochs: 20, rank: 4 },
      ...spec,
    },
    ...changes,
  })

  interface Given {
    readonly key: string
    readonly tenantId: string
  }

  async function rent(given: Given, changes: object = {}, spec: object = {}): Promise<string> {
    const accepted = await api.call('POST', '/v1/compile/cloud', { key: given.key, body: body(changes, spec) })
    expect(accepted.status, accepted.text).to.equal(202)
    const jobId: string = accepted.body.job_id
    return jobId
  }

  async function ended(given: Given, jobId: string) {
    const run = service.temporal.client.workflow.getHandle(jobId)
    // It starts soon after the job is accepted.
    await eventually(async () => await run.describe())
    await run.result().catch(() => undefined)
    const { body: job } = await api.call('GET', `/v1/compile/${jobId}`, { key: given.key })
    return job
  }

  async function rentalOf({ tenantId }: Given, jobId: string): Promise<RentalFacts> {
    const rental = await findRental(tenantOf(service.database.db, tenantId), jobId)
    if (rental === null) throw new Error('the job has no rental')
    return rental
  }

  async function checkpointed(given: Given, jobId: string): Promise<void> {
    await eventually(async () => {
      expect((await rentalOf(given, jobId)).leases[0]?.checkpointAt ?? null).to.not.equal(null)
    })
  }

  const secondsBetween = (from: Date | null | undefined, to: Date | null | undefined): number =>
    ((to?.getTime() ?? NaN) - (from?.getTime() ?? NaN)) / 1000

  async function givenCaller(): Promise<Given> {
    const { key, id: tenantId } = await givenApiTenant(api)
    return { key, tenantId }
  }

  it('fits the adapter there, checks it here, ends the machine and charges what the provider charges', async () => {
    const caller = await givenCaller()
    const before = market.machines.length
    const jobId = await rent(caller)
    const job = await ended(caller, jobId)
    expect(job, JSON.stringify(job.error)).to.include({ status: 'completed', recipe_kind: 'lora' })
    const [machine, ...others] = market.machines.slice(before)
    expect(others).to.deep.equal([])
    expect(Object.keys(machine?.environment ?? {})).to.deep.equal(['SVC_TRAINER_URL', 'SVC_TRAINER_TOKEN'])
    expect(job.rental).to.deep.include({ backend: 'gpu_pods', machines: 1, state: 'ended', error_code: null })
    const billed = ((machine?.endedAt ?? 0) - (machine?.startedAt ?? 0)) * (USD_PER_HOUR / 3_600_000)
    expect(job.rental.cost_usd).to.be.within(billed, billed + 0.03)
    const op = systemOperation(service.database.db, { tenantId: caller.tenantId, name: 'test', requestId: 'test' })
    await expectAudited(op, 'rental.ordered', jobId)
    await expectAudited(op, 'rental.ended', jobId)
    expect(job.cost_usd).to.be.closeTo(job.rental.cost_usd, 0.0001)
    const history = await recordHistory(service.temporal, 'rental-fitted', `${jobId}/rental`)
    expect(history).to.not.include('trn_')
    await recordHistory(service.temporal, 'compile-rented', jobId)
    // The next quote rests on this fit.
    const quote = await api.call('POST', '/v1/compile/cloud', { key: caller.key, body: body({ confirm: false }) })
    expect(quote.body.estimate.inputs.tokens_per_second).to.include({ basis: 'measured', n: 1 })
  })

  it('replaces a machine that is killed in its fit, and the next goes on from the checkpoint', async () => {
    const caller = await givenCaller()
    const jobId = await rent(caller, {}, { lora: { epochs: 100, rank: 4, learning_rate: 0.0001 } })
    await checkpointed(caller, jobId)
    const first = market.running.at(-1)
    market.kill(first?.id ?? '')
    const job = await ended(caller, jobId)
    expect(job, JSON.stringify(job.error)).to.include({ status: 'completed' })
    const { leases, costUsdMicros } = await rentalOf(caller, jobId)
    expect(leases).to.have.length(2)
    expect(secondsBetween(leases[0]?.seenAt, leases[0]?.endedAt)).to.be.within(
      LIMITS.rental_silent_s,
      DEFAULT_LIMITS.rental_silent_s,
    )
    expect(leases.reduce((sum, lease) => sum + lease.costUsdMicros, 0)).to.equal(costUsdMicros)
  })

  it('ends the machine before its budget is passed, keeps the checkpoint, and a new compile goes on from it', async () => {
    const caller = await givenCaller()
    const op = tenantOf(service.database.db, caller.tenantId)
    const slow = { lora: { epochs: 100, rank: 4, learning_rate: 0.0001, seed: 7 } }
    const jobId = await rent(caller, {}, slow)
    await checkpointed(caller, jobId)
    // The time in which a budget is used up is that of a price: here the budget shrinks instead.
    await sendSql(service.database.db, 'update rentals set budget_usd_micros = 400000 where job_id = $1', [jobId])
    const job = await ended(caller, jobId)
    expect(job).to.include({ status: 'failed', error_code: 'rental_budget_used' })
    expect(job.rental).to.include({ state: 'ended', error_code: 'rental_budget_used' })
    expect(job.rental.cost_usd).to.be.within(0, 0.4)
    await recordHistory(service.temporal, 'rental-budget', `${jobId}/rental`)

    const again = await rent(caller, {}, slow)
    await eventually(async () => {
      expect((await rentalOf(caller, again)).leases).to.have.length(1)
    })
    const { fit } = await rentalOf(caller, again)
    const kept = (await findTrainingRecords(op, { jobId: again, fit: fit ?? '' })).get('checkpoint')
    expect(kept?.facts).to.have.property('step').that.is.greaterThan(0)
    expect(await ended(caller, again)).to.include({ status: 'completed' })
    expect(await sendSql(service.database.db, 'select fit from rental_checkpoints')).to.deep.equal([])
  })

  it('rents one machine whatever the provider does with the order', async () => {
    const caller = await givenCaller()
    const before = market.machines.length
    market.faults.push({ kind: 'twice' })
    const jobId = await rent(caller)
    const job = await ended(caller, jobId)
    expect(job, JSON.stringify(job.error)).to.include({ status: 'completed' })
    expect(market.machines.slice(before)).to.have.length(2)
    expect((await rentalOf(caller, jobId)).leases).to.have.length(1)

    market.faults.push({ kind: 'error' }, { kind: 'late', lateMs: 500 })
    const late = await rent(caller)
    expect(await ended(caller, late)).to.include({ status: 'completed' })
    const { leases } = await rentalOf(caller, late)
    expect(leases.map(({ machineId }) => machineId !== null)).to.deep.equal([false, true])
    expect(secondsBetween(leases[0]?.orderedAt, leases[0]?.endedAt)).to.be.within(
      LIMITS.rental_settle_s,
      DEFAULT_LIMITS.rental_settle_s,
    )

    market.faults.push({ kind: 'no_capacity' })
    const refused = await rent(caller)
    expect(await ended(caller, refused)).to.include({ status: 'failed', error_code: 'rental_failed' })
    await recordHistory(service.temporal, 'rental-refused', `${refused}/rental`)
  })

  it('gives up machines that do not start, and the fit after so many of them', async () => {
    const caller = await givenCaller()
    market.faults.push(...Array.from({ length: LIMITS.rental_machines }, () => ({ kind: 'asleep' }) as const))
    const jobId = await rent(caller)
    for (let number = 1; number <= LIMITS.rental_machines; number++) {
      await eventually(async () => {
        const { leases } = await rentalOf(caller, jobId)
        expect([leases.length, leases.at(-1)?.machineId ?? null]).to.satisfy(
          ([count, machineId]: [number, string | null]) => count === number && machineId !== null,
        )
      })
      await sendSql(
        service.database.db,
        `update rental_leases set ordered_at = ordered_at - interval '${LIMITS.rental_start_s + 1} seconds'
         where job_id = $1 and ended_at is null`,
        [jobId],
      )
    }
    const job = await ended(caller, jobId)
    expect(job).to.include({ status: 'failed', error_code: 'rental_failed' })
    expect((await rentalOf(caller, jobId)).leases).to.have.length(LIMITS.rental_machines)
  })

  it('ends the machine of a cancelled job, and those that no workflow owns', async () => {
    const caller = await givenCaller()
    const jobId = await rent(caller, {}, { lora: { epochs: 100, rank: 4, learning_rate: 0.0001 } })
    await eventually(async () => {
      const [lease] = (await rentalOf(caller, jobId)).leases
      expect(lease?.openedAt ?? null).to.not.equal(null)
    })
    await api.call('POST', `/v1/compile/${jobId}/cancel`, { key: caller.key })
    expect(await ended(caller, jobId)).to.include({ status: 'cancelled' })
    expect(market.running).to.deep.equal([])
    await recordHistory(service.temporal, 'rental-cancelled', `${jobId}/rental`)

    market.rent({ name: 'svc-lse-unknown', image: 'x', environment: {} })
    market.rent({ name: 'another-service', image: 'x', environment: {} })
    const deps = { ...service.deps, limits: service.deps.limits }
    expect(await reconcileOne(deps, 'rentals')).to.deep.equal({ rentals: 0, machines: 1 })
    expect(market.running.map(({ name }) => name)).to.deep.equal(['another-service'])
    market.close()
  })
})
