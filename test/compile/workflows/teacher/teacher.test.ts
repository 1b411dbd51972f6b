import { expect } from 'chai'
import { unpackArchive } from '../../../../core/compile/archive/unpack.ts'
import { verifyArchive } from '../../../../core/compile/archive/verify.ts'
import { apart } from '../../core/rows/given-rows.ts'
import { listEvents } from '../../../../db/compile/progress/events/list-events.ts'
import { tenantOf, systemOperation } from '../../../../db/kernel/operation.ts'
import { findRound } from '../../../../db/compile/progress/teacher-samples/rounds.ts'
import { listSamples } from '../../../../db/compile/progress/teacher-samples/samples.ts'
import { costMicros } from '../../../../core/gateway/providers/prices.ts'
import { CITIES, cityRows } from '../../core/teacher/given.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../../support/api.ts'
import { answering, tokensOf, type ScriptedCall } from '../../../support/providers/scripted-model.ts'
import { historyOf, recordHistory } from '../../../support/workflows/histories.ts'
import { useService } from '../../../support/workflows/service.ts'
import {
  asksForProgram,
  asksForRepair,
  shownExamples,
  tableAnswer,
  TEST_PRICES,
  useTeacher,
} from './teacher-service.ts'

const TASK = 'The ISO code of the country that a city is in'

/** A model that at first lists what it is shown, and writes down what it knows once an answer says that this fails. */
function learningModel(call: ScriptedCall) {
  if (!asksForProgram(call)) return answering({ answer: 'unasked' })
  if (asksForRepair(call)) return tableAnswer(CITIES)
  const shown = shownExamples(call)
  return tableAnswer(shown.slice(0, shown.length - 2))
}

