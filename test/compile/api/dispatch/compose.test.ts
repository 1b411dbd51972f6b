import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { hashJson } from '../../../../core/kernel/json/json.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../../support/api.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { runCli } from '../../../support/cli/run-cli.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { reconcileOne } from '../../../support/workflows/chores.ts'
import { nameExamples, useService } from '../../../support/workflows/service.ts'

const NOTES = ['boxes on Monday', 'crates to Oslo', 'pallets by rail', 'parcels at noon']
const TASKS = {
  names: { task: 'Write the name with the family name first', examples: nameExamples() },
  notes: {
    task: 'Extract the count of units from a delivery note',
    examples: [14, 3, 27, 150, 8, 61, 9, 33, 12, 70, 5, 48].map((count, at) => ({
      input: `Delivered ${count} ${NOTES[at % NOTES.length]}`,
      output: count,
    })),
  },
  doubled: {
    task: 'Double a number and add one',
    examples: [7, 42, 105, 3, 88, 1290, 56, 230, 9, 671].map((given) => ({ input: given, output: 2 * given + 1 })),
  },
} as const

describe('composition', () => {
  const service = useService()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
  })
  let tenant: ApiTenant
  const jobs = new Map<string, { readonly id: string; readonly concept_id: string; readonly version_id: string }>()

  before(async function () {
    this.timeout(120_000)
    tenant = await givenApiTenant(api)
    for (const [name, { task, examples }] of Object.entries(TASKS)) {
      const done = await api.call('POST', '/v1/compile', {
        key: tenant.key,
        body: { task, examples, base_model: 'none', k_score_floor: 0.5 },
      })
      expect(done.status, done.text).to.equal(200)
      jobs.set(name, done.body)
    }
  })

  const compose = async (body: object, key = tenant.key): Promise<Answer> =>
    await api.call('POST', '/v1/compose', { key, body })
  /** Units of the tenant's runs; a lease takes them out of the quota in blocks. */
  const usedUnits = async (): Promise<number> => {
    await api.server.services.invocations.flush()
    const [row] = await sendSql<{ used: string }>(
      service.database.db,
      "select coalesce(sum(quantity), 0) as used from usage_days where tenant_id = $1 and unit = 'quota_units'",
      [tenant.id],
    )
    return Number(row?.used)
  }
  const conceptOf = (name: string): string => jobs.get(name)?.concept_id ?? ''

  it('asks the concept that the input is for, and charges one unit for an answer that is not cached', async () => {
    const before = await usedUnits()
    const call = { query: 'family name first please', input: 'Frances Allen' }
    const { status, body, text } = await compose(call)
    expect(status, text).to.equal(200)
    expect(body).to.include({ output: 'Allen, Frances', strategy: 'attention', candidates: 1 })
    expect(body).to.not.have.property('reason')
    const [dispatch] = body.dispatched
    expect(dispatch).to.include({ concept_id: conceptOf('names'), cache: false, abstained: false })
    expect(dispatch.score).to.be.within(0.5, 1)
    expect((await compose(call)).body.dispatched[0]).to.include({ cache: true })
    expect(await usedUnits()).to.equal(before + 1)
  })

  it('signs one receipt that binds the receipts of all runs', async () => {
    const { body } = await compose({ query: 'family name first', input: 'Mary Jackson' })
    const { receipt, dispatched } = body
    expect(receipt).to.include({ spec: 'rs-1', primitive: 'composition', strategy: 'attention' })
    expect(receipt.query_hash).to.equal(hashJson('family name first'))
    expect(receipt.dispatches).to.deep.equal([
      { version_id: jobs.get('names')?.version_id, receipt_hash: hashJson(dispatched[0].receipt) },
    ])
    const verify = async (given: object, more: object = {}) =>
      await api.call('POST', '/v1/receipts/verify', { body: { receipt: given, ...more } })
    const genuine = await verify(receipt, { input: 'Mary Jackson', output: 'Jackson, Mary' })
    expect(genuine.body, genuine.text).to.deep.include({ verified: true, kind: 'composition' })
    expect((await verify(dispatched[0].receipt)).body).to.deep.include({ verified: true, kind: 'run' })
    const forged = await verify({ ...receipt, dispatches: [] })
    expect([forged.status, forged.body.code]).to.deep.equal([409, 'signature_mismatch'])
  })

  it('asks no concept for an input that is of none, and says so', async () => {
    for (const input of [{ invoice: 7, lines: [] }, ['a', 'b'], 'https://example.com/a?b=1#c', null]) {
      const { status, body } = await compose({ query: 'translate into French', input })
      expect(status).to.equal(200)
      expect(body, JSON.stringify(input)).to.deep.include({
        output: null,
        dispatched: [],
        candidates: 0,
        reason: 'no_candidates',
        receipt: null,
      })
    }
    const strange = await compose({ query: 'family name first', input: '2024-03-01 10:15:22 ERROR [auth] Token 118' })
    expect(strange.body).to.include({ output: null, reason: 'no_candidates' })
  })

  it('pipes the output of each step into the next, in the order of the query', async () => {
    const query = 'extract the count of units from the delivery note, then double the number and add one'
    const { status, body, text } = await compose({
      query,
      input: 'Delivered 20 crates to Oslo',
      strategy: 'sequential',
    })
    expect(status, text).to.equal(200)
    expect(body.output).to.equal(41)
    expect(body.dispatched.map(({ output }: { output: unknown }) => output)).to.deep.equal([20, 41])
    expect(body.receipt.dispatches).to.have.length(2)
  })

  it('refuses steps whose types do not chain before anything runs', async () => {
    const before = await usedUnits()
    const query = 'write the family name first, then double the number and add one'
    const { status, body } = await compose({ query, input: 'Ada Lovelace', strategy: 'sequential' })
    expect([status, body.code]).to.deep.equal([422, 'types_do_not_chain'])
    expect(body.details).to.deep.include({ step: 1, given: ['string'], takes: ['number'] })
    expect(body.details).to.include({ from_concept_id: conceptOf('names'), to_concept_id: conceptOf('doubled') })
    const first = await compose({ query: 'double the number and add one', input: 'ten', strategy: 'sequential' })
    expect([first.status, first.body.details.step]).to.deep.equal([422, 0])
    expect(await usedUnits()).to.equal(before)
  })

  it('asks only the best concept with top1, and those with a tag', async () => {
    const top = await compose({ query: 'double and add one', input: 12, strategy: 'top1' })
    expect(top.body).to.include({ output: 25 })
    const voted = await compose({ query: 'double and add one', input: 12, strategy: 'voting', k: 3 })
    expect(voted.body.output).to.equal(25)
    const tagged = await compose({ query: 'double and add one', input: 12, tag: 'sales' })
    expect(tagged.body).to.include({ output: null, reason: 'no_candidates' })
  })

  it('reaches nothing of another tenant, and nothing that was revoked', async () => {
    const stranger = await givenApiTenant(api)
    const call = { query: 'family name first', input: 'Frances Allen' }
    expect((await compose(call, stranger.key)).body).to.include({ output: null, reason: 'no_candidates' })
    const id = jobs.get('doubled')?.id ?? ''
    const moved = await api.call('POST', `/v1/artifacts/${id}/lifecycle/transition`, {
      key: tenant.key,
      body: { to_state: 'revoked', reason: 'a wrong sum' },
    })
    expect(moved.status, moved.text).to.equal(200)
    await eventually(async () => {
      const { body } = await compose({ query: 'double the number and add one', input: 12 })
      expect(body).to.include({ output: null, reason: 'no_candidates' })
    })
  })

  it('knows the inputs of a version from before sketches once the worker has made one', async () => {
    const { db } = service.database
    await sendSql(db, 'delete from version_sketches')
    expect(await reconcileOne(service.deps, 'sketches')).to.deep.equal({ made: 2 })
    expect(await reconcileOne(service.deps, 'sketches')).to.deep.equal({ made: 0 })
    await eventually(async () => {
      const { body } = await compose({ query: 'family name first', input: 'Frances Allen' })
      expect(body).to.include({ output: 'Allen, Frances' })
    })
  })

  it('leaves out what has not answered by the deadline, uncharged', async () => {
    const before = await usedUnits()
    const slow = useSlowRecipes()
    try {
      const { body } = await compose({ query: 'family name first', input: 'Hedy Lamarr', deadline_ms: 1 })
      expect(body).to.include({ output: null, reason: 'all_failed' })
      expect(body.dispatched[0]).to.include({ error: 'deadline_passed' })
      expect(body.receipt.dispatches[0]).to.include({ receipt_hash: null })
    } finally {
      slow.release()
    }
    expect(await usedUnits()).to.equal(before)
  })

  it('is asked by `svc compose`', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-compose-'))
    try {
      const options = { folder, profileDir: folder, env: { SVC_URL: api.url, SVC_API_KEY: tenant.key } }
      const found = await runCli(['compose', 'family name first', 'Frances Allen'], options)
      expect([found.code, found.stdout.split('\n')[0]], found.stderr).to.deep.equal([0, 'Allen, Frances'])
      const none = await runCli(['compose', 'translate into French', 'https://example.com/a?b=1#c'], options)
      expect(none.code).to.equal(1)
      expect(none.stderr).to.contain('no_candidates')
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  /** Holds up the recipes of the server until it is released. */
  function useSlowRecipes() {
    const { recipes } = api.server.services
    const load = recipes.load.bind(recipes)
    const released = Promise.withResolvers<void>()
    Object.assign(recipes, {
      load: async (...call: Parameters<typeof load>) => {
        await released.promise
        return await load(...call)
      },
    })
    return {
      release: () => {
        Object.assign(recipes, { load })
        released.resolve()
      },
    }
  }
})
