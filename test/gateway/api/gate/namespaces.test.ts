import { expect } from 'chai'
import { expectAudited } from '../../../support/db/audit.ts'
import { givenApiTenant } from '../../../support/api.ts'
import { givenScopedKey } from '../../../support/people/given-keys.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { MODELS, useGateway } from '../inference/given-gateway.ts'

const PATH = '/v1/gateway/namespaces'

describe('settings of a namespace', () => {
  const gateway = useGateway({ gateway_namespaces_per_tenant: 2 }, true)
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
})
