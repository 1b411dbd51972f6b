import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'
import { pathOf } from '../../support/wire/declared-routes.ts'
import {
  BOUNDED,
  callRoute,
  COMPILE,
  OWNED,
  pathTo,
  rowsOf,
  seen,
  walkLists,
  walkOutside,
  walkRefused,
  type BoundKey,
} from '../../support/wire/walks/bound-keys.ts'
import { givenKey } from '../../support/people/given-keys.ts'
import { givenPlan } from '../../support/people/given-members.ts'
import { givenNamespace } from '../../support/people/given-namespaces.ts'
import { sendSql } from '../../support/db/send-sql.ts'

/** Folder of the base that a fit starts from. */
const BASES = fileURLToPath(new URL('../../../bases', import.meta.url))

/** Reads of what these tests do not make: bytes of an export, the end of a job, reports, and a log of scored rows. */
const NOT_GIVEN: ReadonlySet<string> = new Set([
  'downloadExport',
  'streamCompile',
  'getDiagnosis',
  'getFailureModes',
  'getEvaluationLog',
  'getBenchRun',
  'streamDistillRun',
  'getDistillRunAdapter',
  'exportDataset',
  'listDatasetRows',
  'diffDataset',
])

describe('a key that is bound to a namespace', () => {
  const api = useApi({ limits: { running_jobs_free: 100, quota_free: 100_000 }, settings: { baseFolders: [BASES] } })
  let tenant: ApiTenant
  let key: string
  let inside: ReadonlyMap<string, string>
  let outside: ReadonlyMap<string, string>
  const bound = async (namespace: string) =>
    (await givenKey(api.server.services.db, { tenantId: tenant.id, scopes: ['*', `namespace:${namespace}`] })).key

  before(async () => {
    tenant = await givenApiTenant(api)
    await givenPlan(api.server.services.db, tenant.id, 'business')
    inside = await givenNamespace(api, tenant, 'inside')
    outside = await givenNamespace(api, tenant, 'outside')
    key = await bound('inside')
  })

  const boundKey = (): BoundKey => ({ key, namespace: 'inside', inside, otherNamespace: 'outside', outside })

  it('finds a rule on every route that takes a key, and a reason where there is none', () => {
    for (const { operationId, namespace } of OWNED) {
      expect(namespace, operationId).to.match(/^(bounded|refused|none: \w.{10,})$/)
    }
    const unbounded = OWNED.filter(({ namespace }) => namespace?.startsWith('none:'))
    expect(unbounded.length / OWNED.length, 'share of routes without a rule').to.be.lessThan(0.15)
  })

  it('is refused wherever a route is about the whole tenant', async () => {
    expect((await walkRefused(api, boundKey())).problems).to.deep.equal([])
  }).timeout(120_000)

  it('is shown the plan and the quota of the tenant, and not its address nor its tax fields', async () => {
    const company = {
      vat_number: 'DE123456789',
      tax_id: '12/345',
      company_name: 'Analytical Engines',
      country_code: 'DE',
    }
    await api.call('PATCH', '/v1/account/billing', { key: tenant.key, body: company })
    const whole = await api.call('GET', '/v1/account', { key: tenant.key })
    expect(whole.body).to.include(company)
    expect(whole.body.email).to.be.a('string')
    const part = await api.call('GET', '/v1/account', { key })
    const hidden = { email: null, vat_number: null, tax_id: null, company_name: null, country_code: null }
    expect(part.body).to.include({ ...hidden, id: whole.body.id, plan: whole.body.plan, quota: whole.body.quota })
  })

  it('does not find what lies outside, by path, body or query, whatever the process remembers of it', async () => {
    const { db } = api.server.services
    const before_ = await rowsOf(db, outside)
    // Memory knows the answers for those who may see them.
    for (const target of [
      { concept_id: outside.get('cpt') },
      { version_id: outside.get('ver') },
      { artifact_cid: outside.get('cid') },
    ]) {
      const ran = await api.call('POST', '/v1/run', { key: tenant.key, body: { ...target, input: 'x' } })
      expect(ran.status, ran.text).to.equal(200)
    }
    const { tried, problems } = await walkOutside(api, boundKey())
    expect(problems).to.deep.equal([])
    expect(tried).to.include.members([
      'run concept_id',
      'run artifact_cid',
      'createCompile concept_id',
      'streamCompile',
    ])
    expect(tried).to.include.members(['createShareLink target_id', 'revokeShareLink', 'deleteConcept', 'cancelCompile'])
    expect(tried).to.include.members(['createExport artifact_id', 'downloadExport', 'planExport artifact_id'])
    expect(await rowsOf(db, outside)).to.deep.equal(before_)
  }).timeout(120_000)

  it('is shown lists, sums and proposals of what lies inside, and of nothing else', async () => {
    const { tried, problems } = await walkLists(api, boundKey())
    expect(problems).to.deep.equal([])
    expect(tried.length).to.be.greaterThan(8)
    for (const path of [
      '/v1/compile',
      '/v1/artifacts',
      '/v1/concepts',
      '/v1/exports',
      '/v1/share-links',
      '/v1/builds',
    ]) {
      const { text } = await api.call('GET', path, { key })
      expect(
        [...inside.values()].some((id) => text.includes(id)),
        `${path} ${text}`,
      ).to.equal(true)
    }
    for (const [path, field] of [
      ['/v1/artifacts', 'n'],
      ['/v1/builds', 'total'],
    ] as const) {
      expect((await api.call('GET', path, { key })).body[field], path).to.equal(1)
    }
    const { counters } = (await api.call('GET', '/v1/account/api-control-center', { key })).body
    expect(counters).to.include({ observed_events: 1, compile_jobs: 1, artifacts: 1 })
  })

  it('still does all of this inside', async () => {
    for (const route of BOUNDED.filter(({ method }) => method === 'get')) {
      const path = pathTo(route, inside)
      if (path === pathOf(route) || NOT_GIVEN.has(route.operationId)) continue
      const answer = await callRoute(api, key, route, path)
      expect(answer.status, `${route.operationId} ${answer.text}`).to.equal(200)
    }
    for (const target of [{ concept_id: inside.get('cpt') }, { artifact_cid: inside.get('cid') }]) {
      const ran = await api.call('POST', '/v1/run', { key, body: { ...target, input: 'x' } })
      expect(ran.status, ran.text).to.equal(200)
    }
    const link = await api.call('POST', '/v1/share-links', { key, body: { target_id: inside.get('cmp') } })
    expect(link.status, link.text).to.equal(201)
  })

  it('makes its compiles and events inside, and none elsewhere', async () => {
    const made = await api.call('POST', '/v1/compile', { key, body: COMPILE })
    expect(made.status, made.text).to.equal(202)
    const job = `/v1/compile/${made.body.job_id}`
    const statusFor = async (caller: string) => (await api.call('GET', job, { key: caller })).status
    expect([await statusFor(key), await statusFor(await bound('inside')), await statusFor(tenant.key)]).to.deep.equal([
      200, 200, 200,
    ])
    expect(await statusFor(await bound('outside'))).to.equal(404)
    const version = await api.call('POST', '/v1/compile', {
      key: tenant.key,
      body: { ...COMPILE, concept_id: inside.get('cpt') },
    })
    expect(version.status, version.text).to.equal(202)
    expect((await api.call('GET', `/v1/compile/${version.body.job_id}`, { key })).status).to.equal(200)
    const event = await api.call('POST', '/v1/account/api-control-center/events', {
      key,
      body: { namespace: 'outside', payload: { note: 'a note' } },
    })
    expect(seen(event)).to.deep.equal([403, 'insufficient_scope'])
    const linked = await api.call('POST', '/v1/account/api-control-center/events', {
      key,
      body: { namespace: 'inside', payload: { note: 'a note' }, links: { artifact_id: outside.get('cmp') } },
    })
    expect(linked.status, linked.text).to.equal(404)
  })

  it('reads the artifact of its own namespace by a CID that both have', async () => {
    const { db } = api.server.services
    await sendSql(db, 'update artifacts set cid = $2 where id = $1', [inside.get('cmp'), outside.get('cid')])
    const body = { artifact_cid: outside.get('cid'), input: 'x' }
    const all = await api.call('POST', '/v1/run', { key: tenant.key, body })
    const own = await api.call('POST', '/v1/run', { key, body })
    expect([all.body.version_id, own.body.version_id]).to.deep.equal([outside.get('ver'), inside.get('ver')])
    const listed = await api.call('GET', `/v1/cid/${encodeURIComponent(body.artifact_cid ?? '')}`, { key })
    expect(listed.text).to.contain(inside.get('cmp')).and.not.contain(outside.get('cmp'))
  })
})
