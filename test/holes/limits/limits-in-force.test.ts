import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { describeApi } from '../../../api/kernel/openapi/openapi.ts'
import type { Route } from '../../../api/kernel/route.ts'
import { ROUTES } from '../../../api/routes.ts'
import { DEFAULT_LIMITS, type LimitName, type Limits } from '../../../core/limits.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../support/api.ts'
import { givenScimToken, headersFor, pathOf } from '../../support/wire/declared-routes.ts'
import { givenPlan } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { COMPUTED } from './computed.ts'
import { LIMITED_SWEEPS } from './days-kept.ts'
import { DOOR_TABLES } from './doors/tables.ts'
import { MOVED_BY_TESTS } from './moved-by-tests.ts'

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url))
const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS).filter((name): name is LimitName => name in DEFAULT_LIMITS)

/** The limits with one moved by something that no default is. */
function moved(name: LimitName): Limits {
  return { ...DEFAULT_LIMITS, [name]: DEFAULT_LIMITS[name] + 7919 }
}

/** Limits of calls and of bodies, which the kernel reads by the declaration of a route. */
const ofCalls = new Map(ROUTES.flatMap((route) => (route.limit ? [[route.limit.limit, route] as const] : [])))
const ofBodies = new Map<LimitName, Route>(
  ROUTES.filter(({ method }) => method !== 'get').map((route) => [route.rawBody ?? route.bodyLimit, route]),
)
const BODY_BYTES = 4099

/** Limits that show in the answers of the last test: the values that they are given. */
const SHOWN = {
  requests_per_tenant_minute: 6000,
  session_days: 11,
  sessions_listed: 1,
  anonymous_days: 5,
  quota_anonymous: 77,
  mail_token_minutes: 13,
  invitation_days: 3,
  provider_keys_per_tenant: 0,
  gateway_calls_per_tenant: 0,
  scim_users: 1,
  preview_seeds_bytes: 300,
  preview_spec_bytes: 200,
  preview_rows: 4,
} as const satisfies Partial<Record<LimitName, number>>

