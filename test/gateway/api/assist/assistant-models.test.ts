import { expect } from 'chai'
import { rememberForgotten } from '../../../../db/gateway/forgotten/remember-forgotten.ts'
import { givenApiTenant, type Answer } from '../../../support/api.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { givenPlan, setUpOperation } from '../../../support/people/given-members.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { useGateway } from '../inference/given-gateway.ts'

const QUESTION = 'How do I verify a receipt offline?'
const OFF_TOPIC = 'How do I bake sourdough bread?'
const EMAIL = 'ada.lovelace@example.org'

/** The routes that may ask a model, and the member with the answer of each. */
const ROUTES = {
  '/v1/assistant': { ask: 'prompt', says: 'narration' },
  '/v1/assistant/chat': { ask: 'prompt', says: 'response' },
  '/v1/assistant/chat-docs': { ask: 'query', says: 'response' },
} as const
type Path = keyof typeof ROUTES
const PATHS = Object.keys(ROUTES) as Path[]

describe('the assistant with a key for a model', () => {
  const gateway = useGateway({ quota_starter: 2000, assistant_chats_per_tenant_hour: 1000 }, { isTwice: true })
  const given = async () => {
    const tenant = await givenApiTenant(gateway.api)
    await givenPlan(gateway.api.server.services.db, tenant.id, 'starter')
    return tenant
  }
  const ask = async (path: Path, text: string, key: string, more: object = {}): Promise<Answer> =>
    await gateway.api.call('POST', path, { key, body: { [ROUTES[path].ask]: text, ...more } })
  const says = (path: Path, { body }: Answer): string => body[ROUTES[path].says]

  for (const path of PATHS) {
    it(`${path}: a model answers from the sections and cites them, by the gateway's one path`, async () => {
      const { key } = await given()
      gateway.answer({ texts: ['Use `svc receipt` [1], as [2, 99] says, or `svc conjure it`.'] })
      const answer = await ask(path, `${QUESTION} I am ${EMAIL}`, key)
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.body).to.deep.include({ known: true, provider_used: 'openai', model_used: 'gpt-4.1-mini' })
      expect(says(path, answer)).to.contain('svc receipt')
      expect(answer.body.sources.map(({ n }: { n: number }) => n)).to.deep.equal([1, 2])
      expect(answer.body.cost_usd).to.be.greaterThan(0)
      expect(answer.headers.get('x-svc-namespace')).to.equal('assistant')
      const { raw } = gateway.lastCall('openai')
      expect(raw).to.contain('[1] ').and.contain('VAR_EMAIL').and.not.contain(EMAIL)
      const id = answer.headers.get('x-svc-capture-id')
      await eventually(async () => {
        const captured = await gateway.api.call('GET', `/v1/captures/${id}/inspect`, { key })
        expect(captured.body.capture, captured.text).to.deep.include({ namespace: 'assistant' })
      })
      if (path !== '/v1/assistant') {
        expect(answer.body).to.deep.include({ capture_id: id })
        expect(answer.body.passport_hash).to.match(/^[0-9a-f]{64}$/)
      }
      if (path === '/v1/assistant/chat-docs') {
        expect(answer.body.commands.unknown_count).to.equal(1)
        expect(answer.body.commands.commands.map(({ known }: { known: boolean }) => known)).to.deep.equal([true, false])
      }
    })

    it(`${path}: is refused by quota, budget, privacy, forget list and guardrails as any call of a model`, async () => {
      const { key, id: tenantId } = await given()
      const { services } = gateway.api.server
      gateway.answer({ texts: ['Yes [1].'] })
      const settings = async (body: object) => {
        const put = await gateway.api.call('PUT', '/v1/gateway/namespaces/assistant', { key, body })
        expect(put.status, put.text).to.equal(200)
      }
      const refuses = async (text: string, status: number, code: string) => {
        const before = gateway.server('openai').bodies.length
        const answer = await ask(path, text, key)
        expect([answer.status, answer.body.code], answer.text).to.deep.equal([status, code])
        expect(gateway.server('openai').bodies.length).to.equal(before)
      }
      await settings({ privacy_policy: 'block' })
      await refuses(`${QUESTION} ${EMAIL}`, 451, 'privacy_blocked')
      await settings({ guardrails: [{ name: 'aurora', pattern: 'keyword:aurora', action: 'block' }] })
      await refuses(`${QUESTION} Aurora`, 403, 'blocked_by_guardrail')
      await settings({ budget_usd_month: 0 })
      await refuses(QUESTION, 402, 'budget_exceeded')
      await settings({})
      const op = setUpOperation(services.db, tenantId)
      await op.write(async (tx) => await rememberForgotten(tx, op, { kind: 'subject', text: 'Marianne Oldfield' }))
      services.namespaces.forget(tenantId)
      expect((await ask(path, `${QUESTION} Marianne Oldfield asks.`, key)).status).to.equal(200)
      expect(gateway.lastCall('openai').raw)
        .to.match(/VAR_FORGOTTEN_\d/)
        .and.not.contain('Oldfield')
      await services.meter.flush()
      await sendSql(services.db, 'delete from quota_leases where tenant_id = $1', [tenantId])
      await sendSql(services.db, 'update quota_periods set used_units = 1000000 where tenant_id = $1', [tenantId])
      const over = await gateway.other.call('POST', path, { key, body: { [ROUTES[path].ask]: QUESTION } })
      expect([over.status, over.body.code], over.text).to.deep.equal([402, 'quota_exhausted'])
    })
  }

  it('does not ask a model what the documentation does not answer', async () => {
    const { key } = await given()
    const before = gateway.server('openai').bodies.length
    const { body } = await ask('/v1/assistant', OFF_TOPIC, key)
    expect(body).to.deep.include({ known: false, provider_used: null })
    expect(gateway.server('openai').bodies.length).to.equal(before)
  })

  it('says that it does not know when the model does not', async () => {
    const { key } = await given()
    gateway.answer({ texts: ['UNKNOWN.'] })
    const { body } = await ask('/v1/assistant', QUESTION, key)
    expect(body).to.deep.include({ known: false, intent: 'unknown' })
    expect(body.fallback_chain[0]).to.deep.include({ outcome: 'unknown' })
    expect(body.narration).to.not.contain('UNKNOWN')
  })

  it('uses sentences of the documentation when the model cites none, or its provider fails', async () => {
    const { key } = await given()
    gateway.answer({ texts: ['Trust me.'] })
    const uncited = await ask('/v1/assistant', QUESTION, key)
    expect(uncited.body).to.deep.include({ known: true, provider_used: null })
    expect(uncited.body.cost_usd).to.be.greaterThan(0)
    expect(uncited.body.fallback_chain.map(({ outcome }: { outcome: string }) => outcome)).to.deep.equal([
      'uncited',
      'answered',
    ])
    gateway.answer({ status: 400, message: 'no such model' })
    const failed = await ask('/v1/assistant', QUESTION, key)
    expect(failed.body.fallback_chain[0], failed.text).to.deep.include({ outcome: 'failed' })
    expect(failed.body).to.deep.include({ known: true, cost_usd: 0 })
  })

  it('asks the model of the call, else of the namespace, and sends wishes and what was said before', async () => {
    const { key } = await given()
    gateway.answer({ texts: ['Yes [1].'] })
    const named = await ask('/v1/assistant', QUESTION, key, { model: 'claude-haiku-4-5' })
    expect(named.body).to.deep.include({ provider_used: 'anthropic' })
    await gateway.api.call('PUT', '/v1/gateway/namespaces/assistant', {
      key,
      body: { route_chain: ['gemini-2.5-flash'] },
    })
    const chat = await ask('/v1/assistant/chat', QUESTION, key, {
      system: 'In Italian.',
      max_tokens: 99,
      conversation: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hello.' },
      ],
    })
    expect(chat.body, chat.text).to.deep.include({ provider_used: 'google', known: true })
    const { messages, maxTokens } = gateway.lastCall('google')
    expect(maxTokens).to.equal(99)
    expect(JSON.stringify(messages)).to.contain('In Italian.').and.contain('Hello.')
  })
})
