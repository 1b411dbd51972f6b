import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../support/api.ts'
import { writeTinyBase } from '../../support/archives/tiny-bases.ts'
import { givenProgramVersion } from '../../support/archives/signed-artifacts.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { startProvider, type ProviderServer } from '../../support/providers/server.ts'
import type { ScriptedAnswer, ScriptedCall } from '../../support/providers/scripted-model.ts'
import { runCli } from '../../support/cli/run-cli.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { reconcileOne } from '../../support/workflows/chores.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { useService } from '../../support/workflows/service.ts'

const COLOURS = ['red', 'green', 'blue', 'black', 'white', 'brown', 'pink', 'grey', 'violet', 'orange']
const ANIMALS = ['fox', 'owl', 'cat', 'horse', 'whale', 'mouse', 'goat', 'bear']

/** Rows whose output is the input in capitals, each with words of its own. */
const ROWS = COLOURS.flatMap((colour) =>
  ANIMALS.map((animal) => {
    const input = `${colour} ${animal}`
    return { input, output: input.toUpperCase() }
  }),
)

/** The last line of a prompt that is an input. */
function inputOf(call: ScriptedCall): string {
  const text = call.messages.at(-1)?.text ?? ''
  const last = text.split('\n\n').at(-1) ?? ''
  return last.replace(/^Input: /, '').replace(/\nOutput:$/, '')
}

