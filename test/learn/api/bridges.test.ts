import { expect } from 'chai'
import type { Limits } from '../../../core/limits.ts'
import { SAVING_FORMULA } from '../../../core/learn/traffic/saving.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../support/api.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { givenKey } from '../../support/people/given-keys.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { observeNow } from './observe-now.ts'

const CANARY = 'ada.lovelace@example.org'
const TICKETS = [
  ['where is my parcel', 'shipping'],
  ['where is my parcel now', 'shipping'],
  ['the invoice is wrong', 'billing'],
  ['the invoice is wrong again', 'billing'],
  ['where is my second parcel', 'shipping'],
] as const

describe('bridges from traffic to the compiler', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })
  const call = async (method: string, path: string, body?: unknown, key = tenant.key) =>
    await api.call(method, path, { key, ...(body !== undefined && { body }) })
  const observe = async (prompt: string, response: string, more: object = {}, key = tenant.key) => {
    const body = { namespace: 'support', model: 'gpt-4o-mini', prompt, response, ...more }
    const answer = await call('POST', '/v1/bridges/observe', body, key)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body
  }
  const observeTickets = async (more: object = { cost_usd: 0.01, latency_ms: 400 }) => {
    const answers = []
    for (const [text, team] of TICKETS) answers.push(await observe(`Classify the ticket: ${text}`, team, more))
    return answers
  }
  const update = async (id: string, body: object) => await call('POST', `/v1/bridges/observations/${id}`, body)
  const suggestions = async (query = '', key = tenant.key) =>
    (await call('GET', `/v1/bridges/suggestions${query}`, undefined, key)).body
  const tick = async (limits: Partial<Limits> = {}) => await observeNow(database.db, limits)

  it('suggest a compile from the fourth call of a template on, with the saving and all that it follows from', async () => {
    const answers = await observeTickets()
    expect(answers.map((answer) => answer.cluster_size)).to.deep.equal([1, 2, 3, 4, 5])
    expect(answers.map((answer) => answer.ready_for_synthesis)).to.deep.equal([false, false, false, true, true])
    expect(answers[2].suggestion).to.equal(null)
    expect(new Set(answers.map((answer) => answer.template_hash)).size).to.equal(1)
    const last = answers[4]
    expect(last).to.deep.include({ secret_values_included: false })
    expect(last.persisted).to.deep.equal({ namespace: 'support', durable: true, redaction_applied: [] })
    const { saving, ...suggestion } = last.suggestion
    expect(suggestion).to.deep.include({ count: 5, approved: 0, approvals_missing: 4 })
    expect(saving).to.deep.include({ formula: SAVING_FORMULA, observed_days: 1 })
    expect(saving.cost_usd).to.deep.include({ value: 0.05, n: 5, how: 'as callers stated it' })
    expect(saving.usd_per_month).to.be.closeTo(0.05 * 30 * saving.hit_rate.value, 1e-6)
    expect((await suggestions()).total).to.equal(0)
    await tick()
    const { total, suggestions: listed } = await suggestions('?namespace=support')
    expect(total).to.equal(1)
    expect(listed[0]).to.deep.include({
      template_hash: last.template_hash,
      namespace: 'support',
      model: 'gpt-4o-mini',
      count: 5,
      total_cost_usd: 0.05,
      total_latency_ms: 2000,
      avg_latency_ms: 400,
      template_preview: 'Classify the ticket: where is my second parcel',
      compile: null,
    })
    expect(listed[0].saving).to.deep.equal(saving)
    expect(listed[0].examples).to.have.length(5)
    expect(listed[0].examples[0]).to.deep.include({ expected: 'shipping' })
    expect((await suggestions('?namespace=elsewhere')).total).to.equal(0)
    expect((await tick()).counted).to.equal(0)
  })

  it('know no saving where no cost is known', async () => {
    const answers = await observeTickets({})
    const { suggestion } = answers[4]
    expect(suggestion.est_savings_per_month_usd).to.equal(null)
    expect(suggestion.saving.cost_usd).to.deep.include({ basis: 'not_measured' })
  })

  it('list observations, and discard, keep and restore them', async () => {
    const [first, second] = await observeTickets()
    const list = async (query = '') => (await call('GET', `/v1/bridges/observations?${query}`)).body
    const page = await list('namespace=support&limit=2')
    expect(page).to.deep.include({ total: 5, namespaces: ['support'], ready_to_distill: [], since_applied: null })
    expect(page.observations).to.have.length(2)
    expect((await list(`limit=200&cursor=${page.next_cursor}`)).observations).to.have.length(3)
    const discarded = await update(first.observation_id, { discarded: true })
    expect(discarded.body).to.deep.include({ discarded: true, kept: false, status: 'rejected' })
    await expectAudited(setUpOperation(database.db, tenant.id), 'capture.reviewed', first.observation_id)
    expect((await list()).total).to.equal(4)
    const all = await list('include_discarded=1')
    expect(all.observations.map((each: { discarded: boolean }) => each.discarded)).to.deep.equal([
      false,
      false,
      false,
      false,
      true,
    ])
    expect((await update(first.observation_id, { discarded: false })).body.status).to.equal('pending')
    expect((await update(second.observation_id, { kept: true })).body).to.deep.include({ kept: true })
    expect((await update(second.observation_id, { kept: false, discarded: false })).body.status).to.equal('pending')
    expect((await list(`since=${new Date(Date.now() + 60_000).toISOString()}`)).total).to.equal(0)
    for (const wrong of [{}, { discarded: 'yes' }, { kept: true, discarded: true }]) {
      expect((await update(first.observation_id, wrong)).status).to.equal(400)
    }
    const unknown = first.observation_id.replace(/.$/, (char: string) => (char === '0' ? '1' : '0'))
    expect((await update(unknown, { kept: true })).status).to.equal(404)
  })

  it('start a compile of approved captures, which the answer, the job and the observations name', async () => {
    const answers = await observeTickets()
    const { template_hash: hash } = answers[0]
    const synthesize = async (body: object) => await call('POST', '/v1/bridges/auto-synthesize', body)
    const early = await synthesize({ template_hash: hash })
    expect([early.status, early.body.code]).to.deep.equal([400, 'too_few_observations'])
    expect(early.body.details).to.deep.include({ observed: 5, approved: 0, needed: 4 })
    for (const { observation_id: id } of answers.slice(0, 4)) await update(id, { kept: true })
    await call('POST', `/v1/captures/${answers[0].observation_id}/review`, { action: 'approve', fixed_output: 'depot' })
    await update(answers[4].observation_id, { discarded: true })
    await tick()
    const [listed] = (await suggestions()).suggestions
    expect(listed).to.deep.include({ count: 4, approved: 4, approvals_missing: 0 })
    const order = { template_hash: hash, name: 'Ticket router', k_score_floor: 0.5 }
    const headers = { 'idempotency-key': 'once' }
    const once = async () =>
      await api.call('POST', '/v1/bridges/auto-synthesize', { key: tenant.key, headers, body: order })
    const started = await once()
    expect(started.status, started.text).to.equal(202)
    await update(answers[4].observation_id, { kept: true })
    expect((await once()).body.job_id).to.equal(started.body.job_id)
    await update(answers[4].observation_id, { discarded: true })
    expect(started.body).to.deep.include({
      namespace: 'support',
      observations: 4,
      task: 'Ticket router: classify the ticket:',
    })
    const job = await call('GET', started.body.poll)
    expect(job.body, job.text).to.deep.include({ task: started.body.task, k_score_floor: 0.5 })
    const used = await sendSql<{ id: string }>(
      database.db,
      'select capture_id as id from compile_captures where job_id = $1 order by 1',
      [started.body.job_id],
    )
    expect(used.map(({ id }) => id)).to.deep.equal(answers.slice(0, 4).map((answer) => answer.observation_id))
    expect((await suggestions()).suggestions[0].compile).to.deep.equal({
      job_id: started.body.job_id,
      status: 'queued',
    })
    expect((await synthesize({ template_hash: 'ts1:0000000000000000' })).status).to.equal(404)
    expect((await synthesize({ template_hash: 'ts1:' })).status).to.equal(400)
    expect((await synthesize({})).status).to.equal(400)
  })

  it('show the instructions that their calls have in common', async () => {
    const instructions = 'Name the queue of a support ticket in one lower-case word.'
    const tickets = ['Where is it?', 'I paid twice', 'The lock is stuck', 'Nothing came']
    const items = tickets.map((ticket) => ({ input: `system: ${instructions}\n\nuser: ${ticket}`, output: 'depot' }))
    expect((await call('POST', '/v1/capture/log', { namespace: 'queues', items })).status).to.equal(201)
    await tick()
    const [listed] = (await suggestions('?namespace=queues')).suggestions
    expect(listed).to.deep.include({ count: 4, template_preview: instructions })
    expect(listed.examples[0].input).to.equal('Nothing came')
  })

  it('ask for the namespace where several have the template, and count each alone', async () => {
    await observeTickets()
    const [first] = await observeTickets({ namespace: 'sales' })
    expect(first.cluster_size).to.equal(1)
    await tick()
    const { suggestions: listed } = await suggestions()
    expect(listed.map((each: { namespace: string }) => each.namespace).toSorted()).to.deep.equal(['sales', 'support'])
    const answer = await call('POST', '/v1/bridges/auto-synthesize', { template_hash: first.template_hash })
    expect([answer.status, answer.body.error]).to.deep.equal([
      400,
      'namespace: is required: this template has captures in sales, support',
    ])
    const bound = await givenKey(database.db, { tenantId: tenant.id, scopes: ['namespace:sales', 'capture:*'] })
    const within = await suggestions('', bound.key)
    expect(within.suggestions.map((each: { namespace: string }) => each.namespace)).to.deep.equal(['sales'])
    expect((await call('GET', '/v1/bridges/suggestions?namespace=support', undefined, bound.key)).status).to.equal(403)
    expect((await call('GET', '/v1/bridges/observations', undefined, bound.key)).body.namespaces).to.deep.equal([
      'sales',
    ])
    const outsider = await givenApiTenant(api)
    expect((await suggestions('', outsider.key)).total).to.equal(0)
    expect((await update(first.observation_id, { kept: true })).status).to.equal(200)
    const foreign = `/v1/bridges/observations/${first.observation_id}`
    expect((await call('POST', foreign, { kept: true }, outsider.key)).status).to.equal(404)
  })

  it('join templates that are alike, and keep the largest clusters', async () => {
    const ask = (desk: string) =>
      `Read the ticket of a customer of the ${desk} and name the team that handles it, in one word out of shipping, billing and returns: my parcel`
    const answers = []
    for (const desk of ['north', 'south', 'east', 'west']) answers.push(await observe(ask(desk), 'shipping'))
    expect(new Set(answers.map((answer) => answer.template_hash)).size).to.equal(4)
    expect((await tick()).joined).to.be.at.least(3)
    const [listed] = (await suggestions()).suggestions
    expect(listed).to.deep.include({ count: 4 })
    expect(answers.map((answer) => answer.template_hash)).to.include(listed.template_hash)
    expect(listed.template_hashes).to.have.length(4)
    expect((await observe(ask('west'), 'shipping')).cluster_size).to.equal(5)
    await observe('What is the capital of Peru?', 'Lima')
    await tick({ traffic_templates_per_tenant: 4 })
    expect(
      await sendSql(database.db, 'select 1 from traffic_templates where tenant_id = $1', [tenant.id]),
    ).to.have.length(4)
    expect((await suggestions()).suggestions[0].count).to.equal(5)
  })

  it('hold nothing of what was forgotten, before the workflow has seen it and after', async () => {
    await call('PUT', '/v1/gateway/namespaces/support', { privacy_policy: 'allow', redact_mode: 'detect_only' })
    const answers = await observeTickets()
    const secret = await observe(`Classify the ticket: I am ${CANARY}`, CANARY)
    for (const { observation_id: id } of [...answers.slice(0, 3), secret]) await update(id, { kept: true })
    await tick()
    expect(JSON.stringify(await suggestions())).to.contain(CANARY)
    const forget = { confirm: true, capture_id: secret.observation_id, reason: 'user_request' }
    expect((await call('POST', '/v1/captures/forget', forget)).status).to.equal(200)
    const read = async () => {
      const { suggestions: listed } = await suggestions()
      expect(listed[0]).to.deep.include({ count: 5, approved: 3 })
      expect(JSON.stringify(listed)).not.to.contain(CANARY)
    }
    await read()
    const body = { template_hash: secret.template_hash }
    expect((await call('POST', '/v1/bridges/auto-synthesize', body)).body.code).to.equal('too_few_observations')
    expect((await tick()).counted).to.equal(1)
    await read()
    for (const { observation_id: id } of answers) {
      await call('POST', '/v1/captures/forget', { ...forget, capture_id: id })
    }
    expect((await suggestions()).total).to.equal(0)
    await tick()
    for (const table of ['traffic_templates', 'cluster_compiles']) {
      expect(await sendSql(database.db, `select 1 from ${table} where tenant_id = $1`, [tenant.id])).to.have.length(0)
    }
  })

  it('take calls of any form that has two parts, under the policy of the namespace and the rights of the caller', async () => {
    const bad = [{}, { prompt: 'x' }, { response: 'x' }, { prompt: '', response: 'x' }, { payload: { a: 1 } }]
    for (const body of [
      ...bad,
      { prompt: 'x', response: 'y', cost_usd: -1 },
      { prompt: 'x', response: 'y', direction: 'up' },
    ]) {
      expect((await call('POST', '/v1/bridges/observe', body)).status, JSON.stringify(body)).to.equal(400)
    }
    const event = await call('POST', '/v1/bridges/observe', { event: { ticket: 7 }, result: { team: 'billing' } })
    expect(event.body, event.text).to.deep.include({ cluster_size: 1 })
    const reader = await givenKey(database.db, { tenantId: tenant.id, scopes: ['capture:read'] })
    const one = { prompt: 'x', response: 'y' }
    expect((await call('POST', '/v1/bridges/observe', one, reader.key)).status).to.equal(403)
    await call('PUT', '/v1/gateway/namespaces/support', { privacy_policy: 'block' })
    const blocked = await call('POST', '/v1/bridges/observe', { ...one, namespace: 'support', prompt: `to ${CANARY}` })
    expect([blocked.status, blocked.body.code]).to.deep.equal([403, 'privacy_policy_blocked'])
    expect(blocked.body.details.blocked_classes).to.deep.equal(['email'])
    await call('PUT', '/v1/gateway/namespaces/silent', { capture_mode: 'metadata_only' })
    const silent = await call('POST', '/v1/bridges/observe', { ...one, namespace: 'silent' })
    expect(silent.body).to.deep.include({ template_hash: null, cluster_size: 0, suggestion: null })
  })
})
