import { request as httpRequest } from 'node:http'
import { expect } from 'chai'
import type { Route } from '../../../api/kernel/route.ts'
import { ROUTES } from '../../../api/routes/index.ts'
import { rotateKeyRoute } from '../../../api/routes/keys/primary.ts'
import { newId } from '../../../core/ids.ts'
import { SCOPES, type Scope } from '../../../core/tenancy/scopes.ts'
import { createExport } from '../../../db/exports/create-export.ts'
import { findJob } from '../../../db/jobs/find-job.ts'
import { storeProviderKey } from '../../../db/provider-keys/store-provider-key.ts'
import { givenJob, givenReady, limits } from '../../db/given.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant, type TestApi } from '../../support/api.ts'
import { bodyOf, headersFor, pathOf } from '../../support/declared-routes.ts'
import { givenKey } from '../../support/people/given-keys.ts'
import { findOwner, givenMember, givenPlan, givenSession, setUpOperation } from '../../support/people/given-members.ts'

const nameOf = (route: Route): string => `${route.method.toUpperCase()} ${route.path}`
const takesBody = (route: Route): boolean => route.method !== 'get' && route.method !== 'delete'
const guarded = ROUTES.filter((route) => route.auth !== 'public')
/** Routes that ask a key for a scope. */
const scoped = ROUTES.flatMap((route) => (route.scope === undefined ? [] : [{ route, scope: route.scope }]))

/** Status and machine code of an answer; the code is absent where the form of the route has no place for it. */
function refusalOf({ status, body }: Answer): readonly [number, unknown] {
  return [status, body.code]
}

/** Calls with headers as they are, one after the other: `fetch` would join repeated ones. */
async function callRaw(url: string, method: string, path: string, headers: readonly string[]): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const sent = httpRequest(url + path, { method, headers: ['host', new URL(url).host, ...headers] }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const text = bytes.toString()
      const body: unknown = text.startsWith('{') ? JSON.parse(text) : {}
      resolve({ status: response.statusCode ?? 0, headers: new Headers(), text, bytes, body })
    })
  })
  sent.on('error', reject)
  sent.end()
  return await promise
}