describe('a compile with a frontier teacher', () => {
  const teacher = useTeacher('chat-completions')
  const service = useService({ change: teacher.change })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
  })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })

  const compile = async (body: object) =>
    await api.call('POST', '/v1/compile', { key: tenant.key, body: { task: TASK, base_model: 'none', ...body } })

  const eventsOf = async (jobId: string) => {
    const op = systemOperation(service.database.db, { tenantId: tenant.id, name: 'test', requestId: 'test' })
    return await listEvents(op, { jobId, afterSeq: 0, limit: 1000 })
  }

  const billed = (calls: readonly ScriptedCall[], answers: readonly { readonly outputTokens: number }[]): number =>
    calls.reduce((sum, { messages }, i) => {
      const inputTokens = tokensOf(messages.map(({ text }) => text).join('\n'))
      return (
        sum + costMicros(TEST_PRICES, { inputTokens, cachedTokens: 0, outputTokens: answers[i]?.outputTokens ?? 0 })
      )
    }, 0)

  it('ends ready with a rule that a model knows and no search finds, having shown it no holdout row', async () => {
    teacher.script(learningModel)
    const examples = cityRows()
    const done = await compile({ examples })
    expect(done.status, done.text).to.equal(200)
    expect(done.body).to.include({ status: 'completed', recipe_kind: 'program', k_score: 1 })

    const calls = teacher.calls()
    expect(calls.filter(asksForRepair)).to.have.length.greaterThan(0)
    expect(calls.length).to.be.at.most(8)
    const { train, holdout } = apart(examples)
    const requests = calls.map(({ raw }) => raw).join('\n')
    for (const place of holdout) {
      expect(requests).to.not.include(examples[place]?.input)
      expect(requests).to.not.include(examples[place]?.id)
    }
    expect(train.some((place) => requests.includes(examples[place]?.input ?? '?'))).to.equal(true)
    expect(calls.every(({ structure }) => structure === 'schema')).to.equal(true)

    // What was bought is what the provider served, and it stands in the job, its events and its archive.
    const samples = await listSamples(tenantOf(service.database.db, tenant.id), done.body.id)
    expect(samples).to.have.length(calls.length)
    const micros = samples.reduce((sum, { costUsdMicros }) => sum + costUsdMicros, 0)
    expect(micros).to.equal(billed(calls, samples))
    expect(done.body.cost_usd).to.equal(micros / 1_000_000)
    expect(done.body.teacher).to.deep.include({
      status: 'asked',
      model: 'test-model',
      bought: calls.length,
      reason: null,
    })
    const cost = (await eventsOf(done.body.id)).find(({ kind, body }) => kind === 'cost' && body['step'] === 'k-sample')
    expect(cost?.body).to.include({ usd_micros: micros })
    expect(cost?.body['tokens']).to.equal(done.body.teacher.input_tokens + done.body.teacher.output_tokens)

    const archive = await api.call('GET', `/v1/compile/${done.body.id}/.svc`, { key: tenant.key })
    expect((await verifyArchive(archive.bytes)).ok).to.equal(true)
    const { build } = await unpackArchive(archive.bytes)
    expect(build['teacher']).to.deep.include({ status: 'asked', bought: calls.length })
    const frontier = build.samples.filter((sample) => sample['provider'] === 'frontier')
    expect(frontier).to.have.length(calls.length)
    expect(frontier[0]?.['verdict']).to.include({ chosen: 'winner' })
    expect(frontier[0]?.['teacher']).to.include.keys('model', 'input_tokens', 'cost_usd', 'latency_ms', 'outcome')

    const history = await recordHistory(service.temporal, 'compile-taught_built', done.body.id)
    for (const secret of ['Paris', 'country', teacher.server.apiKey]) expect(history).to.not.include(secret)
    expect(JSON.stringify(await eventsOf(done.body.id))).to.not.include(teacher.server.apiKey)
  })

  it('buys nothing twice for a tenant, and everything again for another one', async () => {
    teacher.script(learningModel)
    const again = await compile({ examples: cityRows() })
    expect(again.body).to.include({ status: 'completed', cost_usd: 0 })
    expect(again.body.teacher).to.deep.include({ bought: 0, cost_usd: 0 })
    expect(again.body.teacher.reused).to.equal(again.body.teacher.samples)
    expect(teacher.calls()).to.deep.equal([])
    const other = await givenApiTenant(api)
    const theirs = await api.call('POST', '/v1/compile', {
      key: other.key,
      body: { task: TASK, base_model: 'none', examples: cityRows() },
    })
    expect(theirs.body.teacher.reused).to.equal(0)
    expect(teacher.calls()).to.have.length(theirs.body.teacher.bought)
  })

  it('evaluates few rows by programs whose prompts never held them', async () => {
    teacher.script((call) => (asksForRepair(call) ? tableAnswer(CITIES) : learningModel(call)))
    const examples = cityRows(12)
    const done = await compile({ task: `${TASK}, of few`, examples })
    expect(done.body).to.include({ status: 'completed', recipe_kind: 'program' })
    // Three rows score the program, and three of the other nine are kept out of the prompts.
    const prompts = teacher
      .calls()
      .filter((call) => !asksForRepair(call))
      .map((call) => shownExamples(call).map(([input]) => input))
    expect(new Set(prompts.map((shown) => shown.toSorted().join())).size).to.equal(1)
    expect(prompts[0]).to.have.length(6)
    const { holdout } = apart(examples)
    expect(holdout).to.have.length(3)
    for (const place of holdout) expect(prompts[0]).not.to.include(examples[place]?.input)
    expect(done.body.evals_summary).to.include({ total: 3, failing: 0 })
  })

  it('grounds the prompts in documents of the namespace, without passages that tell a row which scores', async () => {
    const examples = cityRows()
    const { holdout } = apart(examples)
    const [scored] = holdout.flatMap((place) => examples[place] ?? [])
    const form = new FormData()
    form.append('namespace', 'atlas')
    form.append('file', new Blob(['The ISO code of a country has two letters.']), 'codes.txt')
    form.append(
      'file',
      new Blob([`The ISO code of the city ${scored?.input} is ${JSON.stringify(scored?.output)}.`]),
      'leak.txt',
    )
    expect((await api.call('POST', '/v1/embed', { key: tenant.key, raw: form })).body).to.include({ indexed: 2 })
    teacher.script(learningModel)
    const done = await compile({ task: `${TASK}, by documents`, examples, corpus_namespace: 'atlas' })
    expect(done.body.teacher.grounding).to.deep.equal({ namespace: 'atlas', passages: 1 })
    const [first] = teacher.calls()
    expect(first?.messages.at(-1)?.text).to.include('[1] "codes.txt"\n"The ISO code of a country has two letters."')
    expect(
      teacher
        .calls()
        .map(({ raw }) => raw)
        .join('\n'),
    ).to.not.include(`the city ${scored?.input}`)
  })

  it('goes on without a teacher that refuses its key, and logs that without the key', async () => {
    teacher.script(() => ({ status: 401, message: `wrong key ${teacher.server.apiKey}` }))
    const gated = await compile({ task: `${TASK}, refused`, examples: cityRows() })
    expect(gated.status).to.equal(422)
    const [job] = (await api.call('GET', '/v1/compile?limit=1', { key: tenant.key })).body.jobs
    const detail = await api.call('GET', `/v1/compile/${job.id}`, { key: tenant.key })
    expect(detail.body.teacher).to.deep.include({ status: 'asked', reason: 'provider_auth_failed', bought: 0 })
    expect(detail.body.cost_usd).to.equal(0)
    expect((await findRound(tenantOf(service.database.db, tenant.id), job.id))?.reservedUsdMicros).to.equal(0)
    const history = await historyOf(service.temporal, job.id)
    expect(detail.text + gated.text + history).to.not.include(teacher.server.apiKey)
  })

  it('waits as a provider asks, and counts the calls that it repeats', async () => {
    let refused = 0
    teacher.script((call) => {
      if (refused++ < 3) return { status: 429, headers: { 'retry-after': '0' } }
      return asksForRepair(call) ? tableAnswer(CITIES) : learningModel(call)
    })
    const done = await compile({ task: `${TASK}, slowly`, examples: cityRows() })
    expect(done.body).to.include({ status: 'completed' })
    const samples = await listSamples(tenantOf(service.database.db, tenant.id), done.body.id)
    expect(samples.reduce((sum, { attempts }) => sum + attempts, 0)).to.equal(samples.length + 3)
    expect(teacher.server.mostAtOnce()).to.be.at.most(4)
  })

  it('makes training rows of unlabelled inputs on which the samples agree', async () => {
    const places = ['kitchen', 'garden', 'office', 'cellar', 'attic', 'garage', 'porch', 'hall']
    const examples = places.flatMap((place) =>
      ['lamp is broken again', 'heating works well', 'door is stuck and loud', 'light works fine'].map((text, i) => ({
        input: `The ${place} ${text}`,
        output: i % 2 === 0 ? 'fault' : 'praise',
      })),
    )
    let guesses = 0
    teacher.script((call) => {
      if (asksForProgram(call)) return answering({ language: 'svc-recipe-1', body: { op: 'input' } })
      const text = call.messages.at(-1)?.text ?? ''
      if (/unclear/.test(text)) return answering({ answer: ['fault', 'praise'][guesses++ % 2] })
      return answering({ answer: /broken|stuck/.test(text) ? 'fault' : 'praise' })
    })
    const done = await compile({
      task: 'Fault or praise',
      examples,
      k_score_floor: 0.5,
      unlabelled_inputs: ['The tower lamp is broken today', 'The bridge door works well today', 'The unclear thing'],
    })
    expect(done.status, done.text).to.equal(200)
    expect(done.body.teacher.labels).to.include({ given: 3, asked: 3, samples: 15, accepted: 2, disagreed: 1 })
  })
})
