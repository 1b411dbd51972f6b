import { expect } from 'chai'
import type { GivenCall } from '../../../support/db/given-captures.ts'
import { aCapture } from '../../../support/db/given-captures.ts'
import { routeFacts } from '../../../support/providers/given-record.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { givenScopedKey } from '../../../support/people/given-keys.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'
import { commitCaptures } from '../../../../db/gateway/across/commit-captures.ts'
import { countCalls } from '../../../../db/gateway/across/count-calls.ts'
import { mergeTenant } from '../../../../db/overview/across/merge-tenant.ts'
import { service } from '../../../../db/kernel/queries/service.ts'
import { loadSigningKeys } from '../../../../db/ledger/across/signing-keys.ts'

const DAY_MS = 86_400_000
const OWN = {
  provider: '.svc',
  model: 'job_1',
  costMicros: 0,
  route: routeFacts({ decision: 'local', artifactId: 'job_1', confidence: 0.9 }),
} satisfies GivenCall

describe('the dashboard of the gateway', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })

  const given = async (calls: readonly GivenCall[], tenantId = tenant.id) => {
    const { current } = await loadSigningKeys(database.db)
    const now = Date.now()
    const captures = calls.map((call, i) => aCapture(tenantId, { at: new Date(now + i), ...call }))
    await commitCaptures(
      database.db,
      current,
      captures.map((capture) => ({ capture, blobSha256: null, bytes: 0 })),
      new Date(),
    )
  }
  const read = async (query = '', key = tenant.key) => await api.call('GET', `/v1/gateway/dashboard${query}`, { key })
  const count = async () => await countCalls(database.db, new AbortController().signal)
  const attempt = { provider: 'openai', model: 'gpt-4o-mini', failure: 'overloaded', status: 503, ms: 9 } as const

  it('has no calls, no shares and no confidence before the first call', async () => {
    const { status, body, text } = await read()
    expect(status, text).to.equal(200)
    expect(body).to.deep.include({ recent_calls: [], by_provider: [], by_day: [], namespaces: [], routes: [] })
    expect(body.metrics).to.deep.include({ total_calls: 0, local_pct: null, saved_usd: 0, mean_confidence: null })
  })

  it('sums calls, costs, savings, times and failures, and the sums of the chore agree with those of the rows', async () => {
    await given([
      { latencyMs: 100, firstContentMs: 20, isStreamed: true, costMicros: 500, frontierCostMicros: 500 },
      { latencyMs: 1000, costMicros: 700, frontierCostMicros: 700, namespace: 'support' },
      { ...OWN, frontierCostMicros: 400, latencyMs: 2, namespace: 'support' },
      { ...OWN, frontierCostMicros: null, route: { ...OWN.route, confidence: 0.7 } },
      { outcome: 'failed', status: 503, errorCode: 'upstream_error', costMicros: 900, attempts: [attempt] },
      {
        provider: 'anthropic',
        model: 'mystery',
        costMicros: null,
        attempts: [attempt, { ...attempt, provider: 'anthropic', failure: null }],
        route: routeFacts({ fallbackReason: 'upstream_5xx' }),
      },
      { costMicros: 0, frontierCostMicros: 300, latencyMs: 1, route: routeFacts({ cache: 'hit' }) },
      { at: new Date(Date.now() - 40 * DAY_MS), costMicros: 1_000_000 },
    ])
    const { body } = await read()
    expect(body.metrics).to.deep.equal({
      total_calls: 7,
      failed_calls: 1,
      local_calls: 2,
      frontier_calls: 4,
      local_pct: 33.33,
      frontier_pct: 66.67,
      cost_usd: 0.0012,
      unpriced_calls: 1,
      saved_usd: 0.0004,
      mean_confidence: 0.8,
      cache_hits: 1,
    })
    expect(body.savings.local).to.deep.equal({ calls: 1, unknown_calls: 1, saved_usd: 0.0004 })
    expect(body.savings.cache).to.deep.equal({ calls: 1, unknown_calls: 0, saved_usd: 0.0003 })
    expect(body.savings.formula).to.contain('sum over locally answered calls')
    expect(body.routes).to.deep.include({ route_decision: 'frontier', fallback_reason: 'upstream_5xx', calls: 1 })
    const openai = body.by_provider[0]
    expect(openai).to.deep.include({ provider: 'openai', calls: 4, failed_calls: 1, failed_attempts: 2 })
    expect(openai.latency_ms.p50).to.be.within(95, 105)
    expect(openai.latency_ms.p95).to.be.within(950, 1050)
    expect(openai.latency_ms.calls).to.equal(2)
    expect(openai.first_content_ms).to.deep.include({ calls: 1 })
    expect(openai.breaker).to.deep.include({ state: 'closed' })
    const own = body.by_provider.find(({ provider }: { provider: string }) => provider === '.svc')
    expect(own).to.deep.include({ route_decision: 'local', calls: 2, first_content_ms: null, breaker: null })
    expect(body.namespaces).to.deep.equal([
      { namespace: 'default', calls: 5 },
      { namespace: 'support', calls: 2 },
    ])
    expect(body.recent_calls).to.have.length(8)
    expect(body.recent_calls[0]).to.deep.include({ route_decision: 'frontier', cache: 'hit', cost_usd: 0 })

    await count()
    const { request_id: _one, ...rest } = body
    const { request_id: _two, ...counted } = (await read()).body
    expect(counted).to.deep.equal(rest)
    // What came since is added to the sums.
    await given([{ ...OWN, frontierCostMicros: 600 }])
    expect((await read()).body.metrics).to.deep.include({ total_calls: 8, saved_usd: 0.001 })
    await count()
    await count()
    expect((await read()).body.metrics).to.deep.include({ total_calls: 8, saved_usd: 0.001 })
    expect((await read('?namespace=support')).body.metrics).to.deep.include({ total_calls: 2, mean_confidence: 0.9 })
  })

  it('counts a call without an answer that its provider may bill among those of unknown cost', async () => {
    const failed = { outcome: 'failed', status: 504, errorCode: 'provider_timeout', answer: null } as const
    await given([
      { ...failed, costMicros: null },
      { ...failed, costMicros: 0 },
    ])
    const { metrics, by_provider: providers } = (await read()).body
    expect(metrics).to.deep.include({ total_calls: 2, failed_calls: 2, cost_usd: 0, unpriced_calls: 1 })
    expect(providers[0]).to.deep.include({ provider: 'openai', unpriced_calls: 1 })
  })

  it('shows a bound key the calls of its namespaces, and another tenant none', async () => {
    await given([{}, { namespace: 'support' }, { namespace: 'support' }])
    const { key } = await givenScopedKey(api, tenant.key, {
      name: 'support',
      scopes: ['capture:read', 'namespace:support'],
    })
    for (const chore of [async () => 0, count]) {
      await chore()
      const { body } = await read('', key)
      expect(body.metrics.total_calls).to.equal(2)
      expect(body.namespaces).to.deep.equal([{ namespace: 'support', calls: 2 }])
      expect(body.recent_calls).to.have.length(2)
    }
    expect((await read('?namespace=default', key)).status).to.equal(403)
    const { key: other } = await givenScopedKey(api, tenant.key, { name: 'calls', scopes: ['gateway:call'] })
    expect((await read('', other)).body.code).to.equal('insufficient_scope')
    const stranger = await givenApiTenant(api)
    expect((await read('', stranger.key)).body.metrics.total_calls).to.equal(0)
  })

  it('counts the calls of a merged workspace once, those that were counted there and those that were not', async () => {
    const workspace = await givenApiTenant(api)
    await given([{}, {}], workspace.id)
    await given([{}])
    await count()
    await given([{}, {}, {}], workspace.id)
    await given([{}])
    await service.write(database.db, 'a merge is of two tenants', async (tx) => {
      await mergeTenant(tx, setUpOperation(database.db, tenant.id), { sourceTenantId: workspace.id })
    })
    expect((await read()).body.metrics.total_calls).to.equal(7)
    await count()
    expect((await read()).body.metrics.total_calls).to.equal(7)
    const rows = await sendSql<{ position: number }>(
      database.db,
      'select position from captures where tenant_id = $1 order by position',
      [tenant.id],
    )
    expect(rows.map(({ position }) => position)).to.deep.equal([1, 2, 3, 4, 5, 6, 7])
  })
})