/** Every way to write the path of a route that a router could take for the same one. */
function disguisesOf(route: Route): readonly string[] {
  const path = pathOf(route)
  const upper = path.replace(/[a-z]/, (letter) => letter.toUpperCase())
  const encoded = path.replace(/(?<=.)\//, '%2F')
  const others = [upper, path.toUpperCase(), `${path}/`, encoded, `/${path}`, `${path}//`]
  return others.filter((other) => other !== path)
}

describe('guard', () => {
  const api = useApi()
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })

  it('upper-case paths never pass the guard', async () => {
    for (const route of guarded.filter(({ auth }) => auth !== 'optional')) {
      for (const path of disguisesOf(route)) {
        const plain = await api.call(route.method.toUpperCase(), path)
        expect(refusalOf(plain), `${route.method} ${path}`).to.deep.equal([404, 'route_not_found'])
      }
      // These may be ids of a route beside it, which has a guard too.
      for (const ending of [';x=1', '%00', '.json', '%20', '?', '#']) {
        const { status } = await api.call(route.method.toUpperCase(), `${pathOf(route)}${ending}`)
        expect(status, `${route.method} ${route.path}${ending}`).to.be.oneOf([401, 404])
      }
    }
    const listed = await api.call('GET', '/V1/artifacts', { key: tenant.key })
    expect(refusalOf(listed)).to.deep.equal([404, 'route_not_found'])
  }).timeout(300_000)

  it('a trailing slash on rotate-key mints nothing', async () => {
    const { db } = api.server.services
    const { key } = await givenKey(db, { tenantId: tenant.id, scopes: ['capture:read'] })
    for (const path of disguisesOf(rotateKeyRoute)) {
      for (const credential of [key, tenant.key]) {
        const answer = await api.call('POST', path, { key: credential })
        expect(refusalOf(answer), path).to.deep.equal([404, 'route_not_found'])
        expect(answer.text).not.to.contain('ks_')
      }
    }
    const [row] = await db.query<{ keys: number }>('select count(*) as keys from api_keys where tenant_id = $1', [
      tenant.id,
    ])
    expect(row?.keys).to.equal(2)
    expect((await api.call('GET', '/v1/account', { key: tenant.key })).status).to.equal(200)
  })

  it('a capture:read key cannot delete, rotate, configure or export', async () => {
    const { key } = await givenKey(api.server.services.db, { tenantId: tenant.id, scopes: ['capture:read'] })
    const dangerous = scoped.filter(({ scope }) => scope !== 'capture:read')
    expect(dangerous.map(({ route }) => route.path)).to.include.members([
      '/v1/account/delete',
      '/v1/account/rotate-key',
      '/v1/account/rotate-receipt-secret',
      '/v1/account/settings',
      '/v1/account/export',
      '/v1/account/sso/configure',
    ])
    for (const { route, scope } of dangerous) {
      const answer = await api.call(route.method.toUpperCase(), pathOf(route), {
        key,
        ...(takesBody(route) && { body: { confirm: 'DELETE' } }),
      })
      expect(refusalOf(answer), nameOf(route)).to.deep.equal([403, 'insufficient_scope'])
      expect(answer.body.details, nameOf(route)).to.deep.equal({ required: scope })
    }
    expect((await api.call('GET', '/v1/account', { key: tenant.key })).status).to.equal(200)
  })

  it('refuses every route to a key that has all scopes but its own', async () => {
    const { db } = api.server.services
    const keys = new Map<Scope, string>()
    for (const { route, scope } of scoped) {
      const key =
        keys.get(scope) ??
        (await givenKey(db, { tenantId: tenant.id, scopes: SCOPES.filter((other) => other !== scope) })).key
      keys.set(scope, key)
      const method = route.method.toUpperCase()
      const options = takesBody(route) ? { key, body: {} } : { key }
      const plain = await api.call(method, pathOf(route), options)
      expect(refusalOf(plain), nameOf(route)).to.deep.equal([403, 'insufficient_scope'])
      for (const headers of [
        { 'x-http-method-override': 'GET' },
        { 'x-http-method': 'GET', 'x-method-override': 'GET' },
        { 'x-original-url': '/health', 'x-rewrite-url': '/health' },
      ]) {
        const disguised = await api.call(method, pathOf(route), { ...options, headers })
        expect(refusalOf(disguised), nameOf(route)).to.deep.equal(refusalOf(plain))
      }
    }
  }).timeout(300_000)

  it('refuses a credential that is there twice, whatever the second one is', async () => {
    const narrow = await givenKey(api.server.services.db, { tenantId: tenant.id, scopes: ['capture:read'] })
    const { sessionId: _sessionId, headers } = await givenSession(
      api.server.services.db,
      await findOwner(setUpOperation(api.server.services.db, tenant.id)),
    )
    for (const route of guarded) {
      const repeated = [
        ['x-api-key', narrow.key, 'x-api-key', tenant.key],
        ['x-api-key', tenant.key, 'X-API-Key', tenant.key],
        ['authorization', `Bearer ${narrow.key}`, 'authorization', `Bearer ${tenant.key}`],
        ['authorization', `Bearer ${narrow.key}`, 'x-api-key', tenant.key],
        ['cookie', `${headers.cookie}; svc_session=other`, 'sec-fetch-site', 'same-origin'],
      ]
      for (const given of repeated) {
        const answer = await callRaw(api.url, route.method.toUpperCase(), pathOf(route), given)
        if (route.errorShape === 'scim') expect(answer.status, nameOf(route)).to.equal(400)
        else expect(refusalOf(answer), `${nameOf(route)} ${given[0]}`).to.deep.equal([400, 'ambiguous_credentials'])
      }
    }
  })

  it('never takes the token of an identity provider for a key', async () => {
    const { key } = await givenKey(api.server.services.db, { tenantId: tenant.id, scopes: ['*'], kind: 'scim' })
    for (const route of guarded.filter(({ auth }) => auth === 'key' || auth === 'optional')) {
      const answer = await api.call(route.method.toUpperCase(), pathOf(route), {
        key,
        ...(takesBody(route) && { body: {} }),
      })
      expect(refusalOf(answer), nameOf(route)).to.deep.equal([401, 'invalid_credential'])
    }
    const signIn = await api.call('POST', '/v1/signin', { body: { api_key: key } })
    expect(refusalOf(signIn)).to.deep.equal([401, 'invalid_credential'])
  })
})