describe('bake-offs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bakeoff-'))
  let provider: ProviderServer
  let answer: (call: ScriptedCall) => ScriptedAnswer
  /** The call after which the worker is lost, once. */
  let lostAfter = Number.POSITIVE_INFINITY
  before(async () => {
    provider = await startProvider('chat-completions', (call) => answer(call))
  })
  const service = useService({
    baseFolders: [folder],
    models: () => ({ upstreams: { openai: { baseUrl: provider.baseUrl.replace(/\/v1$/, '') } } }),
    change: (deps) => ({
      ...deps,
      models: {
        open: async (caller, model) => {
          const open = await deps.models.open(caller, model)
          return {
            ...open,
            provider: {
              ...open.provider,
              ask: async (request, signal) => {
                if (provider.calls.length >= lostAfter) {
                  lostAfter = Number.POSITIVE_INFINITY
                  throw new Error('the process ended')
                }
                return await open.provider.ask(request, signal)
              },
            },
          }
        },
      },
    }),
  })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    settings: { baseFolders: [folder] },
    limits: { unfinished_bakeoffs_per_tenant: 2, bakeoff_rows: 39 },
  })
  let tenant: ApiTenant
  let datasetId: string
  const op = () => setUpOperation(service.database.db, tenant.id)

  before(async () => {
    await writeTinyBase(folder, 'tiny')
    tenant = await givenApiTenant(api)
    const stored = await call('POST', '/v1/account/provider-keys', { provider: 'openai', value: provider.apiKey })
    expect(stored.status, stored.text).to.equal(200)
    const made = await call('POST', '/v1/datasets', { namespace: 'support', rows: ROWS, train_ratio: 0.5 })
    expect(made.status, made.text).to.equal(201)
    datasetId = made.body.dataset_id
  })
  after(async () => {
    await provider.close()
    await rm(folder, { recursive: true })
  })
  beforeEach(() => {
    answer = (scripted) => ({ texts: [inputOf(scripted).toUpperCase()], usage: { input: 100, output: 10 } })
  })

  const call = async (method: string, path: string, body?: object, key = tenant.key): Promise<Answer> =>
    await api.call(method, path, { key, ...(body !== undefined && { body }) })
  const held = async (body: object): Promise<Answer['body']> => {
    let run = await call('POST', '/v1/bakeoff/run', { dataset_id: datasetId, ...body })
    expect(run.status, run.text).to.be.oneOf([200, 202])
    const answered = async () => {
      run = await call('GET', run.body.poll)
      expect(
        run.body.contestants.every((each: { answered: number; error: unknown }) => each.answered > 0 || each.error),
      ).to.equal(true)
    }
    await eventually(answered)
    await eventually(async () => {
      run = await call('GET', run.body.poll)
      expect(run.body.finished_at, run.text).to.be.a('string')
    })
    return run.body
  }
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer
  const named = (bakeoff: any, name: string) => bakeoff.contestants.find((each: any) => each.name === name)

  it('ask every contestant for the held-out rows alone, as it is named', async () => {
    const artifactId = (await givenProgramVersion(op(), service.deps.signer)).jobId
    const contestants = [
      'rule',
      'classifier',
      'cache',
      artifactId,
      'base:tiny',
      'prompt_only:gpt-5-nano',
      'few_shot:gpt-5-mini',
    ]
    const opts = { comparator: 'exact', max_tokens: 16, shots: 3, instruction: 'Write capitals.' }
    const done = await held({ contestants, opts })
    expect(done).to.deep.include({ state: 'succeeded', dataset_version: 1, comparator: 'exact', margin: 0.05 })
    expect(done).to.deep.include({ rows_used: 39, train_rows: ROWS.length / 2 })
    const n = done.rows_used
    expect(named(done, 'rule')).to.deep.include({
      n,
      right: n,
      pass_rate: 1,
      cost_usd: null,
      cpu_of: 'thread',
      calls: 0,
    })
    expect(named(done, 'rule').train_rows).to.equal(done.train_rows)
    expect(named(done, 'rule').avg_cpu_ms).to.be.at.least(0)
    expect(named(done, 'rule').fit_cpu_ms).to.be.above(0)
    expect(named(done, artifactId)).to.deep.include({ right: n, train_rows: null, privacy_class: 'local' })
    // Half of the words of an input are those of another, which is not near.
    expect(named(done, 'cache')).to.deep.include({ right: 0, pass_rate: 0 })
    expect(named(done, 'cache').no_answer.abstained).to.equal(n)
    expect(named(done, 'classifier')).to.deep.include({
      state: 'failed',
      error_code: 'contestant_not_applicable',
      n: null,
      recommended: false,
    })
    expect(named(done, 'base:tiny')).to.deep.include({ n, model: 'tiny', cpu_of: 'process', cost_usd: null })
    expect(named(done, 'base:tiny').output_tokens).to.be.above(0)
    const bought = named(done, 'prompt_only:gpt-5-nano')
    expect(bought).to.deep.include({ right: n, calls: n, provider: 'openai', model: 'gpt-5-nano', avg_cpu_ms: null })
    // 100 tokens at 0.05 USD and 10 at 0.4 USD per million.
    expect(bought.avg_cost_usd).to.be.closeTo(9e-6, 1e-9)
    expect(bought.price_source).to.contain('price list')
    expect(named(done, 'few_shot:gpt-5-mini')).to.deep.include({ train_rows: 3, privacy_class: 'byo-vendor' })
    const texts = provider.calls.map(({ model, messages }) => [model, messages.at(-1)?.text ?? ''] as const)
    expect(texts.filter(([model]) => model === 'gpt-5-nano')).to.have.lengthOf(n)
    expect(texts.filter(([model]) => model === 'gpt-5-mini').every(([, text]) => text.includes('Output:'))).to.equal(
      true,
    )
    expect(texts.every(([, text]) => text.startsWith('Write capitals.'))).to.equal(true)
    expect(done.pairs).to.have.lengthOf(15)
    const [pair] = done.pairs
    expect(pair).to.deep.include({ first: 'rule', second: 'cache', won: 0, lost: n, difference: -1 })
    expect(done.recommended).to.be.oneOf(['rule', artifactId])
    expect(done.recommendation).to.contain(done.recommended)
    await recordHistory(service.temporal, 'bakeoff-held', done.bakeoff_id)
    await expectAudited(op(), 'bakeoff.started', done.bakeoff_id)
    const left = await sendSql(service.database.db, 'select 1 from bakeoff_answers where output::text <> $1', ['null'])
    expect(left).to.deep.equal([])
    const meters = (await call('GET', '/v1/billing/usage')).body.meters
    expect(JSON.stringify(meters)).to.contain('bakeoff_runs')
  })

  it('buy no answer twice when a worker is lost, and go on without a contestant that fails', async () => {
    const before = provider.calls.length
    lostAfter = before + 10
    answer = (scripted) =>
      scripted.model === 'gpt-5' ? { status: 401, message: 'no' } : { texts: [inputOf(scripted)], usage: null }
    const contestants = ['prompt_only:gpt-5-nano', 'prompt_only:gpt-5', 'prompt_only:nonsense-model']
    const done = await held({ contestants, opts: { rows: 25 } })
    const bought = provider.calls.slice(before).filter(({ model }) => model === 'gpt-5-nano')
    expect(bought, JSON.stringify(done)).to.have.lengthOf(25)
    expect(new Set(bought.map(inputOf)).size).to.equal(25)
    // The provider did not count its tokens, so there is no bill.
    expect(named(done, 'prompt_only:gpt-5-nano')).to.deep.include({
      n: 25,
      right: 25,
      cost_usd: null,
      input_tokens: null,
    })
    expect(named(done, 'prompt_only:gpt-5').error_code).to.equal('provider_auth_failed')
    expect(named(done, 'prompt_only:nonsense-model')).to.deep.include({ state: 'failed', error_code: 'unknown_model' })
    expect(done).to.deep.include({ state: 'succeeded', recommended: 'prompt_only:gpt-5-nano', rows_used: 25 })
  })

  it('let a judge compare answers in both orders, and rank them by Bradley and Terry', async () => {
    answer = (scripted) => {
      const text = scripted.messages.at(-1)?.text ?? ''
      if (scripted.model !== 'gpt-5.4') return { texts: [scripted.model === 'gpt-5' ? 'no' : inputOf(scripted)] }
      const [, first] = text.split(/Answer [AB]:\n/)
      return {
        texts: [JSON.stringify({ better: first?.startsWith('no') ? 'B' : 'A' })],
        usage: { input: 200, output: 5 },
      }
    }
    const contestants = ['rule', 'prompt_only:gpt-5', 'prompt_only:gpt-5-nano']
    const opts = { rows: 12, judge: 'openai:gpt-5.4', judged_rows: 4 }
    const done = await held({ contestants, opts })
    expect(done.state, JSON.stringify(done)).to.equal('succeeded')
    const { judged, unread, error_code: code, cost_usd: cost, strengths } = done.preferences
    expect({ judged, unread, code }).to.deep.equal({ judged: 12, unread: 0, code: null })
    expect(cost).to.be.above(0)
    const of = (name: string) => strengths.find((each: { readonly name: string }) => each.name === name).strength
    expect(of('rule')).to.be.above(of('prompt_only:gpt-5'))
    expect(of('rule') + of('prompt_only:gpt-5') + of('prompt_only:gpt-5-nano')).to.be.closeTo(0, 1e-9)
    await recordHistory(service.temporal, 'bakeoff-judged', done.bakeoff_id)
  })

  it('refuse what is not there, and what would invent a result', async () => {
    const start = async (body: object, key = tenant.key) => {
      const { status, body: said } = await call('POST', '/v1/bakeoffs', { dataset_id: datasetId, ...body }, key)
      return [status, said.code, said.details?.fields?.[0]?.field]
    }
    const other = await givenApiTenant(api)
    expect((await start({}, other.key)).slice(0, 2)).to.deep.equal([404, 'not_found'])
    expect((await start({ dataset_id: 'rows.jsonl' })).slice(0, 2)).to.deep.equal([404, 'not_found'])
    expect(await start({ opts: { stubModel: true } })).to.deep.equal([400, 'validation_failed', 'opts.stubModel'])
    expect(await start({ opts: { costTable: {} } })).to.deep.equal([400, 'validation_failed', 'opts.costTable'])
    expect(await start({ contestants: ['rule', 'guess'] })).to.deep.equal([400, 'validation_failed', 'contestants[1]'])
    expect(await start({ contestants: ['rule', 'rule'] })).to.deep.equal([400, 'validation_failed', 'contestants[1]'])
    expect((await start({ contestants: ['base:none'] }))[1]).to.equal('unknown_base_model')
    expect((await start({ contestants: ['cmp_00000000000000000000000000'] }))[0]).to.equal(404)
    const rows = [{ input: 'only', output: 'one' }]
    const whole = await call('POST', '/v1/datasets', { namespace: 'support', name: 'whole', rows, train_ratio: 0.99 })
    const { dataset_id: id, holdout_count: count } = whole.body
    expect(count, whole.text).to.equal(0)
    expect(await start({ dataset_id: id })).to.deep.equal([400, 'validation_failed', 'dataset_id'])
    const { body: list } = await call('GET', '/v1/bakeoffs?limit=2')
    expect(list.total).to.equal(3)
    expect(list.bakeoffs).to.have.lengthOf(2)
    const [{ bakeoff_id: mine }] = list.bakeoffs
    expect((await call('GET', `/v1/bakeoffs/${mine}`, undefined, other.key)).status).to.equal(404)
    expect((await call('GET', '/v1/bakeoffs', undefined, other.key)).body).to.deep.include({ bakeoffs: [], total: 0 })
  })

  it('are found by the chore when their run is gone', async () => {
    const { body, status, text } = await call('POST', '/v1/bakeoffs', { dataset_id: datasetId, contestants: ['rule'] })
    expect(status, text).to.be.oneOf([200, 202])
    const reopened = `update bakeoffs set state = 'running', finished_at = null, created_at = now() - interval '1 hour' where id = $1`
    await eventually(async () => {
      expect((await call('GET', body.poll)).body.finished_at).to.be.a('string')
    })
    await sendSql(service.database.db, reopened, [body.bakeoff_id])
    await eventually(async () => {
      await reconcileOne(service.deps, 'bakeoff')
      expect((await call('GET', body.poll)).body).to.deep.include({ state: 'failed', error_code: 'bakeoff_failed' })
    })
  })

  it('are run and shown by the commands', async () => {
    const svc = async (...args: readonly string[]) => {
      const env = { SVC_URL: api.url, SVC_API_KEY: tenant.key }
      const run = await runCli(args, { profileDir: join(folder, 'profile'), folder, env })
      expect([run.code, run.stderr]).to.deep.equal([0, ''])
      return run.stdout
    }
    const shown = await svc('bakeoff', 'run', datasetId, '-c', 'rule', 'cache', '--rows', '10')
    expect(shown).to.match(/^bko_\w+ succeeded: 10 held-out rows/)
    expect(shown).to.contain('recommended').and.to.contain('95 % interval')
    const id = /^bko_\w+/.exec(shown)?.[0] ?? ''
    expect(await svc('bakeoff', 'show', id)).to.equal(shown)
    expect(await svc('bakeoff', 'list')).to.contain(id)
  })
})
