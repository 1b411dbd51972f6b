import { expect } from 'chai'
import { ROUTES } from '../../../api/routes.ts'
import { givenProgramArtifact } from '../../support/archives/signed-artifacts.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../support/api.ts'
import { givenPlan, setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('a call with an Idempotency-Key', () => {
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    settings: { isMailConfigured: true, publicUrl: 'http://svc.test' },
  })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
    await givenPlan(database.db, tenant.id, 'teams')
  })
  const post = async (path: string, body: unknown, key = 'k-1') =>
    await api.call('POST', path, { key: tenant.key, body, headers: { 'idempotency-key': key } })

  it('is another one when its path names something else', async () => {
    const teams = await Promise.all(
      ['One', 'Two'].map(
        async (name) => (await api.call('POST', '/v1/teams', { key: tenant.key, body: { name } })).body,
      ),
    )
    const invite = async (index: number) =>
      await post(`/v1/teams/${teams[index].team.id}/invite`, { email: 'invitee@example.test', role: 'member' })
    const first = await invite(0)
    expect(first.status, first.text).to.equal(201)
    expect((await invite(0)).text).to.equal(first.text)
    const other = await invite(1)
    expect([other.status, other.body.code]).to.deep.equal([409, 'idempotency_key_reused'])
  })

  it('is answered with the same headers, the first time and again', async () => {
    const send = async () => await post('/v1/account/api-control-center/events', { payload: { note: 'a note' } })
    const [first, again] = [await send(), await send()]
    expect(first.status, first.text).to.equal(201)
    expect(again.text).to.equal(first.text)
    for (const { headers } of [first, again]) expect(headers.get('x-svc-receipt-id')).to.match(/^rcpt_/)
    expect(again.headers.get('x-svc-receipt-id')).to.equal(first.headers.get('x-svc-receipt-id'))
  })

  it('stores neither its request nor its answer in a readable form', async () => {
    const artifact = await givenProgramArtifact(setUpOperation(database.db, tenant.id))
    const link = async () => await post('/v1/share-links', { target_id: artifact })
    const made = await link()
    expect(made.status, made.text).to.equal(201)
    expect((await link()).body.url).to.equal(made.body.url)
    const token = String(made.body.url).split('/').at(-1) ?? ''
    const [row] = await sendSql<{ row: string }>(
      database.db,
      `select row_to_json(i)::text || encode(sealed_answer, 'escape') as row from idempotency_keys i where tenant_id = $1`,
      [tenant.id],
    )
    expect(row?.row).to.contain('createShareLink').and.not.contain(token.slice(0, 12)).and.not.contain(made.body.id)
  })

  it('sets no cookie, which a repeated call would get again', () => {
    const kept = ROUTES.filter(({ idempotency }) => idempotency !== undefined)
    expect(kept.filter(({ setsCookie }) => setsCookie)).to.deep.equal([])
    // Sign-up and new keys show the key once. It is stored nowhere, so these answers are not repeated.
    for (const path of ['/v1/signup', '/v1/account/scoped-keys', '/v1/account/rotate-key', '/v1/admin/tenant']) {
      expect(
        kept.some((route) => route.path === path),
        path,
      ).to.equal(false)
    }
  })
})

describe('a text with U+0000', () => {
  const api = useApi()

  it('is refused by the name of its field, and by 404 in a path', async () => {
    const { key } = await givenApiTenant(api)
    for (const [path, body, field] of [
      ['/v1/account/receipt-secret/prune', { key_id: 'a\0b' }, 'key_id'],
      ['/v1/account/next-actions/snooze', { dismiss_key: 'stale:\0' }, 'dismiss_key'],
    ] as const) {
      const answer = await api.call('POST', path, { key, body })
      expect([answer.status, answer.body.code], path).to.deep.equal([400, 'validation_failed'])
      expect(answer.body.details.fields[0]?.field, path).to.equal(field)
    }
    // Also where the answer is a stream, which would have begun before the database refuses it.
    for (const path of ['/v1/captures/list', '/v1/capture/export']) {
      const answer = await api.call('GET', `${path}?q=abc%00`, { key })
      expect([answer.status, answer.body.details?.fields[0]?.field], answer.text).to.deep.equal([400, 'q'])
    }
    const started = await api.call('GET', '/v1/sso/a%00b/start')
    expect(started.status).to.equal(404)
  })
})
