import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { Route } from '../../../api/kernel/route.ts'
import { ROUTES } from '../../../api/routes.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant, type CallOptions } from '../../support/api.ts'
import { bodyOf, endingPathOf, pathOf, schemasOf } from '../../support/wire/declared-routes.ts'
import { unknownLike } from '../../support/wire/unknown-id.ts'
import { givenKey } from '../../support/people/given-keys.ts'
import { givenPlan } from '../../support/people/given-members.ts'
import { givenNamespace } from '../../support/people/given-namespaces.ts'
import { sendSql } from '../../support/db/send-sql.ts'

/** The routes that a tenant's key opens. */
const OWNED = ROUTES.filter(({ auth }) => auth === 'key' || auth === 'optional')
const BOUNDED = OWNED.filter(({ namespace }) => namespace === 'bounded')

const EXAMPLES = Array.from({ length: 4 }, (_, i) => ({ input: `in ${i}`, output: `OUT ${i}` }))
/** Folder of the base that a fit starts from. */
const BASES = fileURLToPath(new URL('../../../bases', import.meta.url))
const COMPILE = { task: 'Write it in capitals', mode: 'async', base_model: 'none', examples: EXAMPLES }
/** Other fields that a body needs before the id in it is looked up; by the field as well where it matters. `inside:cid` stands for the CID of the own namespace. */
const COMPLETIONS: Readonly<Record<string, JsonObject>> = {
  run: { input: 'x' },
  runBatch: { inputs: ['x'] },
  createCompile: COMPILE,
  startCompile: COMPILE,
  compileBuilder: { task: COMPILE.task, examples: EXAMPLES },
  createExport: { target: 'svc' },
  planExport: { target: 'gguf' },
  mintScopedKey: { scopes: ['run', 'namespace:inside'] },
  forgetCaptures: { confirm: true },
  bakeOffAudio: { namespace: 'inside', confirm: true },
  'createCompile dataset_id': { task: COMPILE.task, mode: 'async', base_model: 'none' },
  'diffArtifacts a_cid': { b_cid: 'inside:cid' },
  'diffArtifacts b_cid': { a_cid: 'inside:cid' },
  runMmlu: { confirm: true },
  'runMmlu pack_id': { confirm: true, artifact_id: 'inside:cmp' },
  runHumanEval: { confirm: true },
  'runHumanEval pack_id': { confirm: true, artifact_id: 'inside:cmp' },
  runMtBench: { confirm: true },
  'runMtBench pack_id': { confirm: true, artifact_id: 'inside:cmp' },
  distillPreference: { namespace: 'inside', student_path: 'nano', objective: 'dpo' },
  distillOnPolicy: { namespace: 'inside', student_path: 'nano', teacher: 'nano' },
  receiveControlEvent: { namespace: 'inside', payload: { note: 'a note' } },
}
/** Fields of bodies and queries that name something which lies in a namespace. */
const NAMING_FIELDS: Readonly<Record<string, string>> = {
  concept_id: 'cpt',
  version_id: 'ver',
  artifact_cid: 'cid',
  artifact_id: 'cmp',
  target_id: 'cmp',
  batch_id: 'bat',
  capture_id: 'cap',
  observation_id: 'cap',
  cid: 'cid',
  a_cid: 'cid',
  b_cid: 'cid',
  artifact: 'cid',
  candidate_artifact: 'cmp',
  baseline_artifact: 'cmp',
  dataset_id: 'ds',
  pack_id: 'bpk',
}

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

