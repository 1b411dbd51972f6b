import { expect } from 'chai'
import type { Answer } from '../../../support/api.ts'
import { readZip } from '../../../support/archives/read-zip.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { rows } from './eval-fixtures.ts'
import { useEvals } from './use-evals.ts'

describe('logs of evaluations', () => {
  const { api, tenantOf, op, start, show, finished } = useEvals()

  it('writes the logs of Inspect and of lm-evaluation-harness', async () => {
    const { body } = await finished(await start({ data: { test: rows(5) } }))
    const log = await show(body.evaluation_id, '/log')
    expect(log.headers.get('content-disposition')).to.contain(`${body.evaluation_id}.eval`)
    const inspect = await readZip(log.bytes)
    expect([...inspect.keys()]).to.include.members(['header.json', 'summaries.json', 'samples/5_epoch_1.json'])
    const header = JSON.parse(inspect.get('header.json') ?? '')
    expect(header.results.scores[0]).to.deep.include({ name: 'acc', scored_samples: 5 })
    const harness = await readZip((await show(body.evaluation_id, '/log?format=lm-eval')).bytes)
    const [results, samples] = harness.values()
    expect(JSON.parse(results ?? '').results.capitals['acc,none']).to.equal(body.figures[0].value)
    const [line] = (samples ?? '').split('\n')
    expect(JSON.parse(line ?? '')).to.deep.include({ doc_id: 0, filter: 'none', metrics: ['acc', 'acc_norm'] })
  })

  const importLog = async (
    files: Readonly<Record<string, Uint8Array | string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const form = new FormData()
    form.append('spec', JSON.stringify({ namespace: 'logs' }))
    for (const [name, bytes] of Object.entries(files)) {
      form.append('file', new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), name)
    }
    return await api.call('POST', '/v1/evals/import', { key: tenantOf().key, headers, raw: form })
  }

  it('imports logs as asserted evaluations, which are listed and compared', async () => {
    const { body } = await finished(await start({ data: { test: rows(5) } }))
    const told = body.figures.map(({ metric, value, stderr, n }: Record<string, unknown>) => ({
      metric,
      value,
      stderr,
      n,
    }))
    for (const format of ['inspect', 'lm-eval']) {
      const { bytes } = await show(body.evaluation_id, `/log?format=${format}`)
      const imported = await importLog({ [`log.${format}`]: bytes })
      expect(imported.status, imported.text).to.equal(201)
      const { evaluation_id: id, figures, ...rest } = imported.body
      expect(rest, format).to.deep.include({
        source: 'asserted',
        state: 'succeeded',
        rows: 5,
        scored: 5,
        tasks: ['capitals'],
      })
      expect(rest.target, format).to.contain('tiny')
      expect(
        figures.map(({ metric, value, stderr, n }: Record<string, unknown>) => ({ metric, value, stderr, n })),
        format,
      ).to.deep.equal(told)
      expect(figures[0].interval).to.equal(null)
      await expectAudited(op(), 'evaluation.imported', id)
      const compared = await api.call('POST', `/v1/evals/${id}/compare`, {
        key: tenantOf().key,
        body: { with: body.evaluation_id },
      })
      expect(compared.body, compared.text).to.deep.include({ paired: 5, flips: [] })
      expect((await show(id, '/rows')).body.rows[1].right).to.equal(
        (await show(body.evaluation_id, '/rows')).body.rows[1].right,
      )
    }
    const list = await api.call('GET', '/v1/evals?namespace=logs', { key: tenantOf().key })
    expect(list.body.evaluations.map(({ source }: { source: string }) => source)).to.deep.equal([
      'asserted',
      'asserted',
    ])
  })

  it('names the file, the member or the line of a log that cannot be read', async () => {
    const { body } = await finished(await start({ data: { test: rows(2) } }))
    const files = await readZip((await show(body.evaluation_id, '/log?format=lm-eval')).bytes)
    const [results = '', samples = ''] = [...files.keys()]
    const given = { [results]: files.get(results) ?? '', [samples]: files.get(samples) ?? '' }
    const once = { 'idempotency-key': 'log-1' }
    const first = await importLog(given, once)
    expect(first.status, first.text).to.equal(201)
    const repeated = await importLog(given, once)
    expect(repeated.body.evaluation_id, repeated.text).to.equal(first.body.evaluation_id)
    expect((await importLog({ [samples]: given[samples] ?? '' }, once)).body.code).to.equal('idempotency_key_reused')
    const fault = async (changed: Readonly<Record<string, string>>) => {
      const answer = await importLog(changed)
      return [answer.status, answer.body.code, answer.body.details]
    }
    const broken = { ...given, [samples]: `${given[samples]}{"doc_id": -1}\n` }
    expect(await fault(broken)).to.deep.equal([400, 'invalid_eval_log', { file: samples, line: 3 }])
    expect(await fault({ [samples]: given[samples] ?? '' })).to.deep.include({ file: samples })
    expect(await fault({ 'log.eval': 'PK no zip' })).to.deep.include({ file: 'log.eval' })
    expect(await fault({ ...given, [results]: '{' })).to.deep.include({ file: results })
    const many = {
      ...given,
      [samples]: Array.from({ length: 61 }, (_, id) =>
        (given[samples]?.split('\n')[0] ?? '').replace('"doc_id":0', `"doc_id":${id}`),
      ).join('\n'),
    }
    expect((await fault(many))[1]).to.equal('invalid_eval_log')
  })

  it('reads likelihoods as lm-evaluation-harness writes them', async () => {
    const results = { results: { capitals: { 'acc,none': 0.5, 'acc_stderr,none': 0.5 } }, model_name: 'gpt2' }
    const line = (id: number, acc: number) =>
      JSON.stringify({
        doc_id: id,
        doc: { question: String(id) },
        target: '1',
        filter: 'none',
        metrics: ['acc'],
        acc,
        resps: [[['-1.5', 'False']], [['-0.5', 'True']]],
        arguments: { gen_args_0: { arg_0: 'Q', arg_1: ' a' } },
      })
    const date = '2026-05-01T10-00-00.000000'
    const told = await importLog({
      [`results_${date}.json`]: JSON.stringify(results),
      [`samples_capitals_${date}.jsonl`]: `${line(0, 1)}\n${line(1, 0)}\n`,
    })
    expect(told.body, told.text).to.deep.include({ target: 'gpt2', rows: 2 })
    expect(told.body.figures[0]).to.deep.include({ metric: 'acc', value: 0.5, stderr: 0.5, n: 2 })
    const { rows: shown } = (await show(told.body.evaluation_id, '/rows')).body
    expect(shown.map(({ right, got }: { right: boolean; got: number }) => [right, got])).to.deep.equal([
      [true, 1],
      [false, 1],
    ])
  })
})
