import { expect } from 'chai'
import { METERS } from '../../../core/billing/meters.ts'
import { insertKey } from '../../../db/accounts/keys/insert-key.ts'
import { mintKey } from '../../../db/accounts/keys/key-text.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../support/api.ts'
import { findOwner, givenMember, givenPlan, givenSession, setUpOperation } from '../../support/people/given-members.ts'
import { givenProgramVersion } from '../../support/archives/signed-artifacts.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'

const seen = ({ status, body }: Answer): readonly unknown[] => [status, body.code]

describe('usage', () => {
  const api = useApi()
  const db = () => api.server.services.db
  const op = (tenant: ApiTenant) => setUpOperation(db(), tenant.id)
  const givenKey = async (
    tenant: ApiTenant,
    given: { readonly memberId: string; readonly teamId?: string; readonly scopes: readonly string[] },
  ): Promise<string> => {
    const minted = await mintKey(db().hashSlots, 'ks')
    await tenantOf(db(), tenant.id).write(async (tx) => {
      insertKey(tx, { ...given, minted, kind: 'scoped', tenantId: tenant.id, now: new Date() })
    })
    return minted.apiKey
  }
  const givenConcept = async (tenant: ApiTenant): Promise<string> =>
    (await givenProgramVersion(op(tenant), api.server.services.signingKeys.current)).conceptId
  const run = async (key: string, concept: string, times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      const body = { concept_id: concept, input: `input ${i}`, use_cache: false, receipt: false }
      const answer = await api.call('POST', '/v1/run', { key, body })
      expect(answer.status, answer.text).to.equal(200)
    }
    await api.server.services.invocations.flush()
    await api.server.services.meter.flush()
  }
  const month = new Date().toISOString().slice(0, 7)

  it('lists its meters with the caps that the plan enforces', async () => {
    const tenant = await givenApiTenant(api)
    const { body } = await api.call('GET', '/v1/billing/meters', { key: tenant.key })
    expect(body.total).to.equal(METERS.length)
    expect(body.billing_units).to.have.length(11)
    const meter = (id: string) => body.meters.find((each: { id: string }) => each.id === id)
    expect(meter('gateway_calls')).to.include({ billable: true, tier_hard: 10_000, tier_soft: 9000 })
    expect(meter('builds')).to.include({ tier_hard: 1000, tier_soft: 800 })
    expect(meter('team_seats')).to.include({ tier_hard: 1 })
    expect(meter('optimization_runs')).to.include({ counts: 'period' }).and.not.have.property('tier_hard')
    expect(meter('replay_runs')).to.include({ counts: 'none' })
  })

  it('counts calls, builds and units of a month, by day', async () => {
    const tenant = await givenApiTenant(api)
    const concept = await givenConcept(tenant)
    await run(tenant.key, concept, 3)
    const { body } = await api.call('GET', '/v1/billing/usage', { key: tenant.key })
    expect(body).to.include({ tenant_id: tenant.id, period: month, quota: 10_000, used: 13 })
    expect(body.meters).to.include({
      gateway_calls: 3,
      builds: 1,
      artifact_signing: 1,
      private_registry_artifacts: 1,
      compile_jobs: 1,
      quota_units: 13,
      team_seats: 1,
      optimization_runs: 0,
    })
    expect(body.meters.storage_bytes).to.be.greaterThan(100)
    const charged = body.days.reduce((sum: number, day: { used: number }) => sum + day.used, 0)
    expect(charged).to.equal(13)
    expect(body.over_hard).to.deep.equal(['team_seats'])
    const past = await api.call('GET', '/v1/billing/usage?period=2020-02', { key: tenant.key })
    expect(past.body).to.deep.include({ period: '2020-02', used: 0, days: [] })
    expect(past.body.meters).not.to.have.property('storage_bytes')
    for (const period of ['2020-13', '2020-1', 'now']) {
      const wrong = await api.call('GET', `/v1/billing/usage?period=${period}`, { key: tenant.key })
      expect(seen(wrong)).to.deep.equal([400, 'invalid_period'])
    }
  })

  it('does not count an answer from the cache', async () => {
    const tenant = await givenApiTenant(api)
    const concept = await givenConcept(tenant)
    for (let i = 0; i < 3; i++) {
      await api.call('POST', '/v1/run', { key: tenant.key, body: { concept_id: concept, input: 'same' } })
    }
    await api.server.services.invocations.flush()
    const { body } = await api.call('GET', '/v1/billing/usage', { key: tenant.key })
    expect(body.meters).to.include({ gateway_calls: 1, quota_units: 11 })
  })

  it('is broken down by the namespace that a key is bound to', async () => {
    const tenant = await givenApiTenant(api)
    const concept = await givenConcept(tenant)
    const owner = await findOwner(op(tenant))
    const bound = await givenKey(tenant, { memberId: owner.id, scopes: ['run', 'namespace:support'] })
    await sendSql(
      api.server.services.db,
      `update compile_jobs set spec = json_build_object('corpus_namespace', 'support') where tenant_id = $1`,
      [tenant.id],
    )
    await run(bound, concept, 2)
    await run(tenant.key, concept, 1)
    const { body } = await api.call('GET', '/v1/billing/breakdown', { key: tenant.key })
    expect(body).to.include({ by: 'namespace', period: month, tenant_id: tenant.id })
    expect(body.totals).to.include({ calls: 3, builds: 1, units: 13, cost_usd: 0 })
    const by = Object.fromEntries(body.namespaces.map((each: { namespace: string }) => [each.namespace, each]))
    expect(by['support']).to.include({ calls: 2, builds: 0, units: 2 })
    expect(by['default']).to.include({ calls: 1, builds: 1, units: 11 })
    expect(by['support'].latency_ms_avg).to.be.greaterThan(0)
  })

  it('of a team is what its keys used, all of it for its admins, the own part for others, nothing for outsiders', async () => {
    const tenant = await givenApiTenant(api)
    await givenPlan(db(), tenant.id, 'teams')
    const owner = await findOwner(op(tenant))
    const member = await givenMember(op(tenant), { role: 'member' })
    const outsider = await givenMember(op(tenant), { role: 'admin' })
    const made = await api.call('POST', '/v1/teams', { key: tenant.key, body: { name: 'Research' } })
    const teamId: string = made.body.team.id
    await api.call('POST', `/v1/teams/${teamId}/invite`, { key: tenant.key, body: { email: member.email } })
    const concept = await givenConcept(tenant)
    const scopes = ['run', 'billing:read']
    const own = await givenKey(tenant, { memberId: member.id, teamId, scopes })
    const ofOwner = await givenKey(tenant, { memberId: owner.id, teamId, scopes })
    await run(own, concept, 2)
    await run(ofOwner, concept, 3)
    // Work outside of the team.
    await run(tenant.key, concept, 4)
    const reporter = await givenKey(tenant, { memberId: member.id, teamId, scopes: ['control:write'] })
    const event = { key: reporter, body: { payload: { text: 'seen' } } }
    expect((await api.call('POST', '/v1/account/api-control-center/events', event)).status).to.equal(201)
    await api.server.services.invocations.flush()

    const path = `/v1/billing/breakdown?by=team&team_id=${teamId}`
    const all = (await api.call('GET', path, { key: tenant.key })).body
    expect(all).to.include({
      by: 'team',
      team_id: teamId,
      team_slug: 'research',
      caller_role: 'owner',
      privileged: true,
    })
    expect(all.totals).to.include({ calls: 5, captures: 1, units: 6 })
    const rows = Object.fromEntries(all.members.map((row: { member_id: string }) => [row.member_id, row]))
    expect(rows[member.id]).to.include({ calls: 2, captures: 1, email: member.email })
    expect(rows[owner.id].namespaces[0]).to.include({ namespace: 'default', calls: 3 })

    const mine = (await api.call('GET', path, { key: own })).body
    expect(mine).to.include({ caller_role: 'member', privileged: false })
    expect(mine.members.map((row: { member_id: string }) => row.member_id)).to.deep.equal([member.id])
    expect(mine.totals).to.include({ calls: 2 })

    const stranger = await givenApiTenant(api)
    expect(seen(await api.call('GET', path, { key: stranger.key }))).to.deep.equal([403, 'forbidden'])
    const viewer = await givenKey(tenant, { memberId: (await givenMember(op(tenant), { role: 'viewer' })).id, scopes })
    expect(seen(await api.call('GET', path, { key: viewer }))).to.deep.equal([403, 'forbidden'])
    // Those who run the organisation run its teams.
    const { headers } = await givenSession(db(), outsider)
    expect((await api.call('GET', path, { headers: { ...headers } })).body.caller_role).to.equal('admin')
    for (const [query, status, code] of [
      ['by=team', 400, 'invalid_value'],
      ['by=team&team_id=team_not_mine', 404, 'not_found'],
      ['by=planet', 400, 'invalid_value'],
      ['period=May', 400, 'invalid_period'],
    ] as const) {
      const answer = await api.call('GET', `/v1/billing/breakdown?${query}`, { key: tenant.key })
      expect(seen(answer), query).to.deep.equal([status, code])
    }
  })
})