const seen = ({ status, body }: Answer) => [status, body.code]

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

  const callRoute = async (route: Route, path: string, more: CallOptions = {}) =>
    await api.call(route.method.toUpperCase(), path, { key, ...more })
  const bodyFor = (route: Route, fields: JsonObject = {}): { readonly body?: unknown } => {
    if (schemasOf(route).body === undefined || route.method === 'get' || route.method === 'delete') return {}
    const [field] = Object.keys(fields)
    const completion = COMPLETIONS[`${route.operationId} ${field}`] ?? COMPLETIONS[route.operationId]
    const filled = Object.entries(completion ?? {}).map(([name, value]) => {
      const kind = typeof value === 'string' && value.startsWith('inside:') ? value.slice('inside:'.length) : undefined
      return [name, kind === undefined ? value : idOf(inside, kind)]
    })
    const rest = completion === undefined && field === undefined ? Object(bodyOf(route)) : Object.fromEntries(filled)
    return { body: { ...rest, ...fields } }
  }
  const idOf = (things: ReadonlyMap<string, string>, kind: string) => {
    const id = things.get(kind)
    if (id === undefined) throw new Error(`no ${kind} lies in a namespace`)
    return id
  }
  const pathTo = (route: Route, things: ReadonlyMap<string, string>): string =>
    pathOf(route)
      .replaceAll(/\b([a-z]{2,4})_[0-9a-hjkmnp-tv-z]{26}\b/g, (_whole, kind: string) => idOf(things, kind))
      .replace(/cidv1(:|%3A)sha256(:|%3A)[0-9a-f]{64}/, encodeURIComponent(idOf(things, 'cid')))
  const rowsOutside = async () =>
    await Promise.all(
      ['compile_jobs', 'concepts', 'versions', 'artifacts', 'exports', 'share_links'].map(
        async (table) =>
          await sendSql(
            api.server.services.db,
            `select row_to_json(t)::text as row from ${table} t where id = any($1)`,
            [[...outside.values()]],
          ),
      ),
    )

  it('finds a rule on every route that takes a key, and a reason where there is none', () => {
    for (const { operationId, namespace } of OWNED) {
      expect(namespace, operationId).to.match(/^(bounded|refused|none: \w.{10,})$/)
    }
    const unbounded = OWNED.filter(({ namespace }) => namespace?.startsWith('none:'))
    expect(unbounded.length / OWNED.length, 'share of routes without a rule').to.be.lessThan(0.15)
  })

  it('is refused wherever a route is about the whole tenant', async () => {
    for (const route of OWNED.filter(({ namespace }) => namespace === 'refused')) {
      const answer = await callRoute(route, pathOf(route), schemasOf(route).body ? { body: {} } : {})
      expect(seen(answer), route.operationId).to.deep.equal([403, 'insufficient_scope'])
      expect(answer.body.details, route.operationId).to.deep.equal({ bound_to: ['inside'] })
    }
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
    const before_ = await rowsOutside()
    // Memory knows the answers for those who may see them.
    for (const target of [
      { concept_id: outside.get('cpt') },
      { version_id: outside.get('ver') },
      { artifact_cid: outside.get('cid') },
    ]) {
      const ran = await api.call('POST', '/v1/run', { key: tenant.key, body: { ...target, input: 'x' } })
      expect(ran.status, ran.text).to.equal(200)
    }
    const tried: string[] = []
    for (const route of BOUNDED) {
      if (pathTo(route, outside) !== pathOf(route)) {
        const foreign = await callRoute(route, pathTo(route, outside), bodyFor(route))
        if (route.operationId !== 'findByCid')
          expect(foreign.status, `${route.operationId} ${foreign.text}`).to.equal(404)
        expect(foreign.text, route.operationId).not.to.contain(outside.get('cmp'))
        tried.push(route.operationId)
      }
      const { body } = schemasOf(route)
      const shape: unknown = body !== undefined && 'shape' in body ? body.shape : {}
      for (const [field, kind] of Object.entries(NAMING_FIELDS)) {
        if (!Object.keys(Object(shape)).includes(field)) continue
        const id = idOf(outside, kind)
        // The key's own namespace, where a path names one.
        const path = pathOf(route).replace(/(?<=\/namespaces\/)\w+/, 'inside')
        const foreign = await callRoute(route, path, bodyFor(route, { [field]: id }))
        const unknown = await callRoute(route, path, bodyFor(route, { [field]: unknownLike(id) }))
        expect(seen(foreign), `${route.operationId} ${field} ${foreign.text}`).to.deep.equal(seen(unknown))
        expect(foreign.status, `${route.operationId} ${field} ${foreign.text}`).to.equal(404)
        tried.push(`${route.operationId} ${field}`)
      }
    }
    expect(tried).to.include.members([
      'run concept_id',
      'run artifact_cid',
      'createCompile concept_id',
      'streamCompile',
    ])
    expect(tried).to.include.members(['createShareLink target_id', 'revokeShareLink', 'deleteConcept', 'cancelCompile'])
    expect(tried).to.include.members(['createExport artifact_id', 'downloadExport', 'planExport artifact_id'])
    expect(await rowsOutside()).to.deep.equal(before_)
  }).timeout(120_000)

  it('is shown lists, sums and proposals of what lies inside, and of nothing else', async () => {
    const lists = BOUNDED.filter(({ method, params }) => method === 'get' && params === undefined)
    expect(lists.length).to.be.greaterThan(8)
    for (const route of lists) {
      const answer = await callRoute(route, endingPathOf(route))
      if (schemasOf(route).query !== undefined && answer.status === 400) continue
      expect(answer.status, `${route.operationId} ${answer.text}`).to.equal(200)
      for (const [kind, id] of outside) expect(answer.text, `${route.operationId} ${kind}`).not.to.contain(id)
      expect(answer.text, route.operationId).not.to.contain('outside')
    }
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
      const answer = await callRoute(route, path)
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
