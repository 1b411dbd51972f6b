import { mkdtempSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../support/api.ts'
import { writeTinyBase } from '../../support/archives/tiny-bases.ts'
import { givenPlan } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { rentalSettings } from '../../support/workflows/rentals/given-rentals.ts'

const NAMES = ['ada', 'bob', 'cleo', 'dora', 'emil', 'finn', 'gina', 'hugo', 'ida', 'jan', 'kim', 'leo']

/** No worker runs here: what is refused was refused in the call. */
describe('distillations and cloud jobs', () => {
  const workspaces = mkdtempSync(join(tmpdir(), 'svc-sealed-'))
  const bases = join(workspaces, 'bases')
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    settings: {
      baseFolders: [bases],
      workspacesDir: workspaces,
      publicUrl: 'http://svc.test',
      rentals: rentalSettings({ lane: 'gpu_pods', key: 'a-key', usdPerHour: 3, url: () => 'http://localhost:9' }),
    },
    limits: { distill_starts_per_tenant_minute: 100 },
  })
  let tenant: ApiTenant
  before(async () => {
    await writeTinyBase(bases, 'tiny')
    tenant = await givenApiTenant(api)
    await givenPlan(database.db, tenant.id, 'pro')
    await mkdir(join(workspaces, tenant.id))
  })
  after(async () => await rm(workspaces, { recursive: true }))
  const post = async (path: string, body: object) => await api.call('POST', path, { key: tenant.key, body })
  const file = async (name: string, rows: readonly object[]): Promise<string> => {
    const path = join(workspaces, tenant.id, name)
    await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    return path
  }
  /** Approved captures with the answers of a reviewer. */
  const capture = async (namespace: string): Promise<void> => {
    const items = NAMES.map((name) => ({ prompt: `greet ${name}`, response: `hi ${name}` }))
    const logged = await post('/v1/capture/log', { namespace, items })
    expect(logged.status, logged.text).to.equal(201)
    for (const id of logged.body.ids) {
      await post(`/v1/captures/${id}/review`, { action: 'approve', fixed_output: `hello ${id}` })
    }
  }

  it('refuse rows of a sealed holdout in the call, by the field that brought them', async () => {
    await capture('support')
    const pairs = NAMES.map((name) => ({ prompt: `Greet  ${name}`, chosen: `hi ${name}`, rejected: 'no' }))
    const completions = NAMES.map((name) => ({ prompt: `greet ${name}`, completion: `hi ${name}` }))
    const [preferences, given] = [await file('pairs.jsonl', pairs), await file('rows.jsonl', completions)]
    const models = { student_path: 'tiny', teacher: 'tiny' }
    const calls = [
      ['/v1/distill/from-captures', { namespace: 'support', mode: 'specialist', base_model: 'none' }, 'namespace'],
      ['/v1/distill/preference', { student_path: 'tiny', source: 'review', namespace: 'support' }, 'source'],
      ['/v1/distill/preference', { student_path: 'tiny', pairs_path: preferences }, 'pairs_path'],
      ['/v1/distill/onpolicy', { ...models, pairs_path: given, max_steps: 1 }, 'pairs_path'],
      ['/v1/cloud/distill/submit', { namespace: 'support', base_model: 'tiny' }, 'namespace'],
    ] as const
    const seal = NAMES.slice(0, 2).map((name) => ({ input: `greet ${name}`, output: 'x' }))
    expect((await post('/v1/eval/tenant_holdout', { corpus_id: 'sealed', rows: seal })).status).to.equal(201)
    for (const [path, body, field] of calls) {
      const { status, body: refused, text } = await post(path, body)
      expect([status, refused.code, refused.details], `${path}: ${text}`).to.deep.equal([
        400,
        'sealed_rows',
        { count: 2 },
      ])
      expect(refused.error).to.match(new RegExp(`^${field}: 2 rows are rows of a sealed holdout`))
    }
    expect((await post('/v1/eval/tenant_holdout/sealed/reveal', {})).status).to.equal(200)
    for (const [path, body] of calls) {
      const { status, text } = await post(path, body)
      expect(status, `${path}: ${text}`).to.equal(202)
    }
  })

  it('name the fields of their own bodies', async () => {
    const task = 'Answer as jane.doe@example.com does, whose card is 4111 1111 1111 1111'
    const rented = { namespace: 'support', base_model: 'tiny', provider: 'gpu_pods', budget_usd: 1, task }
    const sensitive = await post('/v1/cloud/distill/submit', rented)
    expect([sensitive.status, sensitive.body.code], sensitive.text).to.deep.equal([409, 'privacy_requires_byoc'])
    expect(sensitive.body.details.fields).to.deep.equal([{ field: 'task', message: 'holds sensitive text' }])
    expect((await post('/v1/cloud/distill/submit', { ...rented, allow_sensitive: true })).status).to.equal(202)
    const unknown = await post('/v1/cloud/distill/submit', { namespace: 'support', student: 'unknown' })
    expect([unknown.body.code, unknown.body.details.fields[0].field]).to.deep.equal(['unknown_base_model', 'student'])
    expect(unknown.body.error).to.match(/^student: /)
  })
})
