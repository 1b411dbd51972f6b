import { expect } from 'chai'
import { keepAnswer } from '../../../../db/gateway/cache/keep-answer.ts'
import { findAnswer } from '../../../../db/gateway/cache/find-answer.ts'
import { rememberForgotten } from '../../../../db/gateway/forgotten/remember-forgotten.ts'
import { DEFAULT_LIMITS } from '../../../../core/limits.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'

const NAME = 'Marianne Oldfield'

describe('a write that is under way while something is forgotten', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })
  const op = () => ({ ...setUpOperation(database.db, tenant.id), scopes: null })
  const call = async (method: string, path: string, body: unknown) => {
    const isForm = body instanceof FormData
    return await api.call(method, path, { key: tenant.key, ...(isForm ? { raw: body } : { body }) })
  }
  /** Forgets the name while `write` is under way: it has begun before, and ends behind it. */
  const meanwhile = async <T>(write: () => Promise<T>, text = NAME): Promise<T> => {
    let written: Promise<T> | undefined
    await op().write(async (tx) => {
      await rememberForgotten(tx, op(), { kind: 'subject', text })
      written = write()
      // Long enough to read and redact, and to wait for the lock.
      await Promise.race([written, new Promise((resolve) => setTimeout(resolve, 700))])
    })
    return await (written ?? expect.fail('nothing was written'))
  }

  it('keeps the name of a file and its text out', async () => {
    const raw = new FormData()
    raw.set('file', new Blob([`A letter of ${NAME}.`], { type: 'text/plain' }), `${NAME}.txt`)
    expect((await call('PUT', '/v1/gateway/namespaces/media', { display_name: 'x' })).status).to.equal(200)
    const stored = await meanwhile(async () => await call('POST', '/v1/capture/media', raw))
    expect(stored.status, stored.text).to.equal(201)
    expect(stored.body.blobs[0].filename).to.equal('VAR_FORGOTTEN_1.txt')
    const [file] = await sendSql(database.db, 'select filename, size_bytes from capture_media where tenant_id = $1', [
      tenant.id,
    ])
    expect(file).to.deep.equal({
      filename: 'VAR_FORGOTTEN_1.txt',
      size_bytes: 'A letter of VAR_FORGOTTEN_1.'.length,
    })
  })

  it('keeps the file of a payload out', async () => {
    const data = Buffer.from(`A letter of ${NAME}.`).toString('base64')
    const body = { kind: 'image', namespace: 'media', payload: { data_uri: `data:text/plain;base64,${data}` } }
    const stored = await meanwhile(async () => await call('POST', '/v1/captures/multimodal', body))
    expect(stored.status, stored.text).to.equal(201)
    const sizes = await sendSql(database.db, 'select size_bytes from capture_media where tenant_id = $1', [tenant.id])
    expect(sizes).to.deep.equal([{ size_bytes: 'A letter of VAR_FORGOTTEN_1.'.length }])
  })

  it('keeps the output of a reviewer out', async () => {
    const logged = await call('POST', '/v1/capture/log', { items: [{ input: 'a question', output: 'x' }] })
    const [id] = logged.body.ids
    const review = { action: 'approve', fixed_output: `Ask ${NAME}.` }
    const reviewed = await meanwhile(async () => await call('POST', `/v1/captures/${id}/review`, review))
    expect(reviewed.status, reviewed.text).to.equal(200)
    const { capture } = (await call('GET', `/v1/captures/${id}/inspect`, undefined)).body
    expect(capture.fixed_output).to.equal('Ask VAR_FORGOTTEN_1.')
  })

  it('keeps the reasons of reviews out', async () => {
    const items = [
      { input: 'one', output: 'x' },
      { input: 'two', output: 'y' },
    ]
    const [one, two] = (await call('POST', '/v1/capture/log', { items })).body.ids
    const reason = `As ${NAME} says.`
    const reviewed = await meanwhile(
      async () => await call('POST', `/v1/captures/${one}/review`, { action: 'reject', reason }),
    )
    expect(reviewed.status, reviewed.text).to.equal(200)
    const bulk = { action: 'reject', reason: `${reason} So says Ilse Varga.`, ids: [two] }
    const term = 'Ilse Varga'
    const together = await meanwhile(async () => await call('POST', '/v1/captures/review-bulk', bulk), term)
    expect(together.status, together.text).to.equal(200)
    const reasonOf = async (id: string) =>
      (await call('GET', `/v1/captures/${id}/inspect`, undefined)).body.capture.review_reason
    expect(await reasonOf(one)).to.equal('As VAR_FORGOTTEN_1 says.')
    expect(await reasonOf(two)).to.equal('As VAR_FORGOTTEN_1 says. So says VAR_FORGOTTEN_2.')
  })

  it('keeps a conversation out', async () => {
    const body = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: `Ask ${NAME}.` }] }
    const saved = await meanwhile(async () => await call('POST', '/v1/conversations', body))
    expect(saved.status, saved.text).to.equal(200)
    const { body: found } = await call('GET', `/v1/conversations/${saved.body.conversation_id}`, undefined)
    expect(found.messages[0].content).to.equal('Ask VAR_FORGOTTEN_1.')
  })

  const kept = (captureId: string, begunAt = new Date()) => ({
    key: Buffer.alloc(32, 7),
    namespace: 'default',
    provider: 'openai',
    model: 'gpt-4o-mini',
    captureId,
    answer: { id: '', model: '', usage: null, choices: [] },
    begunAt,
    now: new Date(),
    limits: DEFAULT_LIMITS,
  })
  const isCached = async () => (await findAnswer(op(), kept('').key, new Date())) !== null

  it('keeps the answer of a forgotten capture out of the cache', async () => {
    const logged = await call('POST', '/v1/capture/log', { items: [{ input: 'a question', output: 'x' }] })
    const [id = ''] = logged.body.ids as string[]
    await keepAnswer(op(), kept(id))
    expect(await isCached()).to.equal(true)
    const gone = await call('POST', '/v1/captures/forget', { confirm: true, capture_id: id })
    expect(gone.status, gone.text).to.equal(200)
    expect(await isCached()).to.equal(false)
    await keepAnswer(op(), kept(id))
    expect(await isCached()).to.equal(false)
  })

  it('does not keep answers waiting for captures', async () => {
    await call('POST', '/v1/capture/log', { items: [{ input: 'a question', output: 'x' }] })
    await op().write(async (tx) => {
      await tx.q.selectFrom('capture_heads').select('position').where('tenant_id', '=', tenant.id).forUpdate().execute()
      await keepAnswer(op(), kept('cap_none'))
      expect(await isCached()).to.equal(true)
    })
  })
})
