import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { systemOperation } from '../../../db/kernel/operation.ts'
import { createProvider } from '../../../core/gateway/providers/http-provider.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../support/api.ts'
import { writeTinyBase } from '../../support/archives/tiny-bases.ts'
import { givenProgramVersion } from '../../support/archives/signed-artifacts.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { startProvider, type ProviderServer } from '../../support/providers/server.ts'
import { runCli } from '../../support/cli/run-cli.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { useService } from '../../support/workflows/service.ts'
import { HUMANEVAL_GZ, MMLU_TAR, MTBENCH, tarOf } from './official-files.ts'

const JUDGE = 'house-judge'
const PRICES = { input: 1, cached: 1, output: 1, source: 'operator' as const }

describe('benchmarks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  let judge: ProviderServer
  /** Questions to models before the worker is lost, once. */
  let untilLost = Number.POSITIVE_INFINITY
  before(async () => {
    judge = await startProvider('chat-completions', ({ messages }) => {
      const asked = messages.at(-1)?.text ?? ''
      if (asked.includes('NOTHING')) return { texts: ['I would rather not.'] }
      return { texts: [`It answers.\n[[${asked.includes('turn 2.') ? 7 : 9}]]`] }
    })
  })
  const service = useService({
    baseFolders: [folder],
    benchPacksDir: folder,
    models: () => ({
      teacher: {
        provider: createProvider({
          dialect: 'chat-completions',
          baseUrl: judge.baseUrl,
          apiKey: judge.apiKey,
          model: JUDGE,
          timeoutMs: 5000,
          connections: 2,
        }),
        prices: PRICES,
        isLocal: true,
      },
    }),
    change: (deps) => ({
      ...deps,
      models: {
        open: async (caller, model) => {
          const open = await deps.models.open(caller, model)
          const ask: typeof open.provider.ask = async (request, signal) => {
            if (untilLost-- > 0) return await open.provider.ask(request, signal)
            untilLost = Number.POSITIVE_INFINITY
            throw new Error('the process ended')
          }
          return { ...open, provider: { ...open.provider, ask } }
        },
      },
    }),
  })
  const settings = { programSamples: 1, labelSamples: 1, samplesPerCall: 1, maxOutputTokens: 100, budgetUsd: 1 }
  const teacher = { model: JUDGE, dialect: 'chat-completions', prices: PRICES, settings }
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    settings: { baseFolders: [folder], benchPacksDir: folder, teacher },
    limits: { bench_pack_bytes: 100_000, bench_pack_inflated_bytes: 200_000, bench_packs_per_tenant: 4 },
  })
  let tenant: ApiTenant
  let artifactId = ''
  const op = () => {
    const owner = { tenantId: tenant.id, name: 'test', requestId: 'test', now: () => new Date() }
    return systemOperation(service.database.db, owner)
  }
  before(async () => {
    await writeTinyBase(folder, 'tiny')
    tenant = await givenApiTenant(api)
    artifactId = (await givenProgramVersion(op(), service.deps.signer)).jobId
  })
  after(async () => {
    await judge.close()
    await rm(folder, { recursive: true })
  })

  const upload = async (benchmark: string, raw: Buffer | string, key = tenant.key): Promise<Answer> =>
    await api.call('POST', `/v1/bench/packs?benchmark=${benchmark}`, {
      key,
      raw: Uint8Array.from(Buffer.from(raw)),
      headers: { 'content-type': 'application/octet-stream' },
    })
  const run = async (benchmark: string, body: object): Promise<Answer> =>
    await api.call('POST', `/v1/bench/${benchmark}`, { key: tenant.key, body: { confirm: true, ...body } })
  const finished = async (started: Answer): Promise<Answer> => {
    expect(started.status, started.text).to.equal(202)
    let answer = started
    await eventually(async () => {
      answer = await api.call('GET', started.body.poll, { key: tenant.key })
      expect(answer.body.finished_at, answer.text).to.be.a('string')
    })
    expect(answer.body.state, answer.text).to.equal('succeeded')
    return answer
  }

  it('asks for a word of confirmation, a pack, a sandbox and a target', async () => {
    const unconfirmed = await run('mmlu', { confirm: false, artifact_id: artifactId })
    expect(unconfirmed.body).to.deep.include({ code: 'confirm_required' })
    const missing = await run('mmlu', { artifact_id: artifactId })
    expect([missing.status, missing.body.code]).to.deep.equal([503, 'bench_pack_not_installed'])
    const untried = await run('humaneval', { artifact_id: artifactId })
    expect([untried.status, untried.body.code]).to.deep.equal([503, 'bench_pack_not_installed'])
    expect((await run('mmlu', {})).body.details.fields[0].field).to.equal('artifact_id')
  })

  it('stores packs in the form of the official files, and the same file once', async () => {
    const stored = await upload('mmlu', MMLU_TAR)
    expect(stored.status, stored.text).to.equal(201)
    expect(stored.body).to.deep.include({ benchmark: 'mmlu', name: 'mmlu', questions: 4, namespace: 'default' })
    await expectAudited(op(), 'bench_pack.stored', stored.body.pack_id)
    expect((await upload('mmlu', MMLU_TAR)).body.pack_id).to.equal(stored.body.pack_id)
    expect((await upload('humaneval', HUMANEVAL_GZ)).body.questions).to.equal(2)
    expect((await upload('mtbench', MTBENCH)).body.questions).to.equal(3)
    const other = await givenApiTenant(api)
    const foreign = await api.call('GET', `/v1/bench/packs/${stored.body.pack_id}`, { key: other.key })
    expect(foreign.status).to.equal(404)
    const gone = await upload('mtbench', MTBENCH.split('\n')[0] ?? '')
    expect((await upload('mtbench', MTBENCH.split('\n')[1] ?? '')).body.code).to.equal('limit_reached')
    const removed = await api.call('DELETE', `/v1/bench/packs/${gone.body.pack_id}`, { key: tenant.key })
    expect(removed.status).to.equal(200)
    await expectAudited(op(), 'bench_pack.deleted', gone.body.pack_id)
    const { body } = await api.call('GET', '/v1/bench/packs', { key: tenant.key })
    expect(body.packs.map(({ benchmark }: { benchmark: string }) => benchmark)).to.deep.equal([
      'mtbench',
      'humaneval',
      'mmlu',
    ])
  })

  it('names file and line of what is wrong with a pack, and refuses links and bombs', async () => {
    const test = (text: string) => tarOf([{ name: 'test/sea_test.csv', text }])
    const answers = await Promise.all([
      upload('mmlu', test('one,a,b,c,d,A\ntwo,a,b,c,d,E\n')),
      upload('mmlu', tarOf([{ name: 'test/sea_test.csv', link: '/etc/passwd' }])),
      upload('mmlu', 'no archive'),
      upload('humaneval', '\n'),
      upload('humaneval', '{"task_id":"a"}'),
      upload('mtbench', `${MTBENCH}\n${MTBENCH.split('\n')[0]}`),
      upload('mtbench', gzipSync(Buffer.alloc(300_000, 32))),
      upload('mtbench', Buffer.alloc(200_000, 32)),
    ])
    expect(answers.map(({ body }) => body.code)).to.deep.equal([
      'bench_pack_invalid',
      'bench_pack_link_rejected',
      'bench_pack_invalid',
      'bench_pack_empty',
      'bench_pack_invalid',
      'bench_pack_invalid',
      'bench_pack_too_large',
      'payload_too_large',
    ])
    expect(answers[0]?.body.error).to.match(/^test\/sea_test\.csv, line 2: /)
    expect(answers[5]?.body.error).to.match(/^line 4: 81 stands twice/)
  })

  it('runs MMLU by likelihood on a base, with examples and Wilson intervals', async () => {
    const { body, text } = await finished(await run('mmlu', { base: 'tiny', subjects: ['sea_lore'], num_fewshot: 2 }))
    const { n, correct, accuracy, interval, by_subject: subjects, sample_runs: samples } = body.results
    expect(n, text).to.equal(3)
    expect(accuracy).to.equal(Math.round((correct / 3) * 10_000) / 10_000)
    expect(interval.low).to.be.below(accuracy + 1e-9)
    expect(Object.keys(subjects)).to.deep.equal(['sea_lore'])
    expect(samples[0]).to.deep.include({ subject: 'sea_lore', question: 'a) tide is?', expected: 'C' })
    const rows = await api.call('GET', `${body.evaluation}/rows`, { key: tenant.key })
    const [{ requests }] = rows.body.rows
    // The prompt of Hendrycks et al. (arXiv:2009.03300), as lm-evaluation-harness 0.4.13 writes it.
    expect(requests[2]).to.deep.equal({
      type: 'loglikelihood',
      context:
        'The following are multiple choice questions (with answers) about sea lore.\n\nWhich sea is salt, or fresh?\nA. salt\nB. fresh\nC. both\nD. none\nAnswer: A\n\nWhich fish flies?\nA. cod\nB. eel\nC. flying fish\nD. ray\nAnswer: C\n\na) tide is?\nA. rise\nB. fall\nC. both\nD. none\nAnswer:',
      continuation: ' C',
    })
    const unknown = await run('mmlu', { base: 'tiny', subjects: ['none'] })
    expect(unknown.body).to.deep.include({ code: 'unknown_subject' })
  })

  it('reads the letter out of the answers of an artifact', async () => {
    const { body } = await finished(await run('mmlu', { artifact_id: artifactId }))
    // The artifact answers the question in capitals: A, B, C and D stand first.
    expect(body.results).to.deep.include({ n: 4, correct: 2, accuracy: 0.5 })
    expect(body.results.by_subject.stars).to.deep.include({ n: 1, correct: 1 })
    expect(body.results.sample_runs.map(({ got }: { got: string }) => got).join('')).to.equal('ABCD')
    const list = await api.call('GET', '/v1/evals?limit=1', { key: tenant.key })
    expect(list.body.evaluations[0].evaluation_id).to.equal(body.run_id)
  })

  it('runs HumanEval in a sandbox that passed its probes', async () => {
    const { sandbox, trials } = await service.deps.codeSandbox()
    expect(trials.at(-1)).to.deep.include({ name: 'pyodide', outcome: 'ready' })
    expect(sandbox?.name).to.equal('pyodide')
    const ready = await api.call('GET', '/ready')
    const check = ready.body.checks.find(({ name }: { name: string }) => name === 'code_sandbox')
    expect(check).to.deep.include({ ok: true, required: false })
    const { body, text } = await finished(await run('humaneval', { artifact_id: artifactId, n_samples: 2 }))
    expect(body.results, text).to.deep.include({ n: 2, n_samples: 2, passed: 2, pass_at_1: 0.5 })
    expect(body.results.pass_at).to.deep.equal({ 1: 0.5, 2: 0.5 })
    const [first, second] = body.results.by_task
    expect(first).to.deep.include({ task_id: 'Own/0', passed: 2, message: null })
    expect(second).to.deep.include({ task_id: 'Own/1', passed: 0, message: 'is no square', verdicts: { failed: 2 } })
  })

  it('runs MT-Bench: the second turn shows the first, and errors of the judge are no scores', async () => {
    const { body, text } = await finished(await run('mtbench', { artifact_id: artifactId }))
    expect(body.results, text).to.deep.include({ n: 2, mean_score: 8, judge: JUDGE, judge_errors: 2 })
    expect(body.results.by_category).to.deep.equal({ writing: { n: 1, mean_score: 8 }, math: { n: 1, mean_score: 8 } })
    expect(body.results.by_question[2]).to.deep.include({ mean: null, judge_error: 'unreadable_judgement' })
    const asked = judge.calls.map(({ messages }) => messages.at(-1)?.text ?? '')
    const second = asked.find((each) => each.includes('Double it.')) ?? ''
    expect(second).to.contain('<assistant turn="1">\nWHAT IS 2 + 3?\n</assistant>')
    expect(second).to.contain('### USER:\nWHAT IS 2 + 3?\n\n### ASSISTANT:\nWHAT IS 2 + 3?')
    expect(second).to.contain('<reference turn="2">\n10\n</reference>')
  })

  it("asks a provider's model turn by turn, and no answer twice", async () => {
    const before = judge.calls.length
    const { body, text } = await finished(await run('mtbench', { model: JUDGE, n_samples: 1 }))
    expect(body.results, text).to.deep.include({ n: 1, mean_score: 8, judge_errors: 0 })
    const asked = judge.calls.slice(before).map(({ messages }) => messages.map(({ role }) => role).join())
    expect(asked).to.deep.equal(['user', 'user,assistant,user', 'system,user', 'system,user'])
  })

  it('buys no grade of a finished row again when a worker is lost', async () => {
    const before = judge.calls.length
    untilLost = 4
    const { body, text } = await finished(await run('mtbench', { artifact_id: artifactId }))
    expect(body.results, text).to.deep.include({ n: 2, judge_errors: 2 })
    const asked = judge.calls.slice(before).map(({ messages }) => messages.at(-1)?.text ?? '')
    expect(new Set(asked).size).to.equal(6)
    // The fifth was lost; the other turn of its row may have been asked.
    expect(asked.length).to.be.at.most(7)
  })

  it('takes the installed pack where a namespace has none, and no link in its place', async () => {
    await writeFile(join(folder, 'data.tar'), MMLU_TAR)
    const { body } = await finished(
      await run('mmlu', { artifact_id: artifactId, namespace: 'elsewhere', n_samples: 1 }),
    )
    expect(body.pack).to.deep.include({ pack_id: null, name: 'data.tar', questions: 4 })
    expect(body.results.n).to.equal(2)
  })

  it('finds questions of packs in the rows of a dataset', async () => {
    const question = 'which of the many long rivers of the far north is the one that freezes last in winter'
    const pack = JSON.stringify({ question_id: 1, category: 'geography', turns: [question, 'And first?'] })
    const task = { task_id: 'X/0', prompt: 'def f():', entry_point: 'f', test: 'def check(f): pass' }
    await writeFile(join(folder, 'HumanEval.jsonl'), `${JSON.stringify(task)}\n`)
    await rm(join(folder, 'data.tar'), { force: true })
    const stored = await api.call('POST', '/v1/bench/packs?benchmark=mtbench&namespace=rivers', {
      key: tenant.key,
      raw: pack,
    })
    const rows = [
      { input: `Say: ${question.toUpperCase()}?`, output: 'none' },
      ...Array.from({ length: 9 }, (_, at) => ({ input: `row ${at}`, output: String(at) })),
    ]
    const body = { namespace: 'rivers', rows, train_ratio: 0.9 }
    const made = await api.call('POST', '/v1/datasets', { key: tenant.key, body })
    let shown = made
    await eventually(async () => {
      shown = await api.call('GET', `/v1/datasets/${made.body.dataset_id}`, { key: tenant.key })
      expect(shown.body.quality, shown.text).to.be.an('object')
    })
    const { benchmarks, own } = shown.body.quality.contamination
    expect(benchmarks).to.deep.include({
      packs: [stored.body.pack_id, 'installed:humaneval'],
      train_rows: own.train_rows,
      held_rows: 2,
    })
    expect(benchmarks.contaminated).to.equal(benchmarks.row_ids.length)
  })

  it('is run by the CLI', async () => {
    const file = join(folder, 'upload.tar')
    await writeFile(file, MMLU_TAR)
    const env = { SVC_URL: api.url, SVC_API_KEY: tenant.key }
    const svc = async (...args: string[]) => await runCli(args, { profileDir: join(folder, 'profile'), folder, env })
    const uploaded = await svc('bench', 'upload', file, '--benchmark', 'mmlu')
    expect(uploaded.stdout, uploaded.stderr).to.match(/^bpk_\w+/m)
    const done = await svc('bench', 'mmlu', '--artifact', artifactId, '--pack', file, '--subjects', 'stars')
    expect(done.stdout, done.stderr).to.match(/accuracy 1\.0000 \(1 of 1\)/)
  })
})
