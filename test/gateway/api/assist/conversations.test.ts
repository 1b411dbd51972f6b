import { expect } from 'chai'
import { runForget } from '../../../../db/gateway/captures/forget/run-forget.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { givenScopedKey } from '../../../support/people/given-keys.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'

const ID = 'cv_0123456789abcdef'
const MINUTE = 60_000

describe('conversations', () => {
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    limits: {
      conversations_per_tenant: 5,
      conversation_bytes_per_tenant: 2000,
      conversation_messages: 4,
      conversation_message_bytes: 1500,
    },
  })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })
  const call = async (method: string, path: string, body?: unknown, key = tenant.key) =>
    await api.call(method, path, { key, ...(body !== undefined && { body }) })
  const save = async (given: object = {}, key = tenant.key) =>
    await call(
      'POST',
      '/v1/conversations',
      {
        model: 'gpt-4o-mini',
        messages: [
          { role: 'user', content: 'Where is my parcel?' },
          { role: 'assistant', content: 'It arrives tomorrow.', ts: '2026-05-01T09:30:00Z' },
        ],
        ...given,
      },
      key,
    )
  const saved = async (given: object = {}, key = tenant.key) => {
    const answer = await save(given, key)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body
  }
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString()

  it('are saved, listed with a preview, read as a whole and deleted', async () => {
    const { conversation_id: id, updated_at: updatedAt, message_count: count } = await saved({ device: 'phone' })
    expect(id).to.match(/^cv_/)
    expect(count).to.equal(2)
    const { conversations, count: listed } = (await call('GET', '/v1/conversations')).body
    expect(listed).to.equal(1)
    expect(conversations[0]).to.deep.include({
      conversation_id: id,
      title: 'Where is my parcel?',
      model: 'gpt-4o-mini',
      message_count: 2,
      preview: 'It arrives tomorrow.',
      updated_at: updatedAt,
      deleted: false,
    })
    const read = (await call('GET', `/v1/conversations/${id}`)).body
    expect(read).to.deep.include({ title: 'Where is my parcel?', device: 'phone' })
    expect(read.messages[1]).to.deep.equal({
      role: 'assistant',
      content: 'It arrives tomorrow.',
      ts: '2026-05-01T09:30:00Z',
    })
    for (let i = 0; i < 2; i++) {
      expect((await call('DELETE', `/v1/conversations/${id}`)).body).to.deep.include({ ok: true, deleted: true })
    }
    expect((await call('GET', `/v1/conversations/${id}`)).status).to.equal(404)
    expect((await call('GET', '/v1/conversations')).body.conversations).to.deep.equal([])
    const rows = await sendSql(
      database.db,
      `select to_json(c)::text as row from conversations c where tenant_id = $1`,
      [tenant.id],
    )
    expect(JSON.stringify(rows)).to.contain(id).and.not.contain('parcel').and.not.contain('tomorrow')
    await expectAudited(setUpOperation(database.db, tenant.id), 'conversation.deleted', id)
  })

  it('are redacted, or refused, as the namespace default says', async () => {
    const messages = [{ role: 'user', content: 'I am 078-05-1120, card 4111 1111 1111 1111' }]
    const { conversation_id: id } = await saved({ messages, device: 'phone of ada@example.org', model: 'a.internal' })
    const read = (await call('GET', `/v1/conversations/${id}`)).body
    expect(read).to.deep.include({ device: 'phone of VAR_EMAIL_1', model: 'a.internal' })
    expect(read.messages[0].content).to.equal('I am VAR_SSN_1, card VAR_PAYMENT_CARD_1')
    expect(read.title).to.equal('I am VAR_SSN_1, card VAR_PAYMENT_CARD_1')
    await call('PUT', '/v1/gateway/namespaces/default', { privacy_policy: 'block' })
    const blocked = await save({ messages })
    expect([blocked.status, blocked.body.code]).to.deep.equal([451, 'privacy_blocked'])
    expect(blocked.body.details.classes).to.deep.equal(['payment_card', 'ssn'])
    await call('PUT', '/v1/gateway/namespaces/default', { privacy_policy: 'allow', redact_mode: 'detect_only' })
    const raw = await saved({ messages })
    expect((await call('GET', `/v1/conversations/${raw.conversation_id}`)).body.messages[0].content).to.equal(
      messages[0]?.content,
    )
  })

  it('belong to one account: an id of another is not found, and saving it makes another conversation', async () => {
    const other = await givenApiTenant(api)
    await saved({ conversation_id: ID })
    await saved({ conversation_id: ID, messages: [{ role: 'user', content: 'Mine' }] }, other.key)
    expect((await call('GET', `/v1/conversations/${ID}`)).body.messages).to.have.length(2)
    expect((await call('GET', `/v1/conversations/${ID}`, undefined, other.key)).body.title).to.equal('Mine')
    expect((await call('DELETE', `/v1/conversations/${ID}`, undefined, other.key)).status).to.equal(200)
    expect((await call('GET', `/v1/conversations/${ID}`)).status).to.equal(200)
    const { conversation_id: own } = await saved()
    expect((await call('GET', `/v1/conversations/${own}`, undefined, other.key)).status).to.equal(404)
    expect((await call('DELETE', `/v1/conversations/${own}`, undefined, other.key)).status).to.equal(404)
    expect((await call('GET', '/v1/conversations/not-an-id')).status).to.equal(404)
  })

  it('keep the later of two writes by the time of their clients, in whichever order they come', async () => {
    const write = async (title: string, updatedAt?: string) =>
      await save({ conversation_id: ID, title, updated_at: updatedAt })
    const [early, late] = [ago(3 * MINUTE), ago(MINUTE)]
    expect((await write('late', late)).status).to.equal(200)
    const refused = await write('early', early)
    expect([refused.status, refused.body.code], refused.text).to.deep.equal([409, 'conversation_outdated'])
    expect(refused.body.details).to.deep.include({ client_updated_at: late, deleted: false })
    expect((await write('again', late)).status).to.equal(200)
    expect((await call('GET', `/v1/conversations/${ID}`)).body.title).to.equal('again')
    await call('DELETE', `/v1/conversations/${ID}`)
    expect((await write('stale', late)).body.details).to.deep.include({ deleted: true })
    expect((await write('later')).status).to.equal(200)
    const ahead = await write('ahead', new Date(Date.now() + 60 * MINUTE).toISOString())
    expect([ahead.status, ahead.body.details.fields[0].field]).to.deep.equal([400, 'updated_at'])
  })

  it('tell a device what changed since it looked, deletions as well, page by page', async () => {
    const ids: string[] = []
    for (let i = 0; i < 3; i++)
      ids.push((await saved({ title: `number ${i}`, model: i === 0 ? 'a' : 'b' })).conversation_id)
    const first = (await call('GET', '/v1/conversations?limit=2')).body
    expect(first.conversations.map((each: { title: string }) => each.title)).to.deep.equal(['number 2', 'number 1'])
    const second = (await call('GET', `/v1/conversations?limit=2&cursor=${first.next_cursor}`)).body
    expect(second.conversations.map((each: { title: string }) => each.title)).to.deep.equal(['number 0'])
    expect(second.next_cursor).to.equal(null)
    expect((await call('GET', '/v1/conversations?model=a')).body.count).to.equal(1)
    const seen = first.conversations[0].updated_at
    expect((await call('GET', `/v1/conversations?since=${seen}`)).body.count).to.equal(0)
    await call('DELETE', `/v1/conversations/${ids[0]}`)
    const { conversations } = (await call('GET', `/v1/conversations?since=${seen}`)).body
    expect(conversations).to.have.length(1)
    expect(conversations[0]).to.deep.include({ conversation_id: ids[0], deleted: true, title: '', preview: '' })
    for (const query of ['since=yesterday', 'limit=0', 'limit=201', 'cursor=x']) {
      expect((await call('GET', `/v1/conversations?${query}`)).status, query).to.equal(400)
    }
  })

  it('get ascending times when many are saved at once', async () => {
    const bodies = await Promise.all(Array.from({ length: 4 }, (_, i) => saved({ title: `${i}` })))
    expect(new Set(bodies.map(({ updated_at: at }) => at)).size).to.equal(4)
  })

  it('are refused with the field that is wrong', async () => {
    const message = (content: unknown, role = 'user') => [{ role, content }]
    for (const [given, status, code, field] of [
      [{ model: undefined }, 400, 'model_required', 'model'],
      [{ model: ' ' }, 400, 'model_required', 'model'],
      [{ messages: 'hello' }, 400, 'invalid_messages', 'messages'],
      [{ messages: [] }, 400, 'invalid_messages', 'messages'],
      [{ messages: message(7) }, 400, 'invalid_messages', 'messages[0].content'],
      [{ messages: message('x', 'wizard') }, 400, 'invalid_messages', 'messages[0].role'],
      [{ messages: message('a\u0000b') }, 400, 'invalid_messages', 'messages[0].content'],
      [{ conversation_id: 'mine' }, 400, 'validation_failed', 'conversation_id'],
      [{ updated_at: 'soon' }, 400, 'validation_failed', 'updated_at'],
      [{ messages: Array.from({ length: 5 }, () => message('x')[0]) }, 413, 'too_many_messages', 'messages'],
      [{ messages: message('ä'.repeat(800)) }, 413, 'message_too_large', 'messages.0.content'],
    ] as const) {
      const answer = await save(given)
      expect([answer.status, answer.body.code], answer.text).to.deep.equal([status, code])
      expect(answer.body.details.fields[0].field.replace(/\[(\d)\]/, '.$1')).to.equal(field.replace(/\[(\d)\]/, '.$1'))
    }
  })

  it('are bounded in number and bytes; replacing one takes only what it adds', async () => {
    await saved({ conversation_id: ID, messages: [{ role: 'user', content: 'x'.repeat(1400) }] })
    await saved({ conversation_id: ID, messages: [{ role: 'user', content: 'y'.repeat(1400) }] })
    const full = await save({ messages: [{ role: 'user', content: 'x'.repeat(1000) }] })
    expect([full.status, full.body.code], full.text).to.deep.equal([409, 'limit_reached'])
    for (let i = 0; i < 4; i++) await saved({ messages: [{ role: 'user', content: 'x' }] })
    expect((await save({ messages: [{ role: 'user', content: 'x' }] })).body.code).to.equal('limit_reached')
    await call('DELETE', `/v1/conversations/${ID}`)
    await saved({ messages: [{ role: 'user', content: 'x' }] })
  })

  it('are erased when a subject is forgotten, and hold it no more when they are saved later', async () => {
    const { conversation_id: named } = await saved({
      messages: [{ role: 'user', content: 'A letter from Grace  HOPPER' }],
    })
    const { conversation_id: other } = await saved()
    const begun = await call('POST', '/v1/captures/forget', { confirm: true, subject: 'Grace Hopper' })
    expect(begun.status, begun.text).to.equal(202)
    const { forget_id: forgetId } = begun.body.forget
    const signer = api.server.services.signingKeys.current
    const op = { ...setUpOperation(database.db, tenant.id), scopes: null }
    await runForget(op, {
      learners: api.server.services.captureLearners,
      forgetId,
      signer,
      signal: new AbortController().signal,
      onBatch: () => undefined,
    })
    const { forgets } = (await call('GET', '/v1/captures/forgotten')).body
    expect(forgets[0]).to.deep.include({ state: 'done', forgotten: 0, conversations: 1 })
    expect((await call('GET', `/v1/conversations/${named}`)).status).to.equal(404)
    expect((await call('GET', `/v1/conversations/${other}`)).status).to.equal(200)
    await expectAudited(op, 'conversation.forgotten')
    await saved({
      conversation_id: ID,
      title: 'On Grace Hopper',
      messages: [{ role: 'user', content: 'grace hopper?' }],
    })
    const later = (await call('GET', `/v1/conversations/${ID}`)).body
    expect([later.title, later.messages[0].content]).to.deep.equal(['On VAR_FORGOTTEN_2', 'VAR_FORGOTTEN_1?'])
    const rows = await sendSql(
      database.db,
      `select to_json(c)::text as row from conversations c where tenant_id = $1`,
      [tenant.id],
    )
    expect(JSON.stringify(rows).toLowerCase()).not.to.contain('hopper')
  })

  it('move with an anonymous workspace; one whose id the account has already gets a new id', async () => {
    const { body: workspace } = await api.call('POST', '/v1/anon/bootstrap', { body: {} })
    const mine = [{ role: 'user', content: 'from the workspace' }]
    await saved({ conversation_id: ID, messages: mine }, workspace.anon_token)
    await saved({ conversation_id: `${ID}0`, messages: mine }, workspace.anon_token)
    await saved({ conversation_id: ID })
    const { email } = (await call('GET', '/v1/account')).body
    const merged = await call('POST', '/v1/anon/claim', { anon_token: workspace.anon_token, email })
    expect(merged.body, merged.text).to.include({ mode: 'merged' })
    const { conversations } = (await call('GET', '/v1/conversations')).body
    const titles = conversations.map((each: { title: string }) => each.title).toSorted()
    expect(titles).to.deep.equal(['Where is my parcel?', 'from the workspace', 'from the workspace'])
    expect((await call('GET', `/v1/conversations/${ID}`)).body.title).to.equal('Where is my parcel?')
    expect((await call('GET', `/v1/conversations/${ID}0`)).body.title).to.equal('from the workspace')
  })

  it('need their scopes, and no key that is bound to namespaces', async () => {
    const { key: reader } = await givenScopedKey(api, tenant.key, { scopes: ['conversations:read'] })
    expect((await save({}, reader)).status).to.equal(403)
    expect((await call('GET', '/v1/conversations', undefined, reader)).status).to.equal(200)
    const { key: bound } = await givenScopedKey(api, tenant.key, { scopes: ['conversations:*', 'namespace:support'] })
    expect((await call('GET', '/v1/conversations', undefined, bound)).status).to.equal(403)
  })
})
