import { expect } from 'chai'
import { openModels } from '../../../activities/gateway/models/open-models.ts'
import type { ModelSettings } from '../../../activities/gateway/models/deps.ts'
import { DEFAULT_SETTINGS, type NamespaceSettings } from '../../../core/gateway/gate/namespaces/settings.ts'
import type { ModelCaller, ModelPort } from '../../../core/gateway/ports.ts'
import { createProvider } from '../../../core/gateway/providers/http-provider.ts'
import { ProviderError } from '../../../core/gateway/providers/provider-error.ts'
import { compiledRecords } from '../../../db/compile/artifacts/compiled-records.ts'
import { putNamespace } from '../../../db/gateway/namespaces/put-namespace.ts'
import { storeProviderKey } from '../../../db/gateway/provider-keys/store-provider-key.ts'
import { changeOverlay } from '../../../db/gateway/providers/change-overlay.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { givenTenant, limits } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import type { ScriptedAnswer, ScriptedCall } from '../../support/providers/scripted-model.ts'
import { startProvider, type ProviderServer } from '../../support/providers/server.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { aRequest, ANSWER_SCHEMA, NEVER } from '../core/given.ts'

const OWN_KEY = 'key-of-chat-completions-0123456789abcdef'

describe('models for activities', () => {
  const database = useDatabase()
  let openai: ProviderServer
  let anthropic: ProviderServer
  let models: ModelPort & { close(): Promise<void> }
  let answer: (call: ScriptedCall) => ScriptedAnswer = () => ({ texts: ['Paris'] })

  const opened = (settings: Partial<ModelSettings>) =>
    openModels(
      { db: database.db, notifications: database.notifications, limits: limits(), now: () => new Date() },
      { upstreams: {}, gatewayMode: 'cloud', teacher: null, ...settings },
    )

  before(async () => {
    openai = await startProvider('chat-completions', (call) => answer(call))
    anthropic = await startProvider('messages', (call) => answer(call))
    models = opened({
      upstreams: {
        openai: { baseUrl: openai.baseUrl.replace(/\/v1$/, '') },
        anthropic: { baseUrl: anthropic.baseUrl, apiKey: anthropic.apiKey },
        'local-vllm': { baseUrl: openai.baseUrl.replace(/\/v1$/, ''), apiKey: openai.apiKey },
      },
      teacher: {
        provider: createProvider({
          dialect: 'chat-completions',
          baseUrl: openai.baseUrl,
          apiKey: openai.apiKey,
          model: 'house-teacher',
          timeoutMs: 5000,
          connections: 2,
        }),
        prices: { input: 2, cached: 2, output: 8, source: 'operator' },
        isLocal: false,
      },
    })
  })
  after(async () => {
    await models.close()
    await openai.close()
    await anthropic.close()
  })
  beforeEach(() => {
    answer = () => ({ texts: ['Paris'], usage: { input: 1000, cached: 0, output: 100 } })
  })

  async function givenCaller(more: { readonly key?: string; readonly settings?: Partial<NamespaceSettings> } = {}) {
    const { op, tenant, memberId } = await givenTenant(database.db)
    const caller: ModelCaller = { tenantId: tenant.id, memberId, teamId: null, namespace: 'support' }
    if (more.key !== undefined) {
      await storeProviderKey(op, {
        provider: 'openai',
        value: more.key,
        label: null,
        teamId: undefined,
        memberId,
        limits: limits(),
      })
    }
    if (more.settings !== undefined) {
      const settings = { ...DEFAULT_SETTINGS, ...more.settings }
      await putNamespace(op, { namespace: 'support', settings, limits: limits(), records: compiledRecords })
    }
    return { op, caller }
  }

  const usageOf = async (op: Operation) =>
    Object.fromEntries(
      (
        await op.read((q) =>
          q
            .selectFrom('usage_days')
            .select(['unit', 'quantity', 'cost_usd_micros as cost'])
            .where('namespace', '=', 'support'),
        )
      ).map(({ unit, quantity, cost }) => [unit, cost === 0 ? quantity : [quantity, cost]]),
    )

  const budgetOf = async (op: Operation) =>
    (
      await op.read((q) =>
        q.selectFrom('budget_periods').select(['spent_micros as spent', 'reserved_micros as reserved']),
      )
    )[0]

  const failure = async (asking: Promise<unknown>): Promise<ProviderError> => {
    const error = await asking.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (error instanceof ProviderError) return error
    throw new Error(`no provider error, but ${String(error)}`)
  }

  it("answer with the member's own key, and count tokens, cost and quota as the gateway does", async () => {
    const { op, caller } = await givenCaller({ key: OWN_KEY })
    const { identity, provider } = await models.open(caller, 'openai/gpt-4o-mini')
    expect(identity).to.deep.include({ provider: 'openai', model: 'gpt-4o-mini', isLocal: false })
    const reply = await provider.ask(aRequest({ stop: ['\n'] }), NEVER)
    expect(reply.samples).to.deep.equal([{ text: 'Paris', finish: 'stop' }])
    expect(JSON.parse(openai.calls.at(-1)?.raw ?? '')).to.deep.include({ model: 'gpt-4o-mini', stop: ['\n'] })
    // 1000 * 0.15 + 100 * 0.6 USD a million tokens
    expect(await usageOf(op)).to.deep.equal({
      gateway_calls: [1, 210],
      quota_units: 1,
      tokens_in: 1000,
      tokens_out: 100,
    })
  })

  it('find every name that the gateway finds, and refuse what it refuses', async () => {
    const { op, caller } = await givenCaller()
    expect((await models.open(caller, 'claude-haiku-4-5')).identity.provider).to.equal('anthropic')
    expect((await models.open(caller, 'local-vllm:any/model')).identity).to.deep.include({ isLocal: true })
    await expectCode('unknown_model', async () => await models.open(caller, 'no-such-model'))
    await expectCode('no_provider_key', async () => await models.open(caller, 'openai:gpt-4o-mini'))
    await changeOverlay(op, [{ provider: 'anthropic', enabled: false }])
    await eventually(async () => {
      await expectCode('provider_disabled', async () => await models.open(caller, 'anthropic/claude-haiku-4-5'))
    })
    const local = opened({
      gatewayMode: 'local-vllm',
      upstreams: { 'local-vllm': { baseUrl: openai.baseUrl.replace(/\/v1$/, ''), apiKey: openai.apiKey } },
    })
    expect((await local.open(caller, 'gpt-4o-mini')).identity).to.deep.include({ provider: 'local-vllm' })
    await local.close()
  })

  it("name the operator's teacher by its model, for accounts and not for anonymous workspaces", async () => {
    const { op, caller } = await givenCaller()
    const { identity, provider } = await models.open(caller, 'house-teacher')
    expect(identity).to.deep.include({ provider: 'operator', model: 'house-teacher' })
    await provider.ask(aRequest(), NEVER)
    await provider.close()
    await provider.ask(aRequest(), NEVER)
    expect(await usageOf(op)).to.deep.include({ gateway_calls: [2, 5600] })
    await sendSql(database.db, `update tenants set kind = 'anonymous' where id = $1`, [caller.tenantId])
    await expectCode('no_provider_key', async () => await models.open(caller, 'house-teacher'))
  })

  it('send placeholders for what the policy of the namespace redacts, and put the values back', async () => {
    const { caller } = await givenCaller({ key: OWN_KEY, settings: { proprietary_terms: ['Blue Heron'] } })
    const { provider } = await models.open(caller, 'gpt-4o-mini')
    answer = ({ messages }) => ({ texts: [JSON.stringify({ answer: messages.at(-1)?.text ?? '' })] })
    const messages = [{ role: 'user', text: 'Write to ada@example.com about Blue Heron' }] as const
    const reply = await provider.ask(aRequest({ messages, schema: ANSWER_SCHEMA }), NEVER)
    expect(openai.calls.at(-1)?.raw).to.not.match(/ada@|Heron/)
    expect(JSON.parse(reply.samples[0]?.text ?? '')).to.deep.equal({
      answer: 'Write to ada@example.com about Blue Heron',
    })
    const { caller: strict } = await givenCaller({ key: OWN_KEY, settings: { privacy_policy: 'block' } })
    const sent = openai.calls.length
    const blocked = (await models.open(strict, 'gpt-4o-mini')).provider
    await expectCode('privacy_blocked', async () => await blocked.ask(aRequest({ messages }), NEVER))
    expect(openai.calls).to.have.length(sent)
  })

  it('keep within the budget of the namespace and the quota of the tenant', async () => {
    const { op, caller } = await givenCaller({ key: OWN_KEY, settings: { budget_usd_month: 0.0005 } })
    const { provider } = await models.open(caller, 'gpt-4o-mini')
    await provider.ask(aRequest(), NEVER)
    expect(await budgetOf(op)).to.deep.equal({ spent: 210, reserved: 0 })
    answer = () => ({ status: 400, message: 'no' })
    await failure(provider.ask(aRequest(), NEVER))
    expect(await budgetOf(op)).to.deep.equal({ spent: 210, reserved: 0 })
    await expectCode('budget_exceeded', async () => await provider.ask(aRequest({ maxTokens: 2000 }), NEVER))
    await expectCode('unpriced_model', async () => {
      const unpriced = await models.open(caller, 'openai:ft:unknown')
      await unpriced.provider.ask(aRequest(), NEVER)
    })
    const { op: full, caller: spent } = await givenCaller({ key: OWN_KEY })
    await sendSql(database.db, 'update tenants set quota_override = 1 where id = $1', [spent.tenantId])
    answer = () => ({ texts: ['Rome'], usage: { input: 10, output: 1 } })
    const last = (await models.open(spent, 'gpt-4o-mini')).provider
    await last.ask(aRequest(), NEVER)
    await expectCode('quota_exhausted', async () => await last.ask(aRequest(), NEVER))
    expect(await usageOf(full)).to.deep.include({ quota_units: 1, tokens_in: 10 })
    expect(await usageOf(op)).to.deep.include({ gateway_calls: [1, 210] })
  })

  it('charge the most that a question can have cost where the provider may bill it', async () => {
    const { op, caller } = await givenCaller({ key: OWN_KEY, settings: { budget_usd_month: 0.01 } })
    const { provider } = await models.open(caller, 'gpt-4o-mini')
    for (const status of [503, 500]) {
      answer = () => ({ status })
      await failure(provider.ask(aRequest(), NEVER))
      expect(await budgetOf(op)).to.deep.equal({ spent: 0, reserved: 0 })
    }
    answer = () => ({ fault: 'garbage' })
    await failure(provider.ask(aRequest(), NEVER))
    const first = await budgetOf(op)
    // 64 tokens of answer at 0.6 USD a million, and the question
    expect(first?.spent).to.be.within(39, 1000)
    expect(first?.reserved).to.equal(0)
    const abort = new AbortController()
    answer = () => {
      abort.abort(new Error('cancelled'))
      return { fault: 'hang' }
    }
    expect(await provider.ask(aRequest(), abort.signal).catch(String)).to.contain('cancelled')
    expect(await budgetOf(op)).to.deep.equal({ spent: 2 * (first?.spent ?? 0), reserved: 0 })
    expect(await usageOf(op)).to.deep.equal({})
  })

  it('use a new key from the next question on, and no longer one that was removed', async () => {
    const { op, caller } = await givenCaller({ key: 'sk-wrong-0123456789' })
    const { provider } = await models.open(caller, 'gpt-4o-mini')
    const refused = await failure(provider.ask(aRequest(), NEVER))
    expect([refused.failure, refused.status, refused.message.includes('sk-wrong')]).to.deep.equal(['auth', 401, false])
    await storeProviderKey(op, {
      provider: 'openai',
      value: OWN_KEY,
      label: null,
      teamId: undefined,
      memberId: caller.memberId ?? '',
      limits: limits(),
    })
    expect((await provider.ask(aRequest(), NEVER)).samples).to.have.length(1)
    await sendSql(database.db, 'delete from provider_keys where tenant_id = $1', [caller.tenantId])
    await expectCode('no_provider_key', async () => await provider.ask(aRequest(), NEVER))
  })

  it("repeat no word of a provider about the operator's account", async () => {
    const { caller } = await givenCaller()
    const { provider } = await models.open(caller, 'claude-haiku-4-5')
    answer = () => ({
      status: 429,
      message: 'organization org-secret is out of credit',
      headers: { 'retry-after': '7' },
    })
    const limited = await failure(provider.ask(aRequest(), NEVER))
    expect([limited.failure, limited.retryAfterS, limited.message]).to.deep.equal([
      'rate_limited',
      7,
      "the operator's key has reached a limit",
    ])
  })
})