describe('a limit that SVC_LIMITS moves', () => {
  const database = useDatabase()
  const stores = () => ({ database, temporal: NO_TEMPORAL })
  const points = Object.fromEntries([...ofCalls.keys()].map((name, index) => [name, 5000 + index]))
  const api = useApi({ stores, limits: { ...points, ...SHOWN }, settings: { isMailConfigured: true } })
  const small = useApi({
    stores,
    limits: Object.fromEntries([...ofBodies.keys()].map((name) => [name, BODY_BYTES])),
  })
  let tenant: ApiTenant
  let scimToken = ''
  before(async () => {
    tenant = await givenApiTenant(api)
    await givenPlan(database.db, tenant.id, 'enterprise')
    scimToken = await givenScimToken(api, tenant.id)
  })
  const callRoute = async (on: typeof api, route: Route, raw?: string) =>
    await on.call(route.method.toUpperCase(), pathOf(route), {
      ...(raw !== undefined && { raw }),
      headers: {
        ...headersFor(route, { key: tenant.key, scimToken }),
        ...(raw !== undefined && { 'content-type': 'application/json' }),
      },
    })

  it('is each of them: a test moves it, and looks at what becomes of it', () => {
    const tables = [COMPUTED, SHOWN, ...Object.values(DOOR_TABLES)].flatMap((table) => Object.keys(table))
    const swept = LIMITED_SWEEPS.map(({ limit }) => limit)
    const elsewhere = Object.values(MOVED_BY_TESTS).flat()
    const proven = [...tables, ...new Set(swept), ...elsewhere, ...ofCalls.keys(), ...ofBodies.keys()]
    expect(LIMIT_NAMES.filter((name) => !proven.includes(name))).to.deep.equal([])
    expect(proven.filter((name, at) => proven.indexOf(name) !== at || !(name in DEFAULT_LIMITS))).to.deep.equal([])
  })

  for (const [name, route] of ofCalls) {
    it(`${name} is what ${route.path} counts by`, async () => {
      const { headers } = await callRoute(api, route)
      expect(headers.get('ratelimit-limit')).to.equal(String(points[name]))
    })
  }

  for (const [name, route] of ofBodies) {
    it(`${name} is what ${route.path} reads at most`, async () => {
      const answer = await callRoute(small, route, JSON.stringify('x'.repeat(BODY_BYTES)))
      expect([answer.status, answer.body.details?.max_bytes], answer.text).to.deep.equal([413, BODY_BYTES])
    })
  }

  for (const name of LIMIT_NAMES) {
    const compute = COMPUTED[name]
    if (compute === undefined) continue
    it(`${name} changes what follows from it`, async () => {
      expect(await compute(moved(name))).to.not.deep.equal(await compute(DEFAULT_LIMITS))
    })
  }

  for (const [file, names] of Object.entries(MOVED_BY_TESTS)) {
    it(`is moved by ${file}: ${names.join(', ')}`, async () => {
      const source = await readFile(`${PROJECT}/${file}`, 'utf8')
      const left = names.filter((name) => {
        const given = [...source.matchAll(new RegExp(String.raw`(?<!\.)\b${name}: ([^,}\n]+)`, 'g'))]
        return !given.some(([, value]) => value !== String(DEFAULT_LIMITS[name]))
      })
      expect(left).to.deep.equal([])
    })
  }

  it('shows in answers', async () => {
    const { key, id } = tenant
    const ask = async (method: string, path: string, body?: object, headers?: Record<string, string>) =>
      await api.call(method, path, { ...(headers === undefined && { key }), body, ...(headers && { headers }) })
    const days = (until: string) => Math.round((Date.parse(until) - Date.now()) / 86_400_000)

    const { headers } = await ask('GET', '/v1/whoami')
    // A tenant's minute is counted in windows of 10 s.
    expect(headers.get('ratelimit-limit')).to.equal(String(SHOWN.requests_per_tenant_minute / 6))
    for (const _ of [1, 2]) {
      const signedIn = await api.call('POST', '/v1/signin', { body: { api_key: key } })
      expect(signedIn.headers.get('set-cookie')).to.contain(`Max-Age=${SHOWN.session_days * 86_400}`)
    }
    expect((await ask('GET', '/v1/account/sessions')).body.sessions).to.have.length(SHOWN.sessions_listed)
    const workspace = await api.call('POST', '/v1/anon/bootstrap', { body: {} })
    expect(workspace.status, workspace.text).to.equal(200)
    expect(workspace.body.quota).to.equal(SHOWN.quota_anonymous)
    expect(days(workspace.body.expires_at)).to.equal(SHOWN.anonymous_days)
    const mailed = await api.call('POST', '/v1/auth/email/start', { body: { email: 'someone@example.test' } })
    expect(mailed.body.expires_in_s).to.equal(SHOWN.mail_token_minutes * 60)
    const invited = await ask('POST', `/v1/orgs/${id}/invites`, { email: 'invited@example.test' })
    expect(days(invited.body.invitation?.expires_at ?? invited.body.expires_at), invited.text).to.equal(
      SHOWN.invitation_days,
    )
    const stored = await ask('POST', '/v1/account/provider-keys', { provider: 'openai', value: 'sk-0123456789abcdef' })
    expect(stored.body.code).to.equal('too_many_keys')
    const asked = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'x' }] }
    expect((await ask('POST', '/v1/chat/completions', asked)).body.code).to.equal('rate_limited')
    const scim = { authorization: `Bearer ${scimToken}` }
    const user = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'one@example.test' }
    const first = await ask('POST', '/scim/v2/Users', user, scim)
    const second = await ask('POST', '/scim/v2/Users', { ...user, userName: 'two@example.test' }, scim)
    expect([first.status, second.status], second.text).to.include(409)
    const rows = Array.from({ length: 8 }, (_row, index) => ({ input: `a${index}`, output: `b${index}` }))
    const lines = rows.map((row) => JSON.stringify(row)).join('\n')
    const dryRun = async (task: string, seeds: string) =>
      await api.call('POST', '/v1/build/preview', { body: { spec: { name: 'n', task }, seeds_jsonl_text: seeds } })
    expect((await dryRun('t', lines.repeat(9))).text).to.contain(`${SHOWN.preview_seeds_bytes} bytes`)
    expect((await dryRun('t'.repeat(300), lines)).text).to.contain(`${SHOWN.preview_spec_bytes} bytes`)
    const previewed = await dryRun('t', lines)
    expect(previewed.body.n, previewed.text).to.equal(SHOWN.preview_rows)
  })

  it('shows in the reference where a call is bound by it', () => {
    const describe = (limits: Limits) => JSON.stringify(describeApi(ROUTES, { limits, publicUrl: undefined }))
    const usual = describe(DEFAULT_LIMITS)
    for (const name of ['task_chars', 'inline_examples', 'example_bytes', 'unlabelled_inputs', 'upload_rows'] as const)
      expect(describe(moved(name)), name).to.not.equal(usual)
    for (const name of ['preview_examples', 'share_link_days', 'list_page', 'idempotency_hours', 'bench_rows'] as const)
      expect(describe(moved(name)), name).to.not.equal(usual)
  })

  it('reaches every process that the limits are for', async () => {
    for (const file of ['api/main.ts', 'workers/main.ts']) {
      const source = await readFile(`${PROJECT}/${file}`, 'utf8')
      expect(source, file).to.contain('resolveLimits(environment.limits)')
    }
  })

  it('is never passed by: only the resolver reads the defaults', async () => {
    const readers: string[] = []
    for (const folder of [
      'activities',
      'api',
      'cli',
      'config',
      'core',
      'db',
      'quickstart',
      'stack',
      'workers',
      'workflows',
    ]) {
      for (const file of await readdir(`${PROJECT}/${folder}`, { recursive: true })) {
        if (!/\.tsx?$/.test(file)) continue
        const source = await readFile(`${PROJECT}/${folder}/${file}`, 'utf8')
        if (/\bDEFAULT_LIMITS\b/.test(source)) readers.push(`${folder}/${file}`)
      }
    }
    expect(readers).to.deep.equal(['core/limits.ts'])
  })
})
