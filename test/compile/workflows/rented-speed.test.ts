import { fileURLToPath } from 'node:url'
import { Context } from '@temporalio/activity'
import { expect } from 'chai'
import { findRental } from '../../../db/compile/rentals/find-rental.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'
import { givenApiTenant, useApi } from '../../support/api.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { bootMachine } from '../../support/workflows/rentals/boot.ts'
import { rentalSettings, SWAPPED_WORDS } from '../../support/workflows/rentals/given-rentals.ts'
import { Market } from '../../support/workflows/rentals/market.ts'
import { startPods, type ProviderServer } from '../../support/workflows/rentals/providers.ts'
import { useService } from '../../support/workflows/service.ts'

const BASES = fileURLToPath(new URL('../../model/golden', import.meta.url))
const KEY = 'operator-key'
/** Tokens a second that the machine states: it cannot have read so many. */
const STATED = 1e12

describe('a rented machine that states a speed which it cannot have', function () {
  this.timeout(300_000)
  let provider: ProviderServer
  let market: Market
  before(async () => {
    market = new Market({ key: KEY, usdPerHour: 36, boot: bootMachine({ bases: BASES, statedSpeed: STATED }) })
    provider = await startPods(market)
  })
  /** Machines that ran when its adapter was fetched. */
  const runningAtFetch: number[] = []
  const rentals = rentalSettings({ lane: 'gpu_pods', key: KEY, usdPerHour: 36, url: () => provider.url })
  const service = useService({
    baseFolders: [BASES],
    rentals,
    change: (deps) => ({
      ...deps,
      limits: { ...deps.limits, rental_settle_s: 2 },
      now: () => {
        if (activityType() === 'fetchAdapter') runningAtFetch.push(market.running.length)
        return new Date()
      },
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

  let tenantId: string
  let jobId: string
  let tokens: number
  before(async () => {
    const tenant = await givenApiTenant(api)
    tenantId = tenant.id
    const spec = {
      task: 'Swap the words',
      examples: SWAPPED_WORDS,
      base_model: 'llama-tied',
      k_score_floor: 0,
      lora: { epochs: 2, rank: 4 },
    }
    const body = { backend: 'gpu_pods', budget_usd: 50, confirm: true, spec }
    const accepted = await api.call('POST', '/v1/compile/cloud', { key: tenant.key, body })
    expect(accepted.status, accepted.text).to.equal(202)
    jobId = accepted.body.job_id
    ;({ tokens } = accepted.body.estimate.inputs)
    const run = service.temporal.client.workflow.getHandle(jobId)
    await eventually(async () => await run.describe())
    await run.result().catch(() => undefined)
    const { body: job } = await api.call('GET', `/v1/compile/${jobId}`, { key: tenant.key })
    expect(job, JSON.stringify(job.error)).to.include({ status: 'completed', recipe_kind: 'lora' })
  })

  it('counts in later quotes with the rows that it read in the time that it had', async () => {
    const [rental] = await sendSql<{ readonly speed: number }>(
      service.database.db,
      'select tokens_per_second as speed from rentals where job_id = $1',
      [jobId],
    )
    const [lease] = (await findRental(tenantOf(service.database.db, tenantId), jobId))?.leases ?? []
    const seconds = ((lease?.seenAt?.getTime() ?? 0) - (lease?.openedAt?.getTime() ?? 0)) / 1000
    expect(lease?.result).to.include({ tokens_per_second: STATED })
    // The quote reads about as many rows as the fit.
    expect(rental?.speed)
      .to.be.above(0)
      .and.at.most((2 * tokens) / seconds)
  })

  it('is ended before its adapter is fetched: it costs money until then', () => {
    expect(runningAtFetch).to.have.length.above(0)
    expect(runningAtFetch.every((count) => count === 0)).to.equal(true)
  })
})

function activityType(): string | undefined {
  try {
    return Context.current().info.activityType
  } catch {
    return undefined
  }
}
