import { expect } from 'chai'
import type { z } from 'zod'
import type { Route } from '../../../api/kernel/route.ts'
import { ROUTES } from '../../../api/routes.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { call, givenApiTenant, useApi, type Answer, type ApiTenant, type CallOptions } from '../../support/api.ts'
import {
  bodyOf,
  endingPathOf,
  givenScimToken,
  headersFor,
  pathOf,
  schemasOf,
} from '../../support/wire/declared-routes.ts'
import { unknownLike } from '../../support/wire/unknown-id.ts'
import { INFERENCE_ROUTES } from '../../../api/gateway/inference/index.ts'
import { givenBelongings } from '../../support/people/given-belongings.ts'
import { givenKey } from '../../support/people/given-keys.ts'
import { givenPlan } from '../../support/people/given-members.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const nameOf = (route: Route): string => `${route.method.toUpperCase()} ${route.path}`
const takesBody = (route: Route): boolean => route.method !== 'get' && route.method !== 'delete'
/** The routes that a tenant's credential opens. */
const owned = ROUTES.filter(({ auth }) => auth === 'key' || auth === 'optional' || auth === 'scim')

/** Fields of queries and bodies that name something of a tenant, and what kind of thing. */
const NAMING_FIELDS: Readonly<Record<string, string>> = {
  concept_id: 'cpt',
  version_id: 'ver',
  artifact_cid: 'cid',
  a_cid: 'cid',
  b_cid: 'cid',
  successor_id: 'cmp',
  artifact_id: 'cmp',
  target_id: 'cmp',
  team_id: 'team',
  member_id: 'mbr',
  key_id: 'rsk',
  batch_id: 'bat',
  capture_id: 'cap',
  observation_id: 'cap',
  dataset_id: 'ds',
  adapter_id: 'cmp',
  pack_id: 'bpk',
}
/** Bodies in which a field may stand that goes with no example: a dataset stands in place of examples, an adapter on a base. */
const BODIES_WITH: Readonly<Record<string, JsonObject>> = {
  dataset_id: { task: 'Write it in capitals', mode: 'async' },
  adapter_id: { confirm: true, base: 'nano' },
  pack_id: { confirm: true, base: 'nano' },
}
/** Fields that look like one and name nothing that is stored here. */
/** Routes whose path names a model of a provider or a namespace by its name, and nothing by an id. */
const BY_NAME: ReadonlySet<string> = new Set([
  ...INFERENCE_ROUTES.filter(({ path }) => path.includes('{model}')).map(({ operationId }) => operationId),
  'getModel',
  'getModelBeta',
  'getGatewayNamespace',
  'putGatewayNamespace',
  'listCopyrightQueue',
  'getCcShape',
  'getHoldout',
  'deleteHoldout',
  'revealHoldout',
  'listHoldoutRows',
])
const OTHER_IDS = [
  'corpus_id',
  'namespace_id',
  'evidence_id',
  'source_id',
  'tax_id',
  'idp_entity_id',
  'oidc_client_id',
  'conversation_id',
  'parent_message_id',
  'recipe_id',
]

/** Other fields that a body needs before the id in it is looked up. */
const COMPLETIONS: Readonly<Record<string, JsonObject>> = {
  run: { input: 'x' },
  runBatch: { inputs: ['x'] },
  createCompile: { task: 'Write it in capitals', mode: 'async', examples: rows() },
  startCompile: { task: 'Write it in capitals', mode: 'async', examples: rows() },
  compileBuilder: { task: 'Write it in capitals', mode: 'async', examples: rows() },
  mintScopedKey: { scopes: ['run'] },
  storeProviderKey: { provider: 'openai', value: 'sk-of-the-intruder-0123', scope: 'team' },
  diffArtifacts: { a_cid: `cidv1:sha256:${'0'.repeat(64)}`, b_cid: `cidv1:sha256:${'0'.repeat(64)}` },
  moveArtifact: { to_state: 'superseded' },
  createExport: { target: 'svc' },
  planExport: { target: 'svc' },
  forgetCaptures: { confirm: true },
  scanCopyright: {},
}

function rows(): readonly JsonObject[] {
  return Array.from({ length: 4 }, (_, i) => ({ input: `in ${i}`, output: `OUT ${i}` }))
}

/** Names of the fields that a schema of an object knows. */
function fieldsOf(schema: z.ZodType | undefined): readonly string[] {
  if (schema === undefined) return []
  const shape: unknown = 'shape' in schema ? schema.shape : undefined
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : []
}

