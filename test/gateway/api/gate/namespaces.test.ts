import { expect } from 'chai'
import { chargeAbandoned } from '../../../../db/gateway/across/charge-abandoned.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { givenApiTenant } from '../../../support/api.ts'
import { givenScopedKey } from '../../../support/people/given-keys.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { MODELS, useGateway } from '../inference/given-gateway.ts'

const PATH = '/v1/gateway/namespaces'

describe('settings of a namespace', () => {
  const gateway = useGateway({ gateway_namespaces_per_tenant: 2 }, { isTwice: true })
  const put = async (key: string, namespace: string, body: object) =>
    await gateway.api.call('PUT', `${PATH}/${namespace}`, { key, body })

  it('have defaults, are replaced as a whole, and are audited without their texts', async () => {
    const { key, id } = await givenApiTenant(gateway.api)
    const none = await gateway.api.call('GET', `${PATH}/support`, { key })
    expect(none.body.namespace).to.deep.include({ namespace: 'support', updated_at: null })
    expect(none.body.namespace.settings).to.include({
      privacy_policy: 'redact',
      when_left: 'cancel',
      durable: 'grouped',
    })
    const rule = { name: 'aurora', pattern: 'keyword:project aurora', action: 'block' }
    const stored = await put(key, 'support', { privacy_policy: 'block', guardrails: [rule], budget_usd_month: 12.5 })
    expect(stored.status, stored.text).to.equal(200)
    // What has to agree with the policy follows it.
    expect(stored.body.namespace.settings).to.include({
      redact_mode: 'block',
      capture_mode: 'block',
      when_left: 'cancel',
    })
    const { payload } = await expectAudited(setUpOperation(gateway.api.server.services.db, id), 'namespace.configured')
    expect(payload).to.deep.include({
      changes: {
        capture_mode: { from: 'redact_all', to: 'block' },
        redact_mode: { from: 'redact_all', to: 'block' },
        privacy_policy: { from: 'redact', to: 'block' },
        guardrails: 'changed',
        budget_usd_month: { from: null, to: 12.5 },
      },
    })
    expect((await put(key, 'support', { when_left: 'drain' })).body.namespace.settings).to.include({
      privacy_policy: 'redact',
      when_left: 'drain',
      budget_usd_month: null,
    })
    const list = await gateway.other.call('GET', PATH, { key })
    expect(list.body.namespaces.map(({ namespace }: { namespace: string }) => namespace)).to.deep.equal(['support'])
    const other = await givenApiTenant(gateway.api)
    expect((await gateway.api.call('GET', PATH, { key: other.key })).body.namespaces).to.deep.equal([])
    expect((await put(key, 'sales', {})).status).to.equal(200)
    const third = await put(key, 'third', {})
    expect([third.status, third.body.code]).to.deep.equal([409, 'limit_reached'])
  })

  it('refuse unknown names, wrong values and contradictions by their fields', async () => {
    const { key } = await givenApiTenant(gateway.api)
    const rule = { name: 'a', pattern: 'x', action: 'warn' }
    const refused = [
      [{ colour: 'blue' }, 'colour'],
      [{ privacy_policy: 'perhaps' }, 'privacy_policy'],
      [{ class_actions: { nose: 'redact' } }, 'class_actions.nose'],
      [{ class_actions: { forgotten: 'allow' } }, 'class_actions'],
      [{ budget_usd_month: -1 }, 'budget_usd_month'],
      [{ route_chain: ['nonsense'] }, 'route_chain[0]'],
      [{ route_chain: ['local:cmp_0123456789abcdefghjkmnpqrs'] }, 'route_chain[0]'],
      [{ guardrails: [{ ...rule, pattern: '(' }] }, 'guardrails[0].pattern'],
      [{ guardrails: [{ ...rule, pattern: 'x*' }] }, 'guardrails[0].pattern'],
      [{ guardrails: [{ ...rule, pattern: '(?:a{1,900}){900}' }] }, 'guardrails[0].pattern'],
      [{ guardrails: [rule, rule] }, 'guardrails[1].name'],
      [{ guardrails: [{ ...rule, replacement: 'y' }] }, 'guardrails[0].replacement'],
      [{ privacy_policy: 'block', redact_mode: 'detect_only' }, 'redact_mode'],
      [{ capture_mode: 'detect_only' }, 'capture_mode'],
      [{ capture_mode: 'off', durable: 'before_answer' }, 'durable'],
      [{ capture_mode: 'off', cache_mode: 'exact' }, 'cache_mode'],
      [{ capture_mode: 'metadata_only', privacy_policy: 'review_required' }, 'capture_mode'],
    ] as const
    for (const [body, field] of refused) {
      const answer = await put(key, 'support', body)
      expect([answer.status, answer.body.code], answer.text).to.deep.equal([400, 'validation_failed'])
      expect(answer.body.details.fields.map((one: { field: string }) => one.field)).to.include(field)
    }
    expect((await put(key, 'No', {})).status).to.equal(404)
  })

  it('that name a model of no provider, stored by an older version, hold up no call', async () => {
    const { key, id } = await givenApiTenant(gateway.api)
    expect((await put(key, 'support', { route_chain: [MODELS.anthropic] })).status).to.equal(200)
    const chain = JSON.stringify(['local:cmp_1', MODELS.anthropic])
    await sendSql(
      gateway.api.server.services.db,
      `update namespace_settings set settings = jsonb_set(settings::jsonb, '{route_chain}', $2::jsonb)::json where tenant_id = $1`,
      [id, chain],
    )
    gateway.api.server.services.namespaces.forget(id)
    gateway.answer((_call, provider) => (provider === 'openai' ? { status: 500 } : { texts: [provider] }))
    const { status, body } = await gateway.api.call('POST', '/v1/chat/completions', {
      key,
      headers: { 'x-svc-namespace': 'support' },
      body: { model: MODELS.openai, messages: [{ role: 'user', content: 'x' }] },
    })
    expect([status, body.choices?.[0].message.content]).to.deep.equal([200, 'anthropic'])
    expect((await gateway.api.call('GET', `${PATH}/support`, { key })).status).to.equal(200)
  })

  it('are changed with namespace:admin only, within the namespaces of a key', async () => {
    const { key } = await givenApiTenant(gateway.api)
    const reader = await givenScopedKey(gateway.api, key, { scopes: ['gateway:call', 'capture:read'] })
    expect((await put(reader.key, 'support', {})).status).to.equal(403)
    const bound = await givenScopedKey(gateway.api, key, {
      scopes: ['namespace:admin', 'capture:read', 'namespace:sales'],
    })
    expect((await put(bound.key, 'support', {})).status).to.equal(403)
    expect((await put(bound.key, 'sales', {})).status).to.equal(200)
    expect((await gateway.api.call('GET', `${PATH}/support`, { key: bound.key })).status).to.equal(403)
  })

  it('drain: the answer that a caller leaves is read to its end, and counted as the provider counts it', async () => {
    const { key } = await givenApiTenant(gateway.api)
    expect((await put(key, 'support', { when_left: 'drain' })).status).to.equal(200)
    const gate = Promise.withResolvers<void>()
    const server = gateway.server('openai')
    const leavers = server.leavers()
    gateway.answer({
      texts: ['one two three four five six'],
      usage: { input: 1000, cached: 0, output: 77 },
      stream: { before: async (i) => (i < 4 ? undefined : await gate.promise) },
    })
    const leaving = new AbortController()
    // The second process has read no settings yet, and the first may have older ones.
    const response = await fetch(`${gateway.other.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', 'x-svc-namespace': 'support' },
      body: JSON.stringify({ model: MODELS.openai, messages: [{ role: 'user', content: 'x' }], stream: true }),
      signal: leaving.signal,
    })
    await response.body?.getReader().read()
    leaving.abort()
    gate.resolve()
    await eventually(async () => {
      await gateway.other.server.services.invocations.flush()
      const { meters } = (await gateway.api.call('GET', '/v1/billing/usage', { key })).body
      expect(meters).to.include({ gateway_calls: 1, tokens_in: 1000, tokens_out: 77 })
    })
    expect(server.leavers()).to.equal(leavers)
  })

  it('have a budget that is charged for what a provider may bill, and not for what it refused', async () => {
    const { key, id } = await givenApiTenant(gateway.api)
    const body = { model: MODELS.openai, max_tokens: 100, messages: [{ role: 'user', content: 'Count to four.' }] }
    const call = async (more: object = {}, headers: Record<string, string> = {}) =>
      await gateway.api.call('POST', '/v1/chat/completions', { key, body: { ...body, ...more }, headers })
    const spent = async (): Promise<number> => {
      const sql =
        'select spent_micros::int as spent, reserved_micros::int as held from budget_periods where tenant_id = $1'
      const [row] = await sendSql<{ spent: number; held: number }>(gateway.api.server.services.db, sql, [id])
      expect(row?.held ?? 0).to.equal(0)
      return row?.spent ?? 0
    }
    const newest = async () => {
      const { body: list } = await gateway.api.call('GET', '/v1/captures/list?limit=1', { key })
      const [{ cost_usd: cost, tokens, outcome }] = list.captures
      return { cost, outcome, isEstimated: tokens.is_estimated }
    }
    await put(key, 'default', { budget_usd_month: 0 })
    const mostOf = async (more: object, headers: Record<string, string> = {}): Promise<number> =>
      Math.round((await call(more, headers)).body.details.needed_usd * 1_000_000)
    const stream = { stream: true }
    const chain = { 'x-svc-route-chain': MODELS.google }
    const [most, mostStreamed, mostOfBoth] = [await mostOf({}), await mostOf(stream), await mostOf({}, chain)]
    await put(key, 'default', { budget_usd_month: 1 })

    const faults = [
      [{ status: 401 }, {}, 0, 'failed'],
      [{ status: 500 }, {}, 0, 'failed'],
      [{ fault: 'garbage' }, {}, most, 'failed'],
      [{ fault: 'cut' }, {}, most, 'failed'],
      [{ fault: 'hang' }, {}, most, 'failed'],
      [{ texts: ['one two'], stream: { cutAfter: 0 } }, stream, mostStreamed, 'interrupted'],
    ] as const
    let before = 0
    for (const [answer, more, charged, outcome] of faults) {
      gateway.answer(answer)
      const { status } = await call(more, { 'x-svc-timeout-ms': '1000' })
      expect(status === 200, JSON.stringify(answer)).to.equal(outcome === 'interrupted')
      expect((await spent()) - before, JSON.stringify(answer)).to.equal(charged)
      before += charged
      const isOpen = charged > 0
      await eventually(async () => {
        expect(await newest(), JSON.stringify(answer)).to.deep.equal({
          cost: isOpen ? null : 0,
          outcome,
          isEstimated: isOpen,
        })
      })
    }

    // A part of the answer came: it is estimated.
    gateway.answer({ texts: ['one two three four'], stream: { cutAfter: 3 } })
    await call(stream)
    const part = (await spent()) - before
    expect(part).to.be.greaterThan(0).and.lessThan(most)
    await eventually(async () => {
      expect(await newest()).to.deep.equal({ cost: part / 1_000_000, outcome: 'interrupted', isEstimated: true })
    })
    before += part

    // A caller who leaves ends the work of the provider, and not its bill.
    const reached = gateway.server('openai').calls.length
    gateway.answer({ fault: 'hang' })
    const leaving = new AbortController()
    const left = fetch(`${gateway.api.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: leaving.signal,
    }).catch(() => undefined)
    await eventually(async () => expect(gateway.server('openai').calls).to.have.length(reached + 1))
    leaving.abort()
    await left
    await eventually(async () => expect(await spent()).to.equal(before + most))
    before += most

    // What a target may bill is charged beside the answer of the next one, which is asked only where the budget holds both.
    gateway.answer((_call, provider) => (provider === 'openai' ? { fault: 'garbage' } : { texts: ['ok'] }))
    await put(key, 'default', { budget_usd_month: (before + mostOfBoth) / 1_000_000 })
    expect((await call({}, chain)).body).to.include({ code: 'provider_invalid_response' })
    expect(await spent()).to.equal(before + mostOfBoth)
    before += mostOfBoth
    await put(key, 'default', { budget_usd_month: 1 })
    const rescued = await call({}, chain)
    expect(rescued.headers.get('x-svc-provider'), rescued.text).to.equal('google')
    expect(await spent()).to.be.greaterThan(before + mostOfBoth)

    // A process that dies leaves what it set aside: its calls may have been sent.
    before = await spent()
    const { db } = gateway.api.server.services
    await sendSql(db, 'update budget_periods set reserved_micros = reserved_micros + 500 where tenant_id = $1', [id])
    await sendSql(
      db,
      `insert into budget_reservations (id, tenant_id, namespace, period, micros, touched_at)
       select gen_random_uuid(), tenant_id, namespace, period, 500, now() - interval '2 minutes' from budget_periods where tenant_id = $1`,
      [id],
    )
    expect(await chargeAbandoned(db)).to.equal(1)
    expect(await spent()).to.equal(before + 500)

    // Calls that got no answer are no usage.
    await gateway.api.server.services.invocations.flush()
    const { meters } = (await gateway.api.call('GET', '/v1/billing/usage', { key })).body
    expect(meters).to.include({ gateway_calls: 3, gateway_calls_estimated: 2 })
  })
})
