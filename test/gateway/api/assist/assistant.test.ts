import { expect } from 'chai'
import { GATEWAY_PROVIDERS } from '../../../../core/gateway/calls/providers.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { givenScopedKey } from '../../../support/people/given-keys.ts'
import { givenPlan } from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'

const QUESTION = 'How do I verify a receipt offline?'
const OFF_TOPIC = 'How do I bake sourdough bread?'

describe('the assistant without a key for a model', () => {
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    limits: {
      assistant_chats_per_tenant_hour: 2,
      docs_questions_per_ip_day: 3,
      free_chats_per_ip_day: 2,
      free_commands_per_ip_day: 30,
      questions_per_ip_minute: 1000,
    },
  })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })
  const ask = async (path: string, body: object, key?: string) => await api.call('POST', path, { key, body })
  const run = async (command: string, key?: string) => await ask('/v1/free/cli', { command }, key)

  it('answers by sentences of the documentation, with their sections', async () => {
    const { status, body, text } = await ask('/v1/assistant', { prompt: QUESTION }, tenant.key)
    expect(status, text).to.equal(200)
    expect(body).to.deep.include({ intent: 'docs', known: true, provider_used: null, cost_usd: 0 })
    expect(body.narration).to.contain('[1]')
    expect(body.fallback_chain).to.deep.equal([{ by: 'documentation', outcome: 'answered', code: null }])
    for (const { url } of body.sources) {
      if (url !== null) expect((await fetch(api.url + url)).status, url).to.equal(200)
    }
    expect(body.next_steps.join()).to.contain('svc verify')
  })

  it('says when the documentation does not answer, and which words it lacks', async () => {
    const { body } = await ask('/v1/assistant', { prompt: OFF_TOPIC }, tenant.key)
    expect(body).to.deep.include({ intent: 'unknown', known: false, next_steps: [] })
    expect(body.sources).to.deep.equal([])
    expect(body.narration).to.contain('sourdough, bread')
  })

  it('counts what the account has when it is asked how many', async () => {
    const { body } = await ask('/v1/assistant', { prompt: 'How many artifacts do I have?' }, tenant.key)
    expect(body).to.deep.include({ intent: 'account', narration: 'You have 0 artifacts.' })
    expect(body.data.counts.artifacts).to.equal(0)
    const { key } = await givenScopedKey(api, tenant.key, { scopes: ['gateway:call'] })
    const without = await ask('/v1/assistant', { prompt: 'How many artifacts do I have?' }, key)
    expect(without.body).to.deep.include({ data: null })
  })

  it('chats with paid plans only, so often an hour', async () => {
    const refused = await ask('/v1/assistant/chat', { prompt: QUESTION }, tenant.key)
    expect([refused.status, refused.body.code]).to.deep.equal([402, 'plan_upgrade_required'])
    const paying = await givenApiTenant(api)
    await givenPlan(database.db, paying.id, 'starter')
    const first = await ask('/v1/assistant/chat', { prompt: QUESTION }, paying.key)
    expect(first.body, first.text).to.deep.include({ known: true, passport_hash: null, capture_id: null, cost_usd: 0 })
    const follow = await ask(
      '/v1/assistant/chat',
      { prompt: 'And streams?', conversation: [{ role: 'user', content: 'How do I verify an answer of a model?' }] },
      paying.key,
    )
    expect(follow.body.known, follow.text).to.equal(true)
    const over = await ask('/v1/assistant/chat', { prompt: QUESTION }, paying.key)
    expect([over.status, over.body.code]).to.deep.equal([429, 'rate_limited'])
    expect(Number(over.headers.get('retry-after'))).to.be.greaterThan(0)
  })

  it('answers from the pages that are named, and refuses those that do not exist', async () => {
    const pages = ['/docs/guides/batches']
    const named = await ask(
      '/v1/assistant/chat-docs',
      { query: 'How do I verify a receipt?', top_k_doc_urls: pages },
      tenant.key,
    )
    expect(named.body.known, named.text).to.equal(true)
    expect(named.body.sources.every(({ url }: { url: string }) => url.startsWith('/docs/guides/batches'))).to.equal(
      true,
    )
    const wrong = await ask(
      '/v1/assistant/chat-docs',
      { query: QUESTION, top_k_doc_urls: ['https://evil.example/x'] },
      tenant.key,
    )
    expect([wrong.status, wrong.body.details.fields[0].field]).to.deep.equal([400, 'top_k_doc_urls.0'])
  })

  it('answers questions without a key, so many a day from one address', async () => {
    for (let i = 0; i < 3; i++) {
      const { status, text, headers } = await ask('/v1/assistant/chat-docs', { query: QUESTION })
      expect(status, text).to.equal(200)
      expect(headers.get('ratelimit-remaining')).to.equal(String(2 - i))
    }
    expect((await ask('/v1/assistant/chat-docs', { query: QUESTION })).status).to.equal(429)
    expect((await ask('/v1/assistant/chat-docs', { query: QUESTION }, tenant.key)).status).to.equal(200)
  })

  it('answers freely with the command that fits, and with a key what the account has', async () => {
    const question = 'How do I see my usage this month?'
    const { body, text } = await ask('/v1/free/chat', { question })
    expect(body, text).to.deep.include({
      mode: 'free',
      verb: 'usage',
      command: 'svc usage',
      remaining: 1,
      snapshot: null,
    })
    expect(body.workflow.steps.map(({ cmd }: { cmd: string }) => cmd)).to.include('svc plans')
    const off = await ask('/v1/free/chat', { question: OFF_TOPIC })
    expect(off.body).to.deep.include({ known: false, command: null, workflow: null, remaining: 0 })
    const over = await ask('/v1/free/chat', { question })
    expect([over.status, over.body.code]).to.deep.equal([429, 'free_quota_exceeded'])
    const keyed = await ask('/v1/free/chat', { question }, tenant.key)
    expect(keyed.body, keyed.text).to.deep.include({ mode: 'auth', remaining: null, cta: null })
    expect(keyed.body.snapshot).to.deep.include({ plan: 'free' })
  })

  it('answers each command of the allowlist, and no other', async () => {
    const list = (await api.call('GET', '/v1/free/cli/allowlist')).body
    expect(list.caps).to.deep.equal({ wall_time_ms: 5000, stdout_bytes: 8192, stderr_bytes: 8192, daily_per_ip: 30 })
    for (const verb of list.verbs) {
      const words = verb === 'docs' ? `docs "${QUESTION}"` : [verb, list.subverbs[verb]?.at(-1)].join(' ').trim()
      const { body, text } = await run(`svc ${words}`, tenant.key)
      expect(body, text).to.deep.include({ exit_code: 0, signal: null, truncated: false })
      expect(body.stdout, words).to.not.equal('')
    }
    expect((await run('svc whoami', tenant.key)).body.stdout).to.contain(tenant.id)
    expect((await run('svc whoami')).body.stdout).to.not.contain('ten_')
    expect((await run('svc usage')).body).to.deep.include({ exit_code: 6, stdout: '' })
    expect((await run('svc gateway providers')).body.stdout).to.contain(GATEWAY_PROVIDERS[0].label)
    expect((await run(`svc docs "${OFF_TOPIC}"`)).body).to.deep.include({ exit_code: 1, stdout: '' })
  })

  it('refuses a command by what is wrong with it', async () => {
    for (const [command = '', code] of [
      ['  ', 'empty_command'],
      [`svc docs ${'x'.repeat(400)}`, 'command_too_long'],
      ['svc docs "x', 'unbalanced_quote'],
      ['rm -rf /', 'not_a_svc_command'],
      ['svc', 'missing_verb'],
      ['svc login', 'verb_not_allowed'],
      ['svc constructor', 'verb_not_allowed'],
      ['svc gateway test', 'subverb_not_allowed'],
      ['svc version; ls', 'verb_not_allowed'],
      ['svc docs $(id)', 'arg_rejected'],
      ['svc docs `id`', 'arg_rejected'],
      ['svc docs "a\\b"', 'arg_rejected'],
      ['svc docs', 'arg_rejected'],
      ['svc version --help now', 'subverb_not_allowed'],
      ['svc gateway providers now', 'arg_rejected'],
    ]) {
      const answer = await run(command, tenant.key)
      expect([answer.status, answer.body.code], command).to.deep.equal([400, code])
      expect(answer.body.details.fields[0].field).to.equal('command')
    }
  })

  it('refuses bad input with its field', async () => {
    for (const [path, body, status, code] of [
      ['/v1/assistant', {}, 400, 'missing_prompt'],
      ['/v1/assistant', { prompt: 'x'.repeat(2001) }, 400, 'missing_prompt'],
      ['/v1/assistant', { prompt: QUESTION, model: 'no-such-model' }, 400, 'unknown_model'],
      ['/v1/assistant/chat-docs', {}, 400, 'validation_failed'],
      ['/v1/assistant/chat-docs', { query: 'x'.repeat(1201) }, 400, 'validation_failed'],
      ['/v1/free/chat', {}, 400, 'missing_question'],
      ['/v1/free/chat', { question: ' ' }, 400, 'missing_question'],
      ['/v1/free/chat', { question: 'x'.repeat(601) }, 413, 'question_too_long'],
    ] as const) {
      const answer = await ask(path, body, tenant.key)
      expect([answer.status, answer.body.code], `${path}: ${answer.text}`).to.deep.equal([status, code])
      expect(answer.body.details.fields[0].field).to.be.a('string')
    }
  })
})
