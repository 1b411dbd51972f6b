import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Answer } from '../../../support/api.ts'
import { givenProgramVersion } from '../../../support/archives/signed-artifacts.ts'
import { readZip } from '../../../support/archives/read-zip.ts'
import { runCli } from '../../../support/cli/run-cli.ts'
import { useEvals } from './use-evals.ts'

/** A task of translation: names in capitals. Its second row has two references. */
const TRANSLATION = `
task: capitals
test_split: test
doc_to_text: input
doc_to_target: output
generation_kwargs: {max_gen_toks: 8, until: ["\\n"]}
metric_list: [{metric: bleu}, {metric: chrf}, {metric: chrf++}, {metric: ter}]
`
const ROWS = [
  { input: 'ada wrote the first program of all', output: ['ADA WROTE THE FIRST PROGRAM OF ALL'], kind: 'long' },
  { input: 'alan asked whether machines think', output: ['ALAN asked', 'ALAN ASKED IF MACHINES THINK'], kind: 'long' },
  { input: 'grace', output: ['GRACE HOPPER'], kind: 'short' },
  { input: 'edsger', output: ['EDSGER'], kind: 'short' },
]

describe('evaluations by metrics of generated texts', () => {
  const { folder, service, api, tenantOf, op, start, show, finished } = useEvals()
  const evaluated = async (target: object, more: object = {}): Promise<Answer['body']> => {
    const given = { task: TRANSLATION, data: { test: ROWS }, slice_by: 'kind', target, ...more }
    const { body, text } = await finished(await start(given))
    expect(body.state, text).to.equal('succeeded')
    return body
  }
  let artifactId = ''
  let ofArtifact: Answer['body']
  let ofBase: Answer['body']
  before(async () => {
    artifactId = (await givenProgramVersion(op(), service.deps.signer)).jobId
    ofArtifact = await evaluated({ artifact_id: artifactId })
    ofBase = await evaluated({ base: 'tiny' })
  })

  const compare = async (first: string, second: string): Promise<Answer> =>
    await api.call('POST', `/v1/evals/${first}/compare`, { key: tenantOf().key, body: { with: second } })

  it('shows the figures of the corpus and of its slices, from 0 to 100, with bootstrapped intervals', () => {
    const whole = ofArtifact.figures.filter(({ slice }: { slice: string | null }) => slice === null)
    const directions = whole.map((figure: { metric: string; higher_is_better: boolean }) => [
      figure.metric,
      figure.higher_is_better,
    ])
    expect(directions).to.deep.equal([
      ['bleu', true],
      ['chrf', true],
      ['chrf++', true],
      ['ter', false],
    ])
    const ter = whole[3]
    // One word is replaced and one is missing; the references have 7, 2 and 5, 2 and 1 words, of two the mean.
    expect(ter.value).to.be.closeTo((100 * 2) / (7 + 3.5 + 2 + 1), 1e-9)
    expect(ter).to.deep.include({ n: 4, filter: 'none' })
    expect(ter.interval).to.deep.include({ method: 'bootstrap' })
    expect(ter.interval.low).to.be.below(ter.value)
    expect(ter.interval.high).to.be.above(ter.value)
    expect(ter.stderr).to.be.above(0)
    expect(whole[0].value).to.be.within(60, 99)
    const sliced = ofArtifact.figures.filter(({ metric }: { metric: string }) => metric === 'ter')
    expect(sliced.map(({ slice, n }: { slice: string | null; n: number }) => [slice, n])).to.deep.equal([
      [null, 4],
      ['long', 2],
      ['short', 2],
    ])
  })

  it('shows what a row counts and its scores alone, and calls it neither right nor wrong', async () => {
    const { body } = await show(ofArtifact.evaluation_id, '/rows')
    const [first, , third] = body.rows
    expect(first).to.deep.include({ right: null, got: ROWS[0]?.output[0] })
    expect(first.scores[0].alone).to.deep.include({ ter: 0 })
    expect(first.scores[0].alone.bleu).to.be.closeTo(100, 1e-9)
    expect(third.scores[0].metrics.ter).to.deep.equal([1, 2])
    expect(third.scores[0].alone.ter).to.equal(50)
  })

  it('compares two evaluations by resamples of the rows that both have', async () => {
    const { body, text } = await compare(ofBase.evaluation_id, ofArtifact.evaluation_id)
    expect(body, text).to.deep.include({ paired: 0, comparisons: [], flips: [] })
    const whole = body.metrics.filter(({ slice }: { slice: string | null }) => slice === null)
    expect(whole.map(({ metric }: { metric: string }) => metric)).to.deep.equal(['bleu', 'chrf', 'chrf++', 'ter'])
    for (const each of whole) {
      expect(each.difference, each.metric).to.be.closeTo(each.second - each.first, 1e-9)
      expect(each.n).to.equal(4)
      expect(each.interval.low).to.be.at.most(each.interval.high)
      expect(each.p_value).to.be.within(0, 1)
      expect(each.difference > 0, each.metric).to.equal(each.higher_is_better)
    }
    expect(body.metrics).to.have.lengthOf(12)
    const same = await compare(ofArtifact.evaluation_id, ofArtifact.evaluation_id)
    expect(same.body.metrics[0]).to.deep.include({ difference: 0, interval: null, p_value: 1, smallest_effect: null })
    // An evaluation without such metrics has none to compare.
    const exact = await evaluated({ artifact_id: artifactId }, { task: TRANSLATION.replace(/metric_list.*\n/, '') })
    expect((await compare(ofArtifact.evaluation_id, exact.evaluation_id)).body.metrics).to.deep.equal([])
  })

  it('writes logs with reference and answer for lm-evaluation-harness, and scores of rows for Inspect, and reads them again', async () => {
    const told = ofArtifact.figures.filter(({ slice }: { slice: string | null }) => slice === null)
    const logs = {
      'lm-eval': (await show(ofArtifact.evaluation_id, '/log?format=lm-eval')).bytes,
      inspect: (await show(ofArtifact.evaluation_id, '/log?format=inspect')).bytes,
    }
    const [results = '', samples = ''] = (await readZip(logs['lm-eval'])).values()
    const { results: figures, higher_is_better: directions } = JSON.parse(results)
    expect(figures.capitals).to.deep.include({ 'ter,none': told[3].value, 'ter_stderr,none': told[3].stderr })
    expect(directions.capitals).to.deep.include({ 'chrf++': true, ter: false })
    const line = JSON.parse(samples.split('\n')[2] ?? '')
    expect(line.bleu).to.deep.equal([['GRACE HOPPER'], 'GRACE'])
    const files = await readZip(logs.inspect)
    expect(JSON.parse(files.get('header.json') ?? '').results.scores[3].metrics.corpus.value).to.equal(told[3].value)
    expect(JSON.parse(files.get('samples/3_epoch_1.json') ?? '').scores.ter).to.deep.equal({
      value: 50,
      answer: 'GRACE',
    })
    for (const [format, bytes] of Object.entries(logs)) {
      const form = new FormData()
      form.append('file', new Blob([new Uint8Array(bytes)]), `log.${format}`)
      const imported = await api.call('POST', '/v1/evals/import', { key: tenantOf().key, raw: form })
      expect(imported.status, imported.text).to.equal(201)
      const valuesOf = (all: readonly { metric: string; value: number }[]) =>
        Object.fromEntries(all.map(({ metric, value }) => [metric, value]))
      expect(valuesOf(imported.body.figures), format).to.deep.equal(valuesOf(told))
    }
  })

  it('refuses what such a metric cannot score, with its place', async () => {
    const fault = async (body: object) => {
      const answer = await start({ task: TRANSLATION, data: { test: ROWS }, ...body })
      return [answer.status, answer.body.code, answer.body.error] as const
    }
    const [, code, message] = await fault({
      task: TRANSLATION.replace('{metric: bleu}', '{metric: bleu, aggregation: mean}'),
    })
    expect([code, message]).to.deep.equal([
      'invalid_eval_task',
      'task, metric_list.0.aggregation: bleu is not aggregated as mean',
    ])
    const ignoring = TRANSLATION.replace('{metric: ter}', '{metric: ter, ignore_case: true}')
    expect((await fault({ task: ignoring }))[2]).to.contain('metric_list.3.ignore_case')
    const choices = `${TRANSLATION}output_type: multiple_choice\ndoc_to_choice: output\n`
    expect((await fault({ task: choices }))[2]).to.contain('bleu is no metric of multiple_choice tasks')
    const none = [...ROWS.slice(0, 2), { ...ROWS[2], output: [] }]
    expect(await fault({ data: { test: none } })).to.deep.equal([
      400,
      'invalid_eval_row',
      'capitals, row 3: doc_to_target gives an empty list, and bleu needs a reference',
    ])
    const gate = {
      candidate: { evaluation_id: ofArtifact.evaluation_id },
      baseline: { evaluation_id: ofBase.evaluation_id },
    }
    const refused = await api.call('POST', '/v1/eval/gate', { key: tenantOf().key, body: gate })
    expect(refused.body, refused.text).to.deep.include({ code: 'no_rows' })
    expect(refused.text).to.contain('right or wrong')
  })

  it('runs and compares from the command line', async () => {
    await writeFile(join(folder, 'translation.yaml'), TRANSLATION)
    await writeFile(join(folder, 'translation.jsonl'), ROWS.map((row) => JSON.stringify(row)).join('\n'))
    const svc = async (...args: readonly string[]) => {
      const env = { SVC_URL: api.url, SVC_API_KEY: tenantOf().key }
      const run = await runCli(args, { profileDir: join(folder, 'profile'), folder, env })
      expect([run.code, run.stderr]).to.deep.equal([0, ''])
      return run.stdout
    }
    const given = ['eval', 'run', 'translation.yaml', '--data', 'test=translation.jsonl', '--artifact', artifactId]
    expect(await svc(...given)).to.match(/capitals +ter .* 4$/m)
    expect(await svc('eval', 'compare', ofBase.evaluation_id, ofArtifact.evaluation_id)).to.match(/^ter .* second /m)
  })
})
