import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { packOutcomes } from '../../../../core/learn/evals/scoring/packed-outcome.ts'
import { recordOutcomes } from '../../../../db/learn/evals/run-evaluation.ts'
import { givenApiTenant, type Answer, type ApiTenant } from '../../../support/api.ts'
import { givenProgramVersion } from '../../../support/archives/signed-artifacts.ts'
import { readZip } from '../../../support/archives/read-zip.ts'
import { runCli } from '../../../support/cli/run-cli.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { reconcileOne } from '../../../support/workflows/chores.ts'
import { recordHistory } from '../../../support/workflows/histories.ts'
import { CAPITALS, rows } from './eval-fixtures.ts'
import { useEvals } from './use-evals.ts'

describe('evaluations', () => {
  const { folder, faults, service, api, tenantOf, op, start, show, finished } = useEvals()
  let tenant: ApiTenant
  before(() => {
    tenant = tenantOf()
  })

  it('scores each row of a task and shows its figures with intervals', async () => {
    const started = await start({ num_fewshot: 2, slice_by: 'topic', data: { train: rows(9), test: rows(30) } })
    const { body, text } = await finished(started)
    expect(body, text).to.deep.include({
      state: 'succeeded',
      rows: 30,
      scored: 30,
      target: 'tiny',
      tasks: ['capitals'],
    })
    const [acc] = body.figures
    expect(acc).to.deep.include({ task: 'capitals', metric: 'acc', filter: 'none', slice: null, n: 30 })
    expect(acc.interval.method).to.equal('wilson')
    expect(acc.interval.low).to.be.below(acc.value)
    expect(body.figures.filter(({ slice }: { slice: string }) => slice === 'odd')).to.have.lengthOf(2)
    const page = await show(body.evaluation_id, '/rows?limit=2&from=3')
    expect(page.body).to.deep.include({ count: 2, next_from: 5 })
    const [row] = page.body.rows
    expect(row).to.deep.include({ row: 3, doc_id: 2, expected: 2, slice: 'even', cut_tokens: 0 })
    expect(row.requests[1].continuation).to.equal(' 4')
    expect(row.requests[0].context.split('\n\n')).to.have.lengthOf(3)
    expect(row.right).to.equal(row.got === row.expected)
    const wrong = await show(body.evaluation_id, '/rows?right=false&limit=200')
    expect(wrong.body.count).to.equal(Math.round(30 * (1 - acc.value)))
    await recordHistory(service.temporal, 'evaluate-succeeded', body.evaluation_id)
  })

  it('evaluates an artifact as it runs, and keeps the results of its rows for diagnosis', async () => {
    const { jobId: artifactId } = await givenProgramVersion(op(), service.deps.signer)
    const task = 'task: names\ntest_split: test\ndoc_to_text: input\ndoc_to_target: output\n'
    const data = {
      test: [
        { input: 'ada', output: 'ADA' },
        { input: 'alan', output: 'Alan' },
      ],
    }
    const { body, text } = await finished(await start({ task, data, target: { artifact_id: artifactId } }))
    expect(body.figures, text).to.have.lengthOf(1)
    expect(body.figures[0]).to.deep.include({ metric: 'exact_match', value: 0.5, n: 2 })
    const results = await sendSql(
      service.database.db,
      'select row_id, result from row_results where source = $1 order by place',
      [body.evaluation_id],
    )
    expect(results).to.deep.equal([
      { row_id: 'names/1', result: 'right' },
      { row_id: 'names/2', result: 'wrong' },
    ])
    const [{ cid } = { cid: '' }] = await sendSql<{ cid: string }>(
      service.database.db,
      'select cid from artifacts where id = $1',
      [artifactId],
    )
    const report = async (kind: string, source: string, key = tenant.key) =>
      await api.call('GET', `/v1/${kind}/${cid}?source=${source}`, { key })
    const source = `evaluation:${body.evaluation_id}`
    expect((await report('diagnose', source)).body).to.deep.include({ source, n: 2 })
    const modes = await report('failure-modes', source)
    expect(modes.body, modes.text).to.deep.include({ source, n: 2, wrong: 1, n_with_content: 2 })
    for (const kind of ['diagnose', 'failure-modes']) {
      expect((await report(kind, 'evaluation:evl_0')).status).to.equal(404)
      expect((await report(kind, 'another')).status).to.equal(400)
    }
    const stranger = await givenApiTenant(api)
    expect((await report('diagnose', source, stranger.key)).status).to.equal(404)
    const likelihoods = await start({ target: { artifact_id: artifactId } })
    expect(likelihoods.body).to.deep.include({ code: 'eval_needs_likelihoods' })
  })

  it('answers repeats with pass@k, and the same drawn answers for the same seed', async () => {
    const task = `
task: echo
test_split: test
doc_to_text: "{{question}}"
doc_to_target: answer
repeats: 4
generation_kwargs: {do_sample: true, temperature: 1.0, max_gen_toks: 2, until: ["\\n"]}
`
    const data = { test: rows(2) }
    const first = await finished(await start({ task, data }))
    expect(first.body.passes.map(({ k }: { k: number }) => k)).to.deep.equal([1, 2, 4])
    const second = await finished(await start({ task, data }))
    const texts = async ({ body }: Answer) => (await show(body.evaluation_id, '/rows')).body.rows[0].responses.texts
    expect(await texts(first)).to.have.lengthOf(4)
    expect(await texts(second)).to.deep.equal(await texts(first))
  })

  it('cuts prompts beyond the context from the left, and counts the tokens', async () => {
    const data = { test: [{ ...rows(1)[0], question: 'word '.repeat(400) }] }
    const { body } = await finished(await start({ data }))
    expect(body.state).to.equal('succeeded')
    expect(body.cut_tokens).to.be.above(100)
  })

  it('names the place of each fault of a task or a row', async () => {
    const fault = async (body: object) => {
      const answer = await start(body)
      return { status: answer.status, code: answer.body.code, details: answer.body.details }
    }
    const withCode = `${CAPITALS}process_docs: !function utils.process\n`
    expect(await fault({ task: withCode })).to.deep.equal({
      status: 400,
      code: 'invalid_eval_task',
      details: { file: 'task', line: 9, field: 'process_docs' },
    })
    const out = { test: [...rows(2), { ...rows(1)[0], answer: 3 }] }
    expect(await fault({ data: out })).to.deep.include({
      code: 'eval_gold_out_of_range',
      details: { task: 'capitals', row: 3, choices: 3 },
    })
    const missing = CAPITALS.replace('{{question}}', '{{query}}')
    expect(await fault({ task: missing })).to.deep.include({
      code: 'invalid_eval_row',
      details: { task: 'capitals', row: 1 },
    })
    expect(await fault({ data: {} })).to.deep.include({ code: 'invalid_eval_task' })
    expect(await fault({ data: { test: rows(61) } })).to.deep.include({ code: 'invalid_eval_task' })
    expect(await fault({ target: { base: 'other' } })).to.deep.include({ status: 400, code: 'unknown_base_model' })
    expect(await fault({ target: { artifact_id: 'cmp_00000000000000000000000000' } })).to.deep.include({ status: 404 })
  })

  it('takes tasks from files by include and as a group with a pooled figure', async () => {
    const files = {
      'base.yaml': CAPITALS,
      'easy.yaml': 'include: base.yaml\ntask: easy\n',
      'hard.yaml': 'include: base.yaml\ntask: hard\ndoc_to_text: "Hard: {{question}}"\n',
    }
    const task =
      'group: both\ntask: [easy, hard]\naggregate_metric_list:\n  - {metric: acc, aggregation: mean, weight_by_size: true}\n'
    const data = { test: rows(5), 'hard/test': rows(3) }
    const { body, text } = await finished(await start({ task, files, data }))
    expect(body.groups, text).to.have.lengthOf(1)
    expect(body.groups[0]).to.deep.include({ group: 'both', metric: 'acc', n: 8 })
  })

  it('compares two evaluations row by row, with a paired test and the rows that flipped', async () => {
    const given = { slice_by: 'topic', data: { test: rows(24) } }
    const first = await finished(await start(given))
    const longer = CAPITALS.replace('"{{question}}"', '"{{question}} It is number"')
    const second = await finished(await start({ ...given, task: longer }))
    const compare = async (other: string) =>
      await api.call('POST', `/v1/evals/${first.body.evaluation_id}/compare`, {
        key: tenant.key,
        body: { with: other, correction: 'holm' },
      })
    const { body, text } = await compare(second.body.evaluation_id)
    expect(body, text).to.deep.include({ paired: 24, unpaired: { first: 0, second: 0 }, correction: 'holm' })
    const [whole, ...slices] = body.comparisons
    expect(whole).to.deep.include({ task: null, slice: null, n: 24 })
    expect(whole.difference).to.be.closeTo((whole.won - whole.lost) / 24, 1e-12)
    expect(whole.interval.low).to.be.at.most(whole.difference)
    expect(slices.map(({ slice }: { slice: string }) => slice)).to.have.members(['even', 'odd'])
    expect(body.flips).to.have.lengthOf(whole.won + whole.lost)
    expect((await compare('evl_00000000000000000000000000')).status).to.equal(404)
  })

  it('runs, compares and logs evaluations from the command line', async () => {
    await writeFile(join(folder, 'base.yaml'), CAPITALS)
    await writeFile(join(folder, 'task.yaml'), 'include: base.yaml\ntask: cities\n')
    await writeFile(
      join(folder, 'test.jsonl'),
      rows(4)
        .map((row) => JSON.stringify(row))
        .join('\n'),
    )
    const svc = async (...args: readonly string[]) => {
      const env = { SVC_URL: api.url, SVC_API_KEY: tenant.key }
      const run = await runCli(args, { profileDir: join(folder, 'profile'), folder, env })
      expect([run.code, run.stderr]).to.deep.equal([0, ''])
      return run.stdout
    }
    const started = await svc(
      '--json',
      'eval',
      'run',
      'task.yaml',
      '--data',
      'test=test.jsonl',
      '--base',
      'tiny',
      '--slice-by',
      'topic',
    )
    const { evaluation_id: id, state } = JSON.parse(started)
    expect(state).to.equal('succeeded')
    expect(await svc('eval', 'compare', id, id))
      .to.match(/all +4 /)
      .and.match(/odd +2 /)
    // Rows of an artifact are diagnosed too.
    const { jobId: artifactId, versionId } = await givenProgramVersion(op(), service.deps.signer)
    await writeFile(
      join(folder, 'names.yaml'),
      'task: names\ntest_split: test\ndoc_to_text: input\ndoc_to_target: output\n',
    )
    await writeFile(join(folder, 'names.jsonl'), '{"input":"ada","output":"ADA"}\n{"input":"alan","output":"Alan"}\n')
    // Named by its version, as svc run takes it.
    const given = ['eval', 'run', 'names.yaml', '--data', 'test=names.jsonl', '--artifact', versionId]
    const { evaluation_id: ofArtifact } = JSON.parse(await svc('--json', ...given))
    expect(await svc('diagnose', artifactId, '--evaluation', ofArtifact)).to.match(/ on 2 rows$/m)
    expect(await svc('failures', artifactId, '--evaluation', ofArtifact)).to.contain('1 of 2 rows are wrong')
    expect(await svc('eval', 'log', id, '-o', 'x.eval')).to.contain('x.eval')
    expect((await readZip(await readFile(join(folder, 'x.eval')))).has('header.json')).to.equal(true)
    expect(await svc('eval', 'import', 'x.eval', '--name', 'theirs')).to.contain('stated by an imported log')
  })

  it('goes on behind the last recorded row after an attempt that was lost', async () => {
    faults.failAt(40)
    const { body, text } = await finished(await start({ data: { test: rows(50) } }))
    expect(body, text).to.deep.include({ state: 'succeeded', scored: 50 })
    // The sixteen rows that were under way are asked again, and no others.
    expect(faults.asked()).to.be.within(58, 66)
  })

  it('keeps the first outcome of a row that is scored again after a crash', async () => {
    const started = await start({ data: { test: rows(3) } })
    const { body } = await finished(started)
    const outcome = {
      responses: { type: 'rolling' as const, logProb: -1 },
      scores: [],
      rightRepeats: null,
      cutTokens: 7,
    }
    const packed = JSON.stringify({ ...outcome, silence: null, confidence: null })
    const again = packOutcomes([{ place: 0, isRight: null, outcome: packed, cutTokens: outcome.cutTokens }])
    expect(await recordOutcomes(op(), body.evaluation_id, again)).to.equal(3)
    const [row] = (await show(body.evaluation_id, '/rows')).body.rows
    expect(row.responses.type).to.equal('likelihoods')
  })

  it('fails an evaluation whose run was ended from outside', async () => {
    const started = await start({ data: { test: rows(2) } })
    const id = started.body.evaluation_id
    await finished(started)
    await sendSql(
      service.database.db,
      "update evaluations set finished_at = null, state = 'running', created_at = created_at - interval '1 hour' where id = $1",
      [id],
    )
    // The run itself may still be about to end.
    await eventually(async () => {
      await reconcileOne(service.deps, 'evaluate')
      expect((await show(id)).body).to.deep.include({ state: 'failed', error_code: 'evaluation_failed' })
    })
  })

  it('shows evaluations to their tenant only', async () => {
    const stranger = await givenApiTenant(api)
    const { body } = await start({})
    for (const path of ['', '/rows']) expect((await show(body.evaluation_id, path, stranger.key)).status).to.equal(404)
    await expectAudited(op(), 'evaluation.started', body.evaluation_id)
    const list = await api.call('GET', '/v1/evals?limit=3', { key: tenant.key })
    expect(list.body.evaluations[0].evaluation_id).to.equal(body.evaluation_id)
    expect((await api.call('GET', '/v1/evals', { key: stranger.key })).body.evaluations).to.deep.equal([])
  })
})
