import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { newId } from '../../../core/kernel/ids.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'
import {
  givenMember,
  givenPlan,
  givenSession,
  setUpOperation,
  type GivenSession,
} from '../../support/people/given-members.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const VALUE = 'sk-contract-0123456789abcdef'
const PATH = '/v1/account/provider-keys'

describe('provider keys', () => {
  const api = useApi()
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
    await givenPlan(api.server.services.db, tenant.id, 'teams')
  })
  const store = async (
    body: Readonly<Record<string, unknown>>,
    options: { key?: string; headers?: GivenSession['headers'] },
  ) => await api.call('POST', PATH, { body: { provider: 'openai', value: VALUE, ...body }, ...options })

  it('the vault tells no digest of a secret', async () => {
    const { key } = tenant
    const stored = await store({ label: 'mine' }, { key })
    expect(stored.status, stored.text).to.equal(200)
    const listed = await api.call('GET', PATH, { key })
    const { db } = api.server.services
    const [row] = await sendSql<{ row: string }>(
      db,
      `select row_to_json(p)::text || encode(sealed_value, 'escape') as row from provider_keys p where tenant_id = $1`,
      [tenant.id],
    )
    const audited = await expectAudited(setUpOperation(db, tenant.id), 'provider_key.stored')
    const told = [stored.text, listed.text, row?.row ?? '', JSON.stringify(audited.payload)]
    const digests = ['sha256', 'sha1', 'md5', 'sha512'].map((name) => createHash(name).update(VALUE))
    const secrets = [VALUE, VALUE.slice(0, 9), ...digests.map((digest) => digest.digest('hex').slice(0, 16))]
    for (const text of told) for (const secret of secrets) expect(text).not.to.contain(secret)
    expect(listed.body.keys[0]).to.include({
      id: stored.body.key.id,
      provider: 'openai',
      label: 'mine',
      scope: 'member',
      value_included: false,
      encrypted_at_rest: true,
    })
    expect(listed.body.providers).to.have.length(16)
  })

  it('are one for each holder and provider, removed by their holder', async () => {
    const { key } = tenant
    const first = await store({}, { key })
    const second = await store({ value: 'sk-another-0123456789' }, { key })
    expect(second.body.key.id).to.equal(first.body.key.id)
    expect(second.body.key.fingerprint).not.to.equal(first.body.key.fingerprint)
    const removed = await api.call('DELETE', `${PATH}/${first.body.key.id}`, { key })
    expect(removed.body.deleted).to.equal(first.body.key.id)
    expect((await api.call('DELETE', `${PATH}/${first.body.key.id}`, { key })).status).to.equal(404)
    expect((await api.call('GET', PATH, { key })).body.keys).to.deep.equal([])
    await expectAudited(setUpOperation(api.server.services.db, tenant.id), 'provider_key.deleted', first.body.key.id)
  })

  it('are of known providers, and look like keys', async () => {
    const { key } = tenant
    for (const [body, code] of [
      [{ provider: 'unknown' }, 'bad_provider'],
      [{ value: 'short' }, 'invalid_value'],
      [{ value: 'sk-with a space in it' }, 'invalid_value'],
      [{ value: 'sk-with\r\nX-Header: in-it' }, 'invalid_value'],
      [{ value: undefined }, 'validation_failed'],
      [{ provider: undefined }, 'validation_failed'],
      [{ scope: 'team' }, 'validation_failed'],
    ] as const) {
      const answer = await store(body, { key })
      expect([answer.status, answer.body.code], JSON.stringify(body)).to.deep.equal([400, code])
      expect(answer.text).not.to.contain('in-it')
    }
  })

  it('of a team are stored by its administrators and seen by its members', async () => {
    const { db } = api.server.services
    const op = setUpOperation(db, tenant.id)
    const teamId = newId('team')
    await sendSql(
      db,
      `insert into teams (id, tenant_id, slug, name, source, created_at, updated_at)
       values ($1, $2, 'one', 'One', 'manual', now(), now())`,
      [teamId, tenant.id],
    )
    const people: Record<string, GivenSession> = {}
    for (const role of ['admin', 'member', 'outsider'] as const) {
      const member = await givenMember(op, { role: 'member' })
      people[role] = await givenSession(db, member)
      if (role === 'outsider') continue
      await sendSql(
        db,
        'insert into team_members (team_id, member_id, tenant_id, role, created_at) values ($1, $2, $3, $4, now())',
        [teamId, member.id, tenant.id, role],
      )
    }
    const headersOf = (who: string) => ({ headers: people[who]?.headers ?? { cookie: '', 'sec-fetch-site': '' } })
    const shared = { scope: 'team', team_id: teamId }
    for (const who of ['member', 'outsider']) {
      expect((await store(shared, headersOf(who))).body.code, who).to.equal('forbidden')
    }
    const stored = await store(shared, headersOf('admin'))
    expect(stored.body.key, stored.text).to.include({ scope: 'team', team_id: teamId, member_id: null })
    const seenBy = async (who: string) => await api.call('GET', `${PATH}?team_id=${teamId}`, headersOf(who))
    expect((await seenBy('member')).body.keys).to.have.length(1)
    expect((await seenBy('outsider')).body.code).to.equal('forbidden')
    expect((await api.call('GET', PATH, headersOf('outsider'))).body.keys).to.deep.equal([])
    const id: string = stored.body.key.id
    for (const who of ['member', 'outsider']) {
      expect((await api.call('DELETE', `${PATH}/${id}`, headersOf(who))).body.code).to.equal('forbidden')
    }
    expect((await api.call('DELETE', `${PATH}/${id}`, headersOf('admin'))).status).to.equal(200)
    // A member's own key is theirs and the administrators'.
    const own = await store({}, headersOf('member'))
    expect((await api.call('DELETE', `${PATH}/${own.body.key.id}`, headersOf('outsider'))).body.code).to.equal(
      'forbidden',
    )
    expect((await api.call('DELETE', `${PATH}/${own.body.key.id}`, { key: tenant.key })).status).to.equal(200)
  })
})