/** Something of each kind that a tenant has, by the prefix of its id. */
async function givenBelongings(api: TestApi, tenant: ApiTenant): Promise<ReadonlyMap<string, string>> {
  const { db } = api.server.services
  const set = setUpOperation(db, tenant.id)
  await givenPlan(db, tenant.id, 'business')
  const owner = await findOwner(set)
  const op = { ...set, scopes: ['*'] }
  const { job } = await givenJob(op)
  await givenReady(op, job.id)
  const { conceptId } = await findJob(op, job.id)
  const made = await createExport(op, {
    artifactId: job.id,
    target: 'svc',
    quant: null,
    part: 'merged',
    destination: 'download',
    limits: limits(),
  })
  const member = await givenMember(set, { role: 'member' })
  const { keyId } = await givenKey(db, { tenantId: tenant.id, scopes: ['run'] })
  const { sessionId } = await givenSession(db, owner)
  const providerKey = await storeProviderKey(op, {
    provider: 'openai',
    value: 'sk-of-somebody-else-0123',
    label: null,
    memberId: owner.id,
    limits: limits(),
  })
  const teamId = newId('team')
  const invitationId = newId('ivt')
  const shareId = newId('shr')
  const declarationId = newId('dcl')
  const at = [new Date(), new Date(Date.now() + 86_400_000)]
  await db.query(
    `insert into teams (id, tenant_id, slug, name, source, created_at, updated_at) values ($1, $2, 'a', 'A', 'manual', $3, $3)`,
    [teamId, tenant.id, at[0]],
  )
  await db.query(
    `insert into invitations (id, tenant_id, team_id, email, role, token_hash, created_at, expires_at)
     values ($1, $2, $3, 'somebody@example.test', 'member', '\\x00', $4, $5)`,
    [invitationId, tenant.id, teamId, ...at],
  )
  await db.query(
    `insert into share_links (id, tenant_id, kind, target_id, created_by, created_at, expires_at, opened_count)
     values ($1, $2, 'artifact', $3, 'system:test', $4, $5, 0)`,
    [shareId, tenant.id, job.id, ...at],
  )
  await db.query(
    `insert into export_declarations (id, tenant_id, destination_id, destination_class, state, ledger, created_at)
     values ($1, $2, 'dwh', 'warehouse', 'declared', '{}', $3)`,
    [declarationId, tenant.id, at[0]],
  )
  return new Map([
    ['ten', tenant.id],
    ['cmp', job.id],
    ['cpt', conceptId ?? ''],
    ['exp', made.id],
    ['mbr', member.id],
    ['key', keyId],
    ['ses', sessionId],
    ['pk', providerKey.id],
    ['team', teamId],
    ['ivt', invitationId],
    ['shr', shareId],
    ['dcl', declarationId],
  ])
}

describe("another tenant's things", () => {
  const api = useApi()
  let intruder: ApiTenant
  let scimToken: string
  let belongings: ReadonlyMap<string, string>
  let victim: ApiTenant
  before(async () => {
    victim = await givenApiTenant(api)
    intruder = await givenApiTenant(api)
    belongings = await givenBelongings(api, victim)
    await givenPlan(api.server.services.db, intruder.id, 'business')
    scimToken = (await givenKey(api.server.services.db, { tenantId: intruder.id, scopes: [], kind: 'scim' })).key
  })

  /** The path with the victim's ids in it; undefined when the route takes none of them. */
  const pathToVictim = (route: Route): string | undefined => {
    let isNamed = false
    const path = pathOf(route).replaceAll(/([a-z]{2,4})_0123456789abcdefghjkmnpqrs/g, (whole, prefix: string) => {
      const id = belongings.get(prefix)
      isNamed ||= id !== undefined
      return id ?? whole
    })
    return isNamed ? path : undefined
  }

  it('are as unknown as what nobody has; teams and organisations are forbidden', async () => {
    const tried: string[] = []
    for (const route of guarded.filter(({ auth }) => auth === 'key' || auth === 'optional' || auth === 'scim')) {
      const path = pathToVictim(route)
      if (path === undefined) continue
      tried.push(nameOf(route))
      const options = { headers: headersFor(route, { key: intruder.key, scimToken }), body: bodyOf(route) }
      const foreign = await api.call(route.method.toUpperCase(), path, options)
      const unknown = await api.call(route.method.toUpperCase(), pathOf(route), options)
      const isShared = /^\/v1\/(teams|orgs)\/\{/.test(route.path)
      if (isShared) expect(refusalOf(foreign), nameOf(route)).to.deep.equal([403, 'forbidden'])
      else expect(refusalOf(foreign), nameOf(route)).to.deep.equal(refusalOf(unknown))
      expect(foreign.status, nameOf(route)).to.be.within(400, 499)
    }
    expect(tried).to.have.length.greaterThan(15)
  })

  it('are all still there afterwards', async () => {
    const account = await api.call('GET', '/v1/account', { key: victim.key })
    expect(account.status).to.equal(200)
    const { db } = api.server.services
    const [left] = await db.query<{ left: number }>(
      `select (select count(*) from api_keys where tenant_id = $1 and revoked_at is null)
         + (select count(*) from sessions where tenant_id = $1 and closed_at is null)
         + (select count(*) from provider_keys where tenant_id = $1) + (select count(*) from teams where tenant_id = $1)
         + (select count(*) from invitations where tenant_id = $1 and revoked_at is null)
         + (select count(*) from share_links where tenant_id = $1 and revoked_at is null)
         + (select count(*) from members where tenant_id = $1 and state = 'active') as left`,
      [victim.id],
    )
    // Two keys, two members, and one of each of the others.
    expect(left?.left).to.equal(9)
  })
})
