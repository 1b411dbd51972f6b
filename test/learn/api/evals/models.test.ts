import { expect } from 'chai'
import { eraseForgottenRows } from '../../../../activities/learn/datasets/erase-forgotten.ts'
import { operationOf } from '../../../../activities/learn/evals/deps.ts'
import { finishEvaluation } from '../../../../db/learn/evals/run-evaluation.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../../support/api.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import type { ScriptedAnswer, ScriptedCall } from '../../../support/providers/scripted-model.ts'
import { startProvider, type ProviderServer } from '../../../support/providers/server.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { recordHistory } from '../../../support/workflows/histories.ts'
import { useService } from '../../../support/workflows/service.ts'

const UPPER = `
task: upper
test_split: test
doc_to_text: "Upper case of {{word}}:"
doc_to_target: "{{upper}}"
generation_kwargs: {until: ["\\n"], max_gen_toks: 16}
`

const words = (count: number) =>
  Array.from({ length: count }, (_, place) => ({ word: `word${place}`, upper: `WORD${place}` }))

describe("evaluations of providers' models, and on datasets", () => {
  let server: ProviderServer
  let answer: (call: ScriptedCall) => ScriptedAnswer
  const wordOf = ({ messages }: ScriptedCall): string =>
    (/of (\S+):/.exec(messages.at(-1)?.text ?? '')?.[1] ?? '').toUpperCase()
  const upper = (call: ScriptedCall): ScriptedAnswer => ({
    // Postgres reads into no document that holds U+0000.
    texts: [`${wordOf(call)}\n\0and more`],
    usage: { input: 100, output: 10 },
  })
  before(async () => {
    server = await startProvider('chat-completions', (call) => answer(call))
  })
  after(async () => await server.close())
  beforeEach(() => {
    answer = upper
  })
  const upstreams = () => ({ openai: { baseUrl: server.baseUrl.replace(/\/v1$/, ''), apiKey: server.apiKey } })
  const service = useService({ models: () => ({ upstreams: upstreams() }) })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    settings: {
      get upstreams() {
        return upstreams()
      },
    },
  })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })

  const post = async (path: string, body?: object, key = tenant.key): Promise<Answer> =>
    await api.call('POST', path, { key, ...(body !== undefined && { body }) })
  const start = async (body: object): Promise<Answer> =>
    await post('/v1/evals', {
      target: { model: 'openai/gpt-4o-mini' },
      ...('dataset' in body ? {} : { task: UPPER, data: { test: words(6) } }),
      ...body,
    })
  const show = async (id: string, path = ''): Promise<Answer> =>
    await api.call('GET', `/v1/evals/${id}${path}`, { key: tenant.key })
  const finished = async (started: Answer): Promise<Answer> => {
    expect(started.status, started.text).to.equal(202)
    let shown = started
    await eventually(async () => {
      shown = await show(started.body.evaluation_id)
      expect(shown.body.finished_at, shown.text).to.be.a('string')
    })
    return shown
  }

  it('asks each row once, scores the answers and sums tokens and cost', async () => {
    const before = server.calls.length
    const { body, text } = await finished(await start({}))
    expect(body, text).to.deep.include({
      state: 'succeeded',
      scored: 6,
      source: 'measured',
      target: 'openai/gpt-4o-mini',
    })
    // 6 answers of 100 tokens at 0.15 and 10 at 0.60 USD a million
    expect(body.usage).to.deep.equal({ answered: 6, input_tokens: 600, output_tokens: 60, cost_usd: 0.000126 })
    expect(body.figures[0]).to.deep.include({ metric: 'exact_match', value: 1, n: 6 })
    expect(server.calls.length - before).to.equal(6)
    expect(server.calls.at(-1)).to.deep.include({ temperature: 0, maxTokens: 16 })
    await recordHistory(service.temporal, 'evaluate-model', body.evaluation_id)
  })

  it('asks for each repeat with a seed of its own, the same in each run', async () => {
    const task = `${UPPER.trim().replace('16}', '16, temperature: 0.8}')}\nrepeats: 3\n`
    const seeds = async () => {
      const before = server.calls.length
      const { body } = await finished(await start({ task, data: { test: words(2) } }))
      expect(body.passes.map(({ k }: { k: number }) => k)).to.deep.equal([1, 2, 3])
      return server.calls.slice(before).map(({ raw }) => JSON.parse(raw).seed)
    }
    const first = await seeds()
    expect(new Set(first)).to.have.property('size', 6)
    expect(await seeds()).to.have.members(first)
  })

  it('fails with the code of the provider midway, and goes on where it stopped when it is resumed', async () => {
    const before = server.calls.length
    answer = (call) => (call.index - before < 3 ? upper(call) : { status: 401, message: 'key was revoked' })
    const failed = await finished(await start({ data: { test: words(5) } }))
    expect(failed.body).to.deep.include({ state: 'failed', error_code: 'provider_auth_failed', scored: 0 })
    expect(failed.body.usage).to.deep.include({ answered: 3, input_tokens: 300 })
    expect(failed.text).to.not.contain('revoked')
    answer = upper
    const asked = server.calls.length
    const resume = async () => await post(`/v1/evals/${failed.body.evaluation_id}/resume`)
    const resumed = await resume()
    // The first run ends the evaluation once more, as when the end of its activity was lost.
    const ref = { evaluationId: failed.body.evaluation_id, tenantId: tenant.id, attempt: 1 }
    const failure = { code: 'provider_auth_failed', message: 'as before' } as const
    await finishEvaluation(operationOf(service.deps, ref), ref, { failure })
    const { body, text } = await finished(resumed)
    expect(body, text).to.deep.include({ state: 'succeeded', scored: 5, error_code: null })
    expect(server.calls.length - asked).to.equal(2)
    expect((await resume()).body.code).to.equal('evaluation_not_failed')
    // An activity of an earlier release names no attempt: it ends whichever run is the newest.
    const open = `update evaluations set state = 'running', finished_at = null where id = $1`
    await sendSql(service.database.db, open, [ref.evaluationId])
    await finishEvaluation(operationOf(service.deps, ref), { evaluationId: ref.evaluationId }, { failure })
    expect((await show(ref.evaluationId)).body).to.include({ state: 'failed' })
  })

  it('refuses what a model cannot do before anything is asked', async () => {
    const refused = async (body: object) => {
      const { status, body: answered } = await start(body)
      return [status, answered.code]
    }
    const options = `${UPPER.replace('task: upper', 'task: upper\noutput_type: multiple_choice')}doc_to_choice: choices\n`
    const data = { test: [{ word: 'a', upper: 0, choices: ['A', 'B'] }] }
    const likelihoods = options.replace('"{{upper}}"', 'upper')
    expect(await refused({ task: likelihoods, data })).to.deep.equal([400, 'eval_needs_likelihoods'])
    expect(await refused({ task: UPPER.replace('16}', '16, top_k: 5}') })).to.deep.equal([400, 'invalid_eval_task'])
    expect(await refused({ target: { model: 'no-provider/model' } })).to.deep.equal([400, 'unknown_model'])
    expect(await refused({ target: { model: 'anthropic/claude-haiku-4-5' } })).to.deep.equal([503, 'no_provider_key'])
    const dataset = { id: 'ds_00000000000000000000000000' }
    expect(await refused({ dataset })).to.deep.equal([404, 'not_found'])
    expect(await refused({ dataset, data: { test: words(1) } })).to.deep.equal([400, 'validation_failed'])
    expect(await refused({ data: undefined })).to.deep.equal([400, 'validation_failed'])
  })

  it('evaluates the rows of a dataset in the version that was read, without what was forgotten since', async () => {
    const rows = (count: number) =>
      words(count).map(({ word, upper: output }) => ({ input: `Upper case of ${word}:\0`, output }))
    const made = await post('/v1/datasets', { namespace: 'support', rows: rows(20) })
    expect(made.status, made.text).to.equal(201)
    const { dataset_id: id, holdout_count: held } = made.body
    answer = (call) => ({ texts: [wordOf(call)] })
    const evaluated = await finished(await start({ dataset: { id } }))
    expect(evaluated.body, evaluated.text).to.deep.include({ state: 'succeeded', rows: held, namespace: 'support' })
    expect(evaluated.body.dataset).to.deep.include({ id, version: 1, side: 'holdout' })
    expect(evaluated.body.figures[0].value).to.equal(1)
    const [row] = (await show(evaluated.body.evaluation_id, '/rows')).body.rows
    expect(row.doc).to.include.keys('prompt', 'completion', 'input', 'output', 'row_id', 'row_hash')

    const grown = await post(`/v1/datasets/${id}/import`, { rows: rows(30).slice(20) })
    expect(grown.body.version, grown.text).to.equal(2)
    const first = await finished(await start({ dataset: { id, version: 1, side: 'all' } }))
    expect(first.body).to.deep.include({ rows: 20 })
    expect((await finished(await start({ dataset: { id, side: 'train' }, limit: 3 }))).body.rows).to.equal(3)

    await sendSql(
      service.database.db,
      `insert into dataset_captures (dataset_id, capture_id, tenant_id, namespace, row_hash, forgotten_at)
       values ($1, 'cap_1', $2, 'support', decode($3, 'hex'), now())`,
      [id, tenant.id, row.doc.row_hash],
    )
    const without = await finished(await start({ dataset: { id, version: 1, side: 'all' } }))
    expect(without.body.rows).to.equal(19)
    await eraseForgottenRows.run(service.deps, { signal: new AbortController().signal, progress: () => undefined })
    const erased = (await show(evaluated.body.evaluation_id, '/rows')).body.rows[0]
    expect(erased).to.deep.include({ doc: {}, requests: [], expected: null, got: null, right: true })
    expect(JSON.stringify(erased)).to.not.contain(row.doc.input)
  })
})