describe("another tenant's things", () => {
  const api = useApi({ limits: { sync_compile_wait_s: 0.01 } })
  let victim: ApiTenant
  let intruder: ApiTenant
  let credentials: { readonly key: string; readonly scimToken: string }
  let belongings: ReadonlyMap<string, string>
  let before_: ReadonlyMap<string, string>

  before(async () => {
    const { services } = api.server
    victim = await givenApiTenant(api)
    belongings = await givenBelongings(api, victim)
    // What waits to be chained or written down is done by the next who looks: that must not be one of these calls.
    await api.call('GET', '/v1/account/audit-log', { key: victim.key })
    await services.keyUses.flush()
    before_ = await rowsOf(victim.id)

    intruder = await givenApiTenant(api)
    await givenPlan(services.db, intruder.id, 'business')
    // Not the primary key, which one of the calls replaces.
    const { key } = await givenKey(services.db, { tenantId: intruder.id, scopes: ['*'] })
    await sendSql(
      services.db,
      `update api_keys set member_id = (select id from members where tenant_id = $1) where tenant_id = $1`,
      [intruder.id],
    )
    credentials = { key, scimToken: await givenScimToken(api, intruder.id) }
  })

  /** Every row of a tenant, by table, as text. */
  const rowsOf = async (tenantId: string): Promise<ReadonlyMap<string, string>> => {
    const { db } = api.server.services
    const tables = await sendSql<{ name: string }>(
      db,
      `select c.table_name as name from information_schema.columns c
       join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
       where c.table_schema = 'public' and c.column_name = 'tenant_id' and t.table_type = 'BASE TABLE' order by 1`,
    )
    const found = new Map<string, string>()
    for (const { name } of [...tables, { name: 'tenants' }]) {
      const column = name === 'tenants' ? 'id' : 'tenant_id'
      const [content] = await sendSql<{ rows: string }>(
        db,
        `select coalesce(string_agg(t::text, e'\\n' order by t::text), '') as rows from ${name} t where ${column} = $1`,
        [tenantId],
      )
      found.set(name, content?.rows ?? '')
    }
    return found
  }

  const callRoute = async (route: Route, path: string, more: CallOptions = {}): Promise<Answer> => {
    const options = { ...more, headers: headersFor(route, credentials) }
    return await call(api.url, route.method.toUpperCase(), path, options)
  }
  const bodyFor = (route: Route, fields: JsonObject = {}): { readonly body?: unknown } => {
    if (!takesBody(route) || schemasOf(route).body === undefined) return {}
    return { body: { ...(COMPLETIONS[route.operationId] ?? exampleOf(route)), ...fields } }
  }
  const belonging = (kind: string): string => {
    const id = belongings.get(kind)
    if (id === undefined) throw new Error(`the other tenant has no ${kind}`)
    return id
  }
  const seen = ({ status, body }: Answer, route: Route) =>
    route.errorShape?.name === 'Scim' ? [status] : [status, body.code]

  /** The path with the other tenant's things in place of its examples; undefined when it names none of them. */
  const foreignPathOf = (route: Route): string | undefined => {
    const own = pathOf(route)
    const foreign = own
      .replaceAll(/\b([a-z]{2,4})_[0-9a-hjkmnp-tv-z]{26}\b/g, (_whole, kind: string) => belonging(kind))
      .replace(/ks_0{12}/, belonging('ks'))
      .replace(/resp_svc0{26}/, belonging('resp'))
      .replace(/cidv1(:|%3A)sha256(:|%3A)[0-9a-f]{64}/, encodeURIComponent(belonging('cid')))
    return foreign === own ? undefined : foreign
  }

  it('get the answer of an unknown id in a path; teams and organisations are forbidden', async () => {
    for (const route of owned.filter(({ params, operationId }) => params !== undefined && !BY_NAME.has(operationId))) {
      const path = foreignPathOf(route)
      if (path === undefined) throw new Error(`${nameOf(route)}: its example names nothing that a tenant has`)
      const foreign = await callRoute(route, path, bodyFor(route))
      const isShared = /^\/v1\/(teams|orgs)\/\{/.test(route.path)
      if (isShared) {
        expect(seen(foreign, route), nameOf(route)).to.deep.equal([403, 'forbidden'])
        continue
      }
      const unknown = await callRoute(route, pathOf(route), bodyFor(route))
      expect(seen(foreign, route), nameOf(route)).to.deep.equal(seen(unknown, route))
      expect(foreign.status, nameOf(route)).to.be.within(400, 499)
    }
  }).timeout(300_000)

  it('get the answer of an unknown id in a query or a body', async () => {
    const tried: string[] = []
    for (const route of owned) {
      const { query, body } = schemasOf(route)
      for (const field of [...fieldsOf(query), ...fieldsOf(body)]) {
        if (/(^|_)c?id$/.test(field) && NAMING_FIELDS[field] === undefined && !OTHER_IDS.includes(field)) {
          // These compare what the caller sends and look nothing up, or have foreign CIDs in test/compile/api/artifacts/lineage.test.ts.
          expect(route.operationId, field).to.be.oneOf(['verifyManifest', 'planExport', 'resolveCid', 'traceLineage'])
        }
        const kind = NAMING_FIELDS[field]
        if (kind === undefined) continue
        const withId = async (id: string): Promise<Answer> => {
          if (takesBody(route)) {
            const beside = BODIES_WITH[field === 'dataset_id' && !fieldsOf(body).includes('mode') ? '' : field]
            const options = beside ? { body: { ...beside, [field]: id } } : bodyFor(route, { [field]: id })
            return await callRoute(route, ownPath(route), options)
          }
          const query = new URLSearchParams({
            [field]: id,
            ...(route.operationId === 'getBreakdown' && { by: 'team' }),
          })
          return await callRoute(route, `${ownPath(route)}?${query.toString()}`)
        }
        const id = belonging(kind)
        const [foreign, unknown] = [await withId(id), await withId(unknownLike(id))]
        const name = `${nameOf(route)} ${field}`
        expect(foreign.status, `${name}: ${foreign.text}`).to.be.within(400, 499)
        // One's own mistakes apart: what is refused must be the id.
        expect(foreign.body.code, `${name}: ${foreign.text}`).not.to.equal('validation_failed')
        if (field === 'team_id' && foreign.status === 403) expect(foreign.body.code, name).to.equal('forbidden')
        else expect(seen(foreign, route), name).to.deep.equal(seen(unknown, route))
        tried.push(`${route.operationId} ${field}`)
      }
    }
    expect(tried).to.include.members([
      'run concept_id',
      'run version_id',
      'createCompile concept_id',
      'createExport artifact_id',
      'createShareLink target_id',
      'mintScopedKey team_id',
      'pruneReceiptSecret key_id',
      'storeProviderKey team_id',
      'listProviderKeys team_id',
      'getBreakdown team_id',
      'transferOwner member_id',
    ])
  }).timeout(300_000)

  it('cannot be linked to', async () => {
    for (const [link, kind] of [
      ['artifact_id', 'cmp'],
      ['compile_run_id', 'cmp'],
      ['export_job_id', 'exp'],
    ] as const) {
      const answer = await api.call('POST', '/v1/account/api-control-center/events', {
        key: credentials.key,
        body: { payload: { note: 'x' }, links: { [link]: belonging(kind) } },
      })
      expect([answer.status, answer.body.code], link).to.deep.equal([404, 'not_found'])
    }
  })

  it('are in no answer to another tenant', async () => {
    const [named] = await sendSql<{ name: string; email: string }>(
      api.server.services.db,
      'select name, email from tenants where id = $1',
      [victim.id],
    )
    const telling = [...belongings.values(), named?.name ?? '', named?.email ?? '', 'A team of the other']
    for (const route of owned) {
      const answer = await callRoute(route, endingPathOf(route), bodyFor(route))
      // What is not set up on this server says so.
      if (answer.status !== 503 && answer.status !== 501)
        expect(answer.status, `${nameOf(route)}: ${answer.text}`).to.be.lessThan(500)
      for (const text of telling) expect(answer.text.includes(text), `${nameOf(route)} tells ${text}`).to.equal(false)
    }
  }).timeout(300_000)

  it('are all there afterwards, to the letter', async () => {
    await api.server.services.keyUses.flush()
    const after = await rowsOf(victim.id)
    for (const [table, rows_] of after) expect(rows_, table).to.equal(before_.get(table))
    expect((await api.call('GET', '/v1/account', { key: victim.key })).status).to.equal(200)
  })

  /** The path of a route, in the caller's own organisation where it names one. */
  function ownPath(route: Route): string {
    return pathOf(route).replace(/ten_[0-9a-hjkmnp-tv-z]{26}/, intruder.id)
  }
})

/** The example of a route's body; an empty one where there is none, or it is not an object. */
function exampleOf(route: Route): object {
  const example: unknown = route.params === undefined ? schemasOf(route).body?.meta()?.['example'] : bodyOf(route)
  return typeof example === 'object' && example !== null ? example : {}
}
