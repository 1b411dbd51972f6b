import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { loadEnvironment } from '../../../config/environment.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../support/api.ts'
import { givenPlan } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { rentalSettings } from '../../support/workflows/rentals/given-rentals.ts'
import { Market } from '../../support/workflows/rentals/market.ts'
import { startPods, type ProviderServer } from '../../support/workflows/rentals/providers.ts'

const KEY = 'the-key-of-the-operator'
const BASES = fileURLToPath(new URL('../../../bases', import.meta.url))
const LIMITS = { cloud_probes_per_ip_minute: 100 }

describe('lanes of rented machines', () => {
  const database = useDatabase()
  const stores = () => ({ database, temporal: NO_TEMPORAL })
  const market = new Market({ key: KEY, usdPerHour: 3 })
  let pods: ProviderServer
  let url = ''
  const rentals = (key: string) => rentalSettings({ lane: 'gpu_pods', key, usdPerHour: 3, url: () => url })
  const publicUrl = 'http://svc.test'
  const configured = useApi({
    stores,
    limits: LIMITS,
    settings: { baseFolders: [BASES], rentals: rentals(KEY), publicUrl },
  })
  const refused = useApi({ stores, limits: LIMITS, settings: { rentals: rentals('another-key'), publicUrl } })
  const none = useApi({ stores, limits: LIMITS, settings: { rentals: loadEnvironment({}).rentals, publicUrl } })
  let tenant: ApiTenant
  before(async () => {
    pods = await startPods(market)
    url = pods.url
    tenant = await givenApiTenant(configured)
    await givenPlan(database.db, tenant.id, 'pro')
  })
  after(async () => await pods.close())

  type Api = typeof configured
  const probed = async (api: Api) => {
    const { body } = await api.call('POST', '/v1/cloud/readiness', { key: tenant.key, body: {} })
    return (id: string) => body.cloud.providers.find((slot: { id: string }) => slot.id === id)
  }
  const ranked = async (api: Api, more: object = {}, key = tenant.key) => {
    const asked = { workload: 'train', params_b: 3, rows: 1000, dataset: 'rows.jsonl', ...more }
    const { body, status, text } = await api.call('POST', '/v1/cloud/broker', { key, body: asked })
    expect(status, text).to.equal(200)
    return body.ranked.find(({ id }: { id: string }) => id === 'gpu_pods')
  }

  it('are ready when the provider lists the machines of the account, and rent nothing to find out', async () => {
    const slot = await probed(configured)
    expect(slot('gpu_pods')).to.include({ state: 'ready' })
    expect(slot('gpu_vm')).to.deep.include({
      state: 'not_configured',
      missing: ['SVC_RENTAL_IMAGE', 'SVC_GPU_VM_KEY'],
    })
    expect(market.machines).to.have.length(0)
    const other = (await probed(refused))('gpu_pods')
    expect([other.state, other.last_probe.outcome]).to.deep.equal(['failed', 'unauthorized'])
    expect((await probed(none))('gpu_pods')).to.include({ state: 'not_configured' })
  })

  it('are ranked with the price of the operator, and with the command that rents or quotes', async () => {
    const lane = await ranked(configured, { budget_usd: 20 })
    expect(lane).to.include({ state: 'ready', configured: true })
    expect(lane.run_command).to.equal("svc cloud compile --lane gpu_pods --budget 20 -- 'rows.jsonl'")
    // 750 batches of 4 rows of 1,024 tokens, twice, at 6,000 tokens a second and 3 US dollars an hour.
    expect(lane.estimate).to.include({ basis: 'not_measured', tokens_per_second: 6000, cost_usd: 0.8533 })
    expect((await ranked(configured)).run_command).to.match(/^svc cloud quote --lane gpu_pods -- /)
    expect(await ranked(configured, { workload: 'serve' })).to.include({ state: 'not_available' })
  })

  it('need a key: of the caller, or of the operator where the plan has an allowance for it', async () => {
    expect(await ranked(none)).to.include({ state: 'needs_configuration', run_command: null })
    const free = await givenApiTenant(configured)
    expect(await ranked(configured, {}, free.key)).to.include({ state: 'needs_configuration' })
    const body = { provider: 'gpu_pods', value: 'a-key-of-the-caller-0123' }
    expect((await configured.call('POST', '/v1/account/provider-keys', { key: free.key, body })).status).to.equal(200)
    expect(await ranked(configured, {}, free.key)).to.include({ state: 'ready' })
  })

  it('answer a repeated submission with its job, even when the key that would pay is gone', async () => {
    const { key } = await givenApiTenant(configured)
    const path = '/v1/account/provider-keys'
    const stored = await configured.call('POST', path, {
      key,
      body: { provider: 'gpu_pods', value: 'a-key-0123456789' },
    })
    expect(stored.status, stored.text).to.equal(200)
    const submit = async (name: string) =>
      await configured.call('POST', '/v1/cloud/distill/submit', {
        key,
        headers: { 'idempotency-key': name },
        body: { namespace: 'support', provider: 'gpu_pods', budget_usd: 5 },
      })
    const first = await submit('once')
    expect(first.status, first.text).to.equal(202)
    await configured.call('DELETE', `${path}/${stored.body.key.id}`, { key })
    expect((await submit('twice')).body.code).to.equal('rental_not_configured')
    expect((await submit('once')).body).to.include({ job_id: first.body.job_id, idempotent_replay: true })
  })
})
