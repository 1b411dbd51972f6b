import { expect } from 'chai'
import { TEMPLATES } from '../../../core/compile/stages/advice/templates/catalog.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'

const [phones] = TEMPLATES
const seeds = (phones?.examples ?? []).map((row) => JSON.stringify(row)).join('\n')
const spec = { name: 'phones', task: phones?.task, output_spec: { type: 'text' } }

describe('previews', () => {
  const api = useApi({ limits: { preview_concurrency: 1 } })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })

  it('need no key, split before they search, and say what they did not run', async () => {
    const text = `// comment\n\nnot json\n${seeds}\n`
    const answer = await api.call('POST', '/v1/build/preview', { body: { spec, seeds_jsonl_text: text } })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body).to.include({
      accepted: true,
      split_mode: 'cross_fit',
      train_count: 38,
      holdout_count: 10,
      n: 48,
    })
    expect(answer.body.train_rows).to.have.length(3)
    expect(answer.body.warnings.map((warning: { code: string }) => warning.code)).to.include('partial_parse')
    expect(answer.body.production_ready.gates.some((gate: { status: string }) => gate.status === 'not_run')).to.equal(
      true,
    )
  })

  it('are scored by test rows where some are marked', async () => {
    const examples = (phones?.examples ?? []).map((row, i) => (i % 4 === 0 ? { ...row, kind: 'test' } : row))
    const answer = await api.call('POST', '/v1/builder/preview', { body: { task: phones?.task, examples } })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body).to.include({
      accepted: true,
      split_mode: 'test_rows',
      train_count: 36,
      holdout_count: 12,
      n: 12,
    })
  })

  it('are refused while all places are taken', async () => {
    const preview = async () =>
      await api.call('POST', '/v1/builder/preview', { body: { task: phones?.task, examples: phones?.examples } })
    const answers = await Promise.all([preview(), preview(), preview()])
    const busy = answers.filter((answer) => answer.status === 503)
    expect(busy.length).to.be.at.least(1)
    expect(busy[0]?.body.code).to.equal('busy')
    expect(busy[0]?.headers.get('retry-after')).to.equal('2')
    expect((await preview()).body).to.include({ ok: true, accepted: true, k_score_estimate: 1 })
  })

  it('refuse what they cannot read', async () => {
    const code = async (path: string, body: object) => (await api.call('POST', path, { body })).body.code
    expect(await code('/v1/build/preview', { spec, seeds_jsonl_text: ' \n// only a comment' })).to.equal('empty_seeds')
    expect(await code('/v1/build/preview', { spec, seeds_jsonl_text: 'this is not JSONL' })).to.equal('invalid_seeds')
    const many = Array.from({ length: 101 }, (_, i) => ({ input: i, output: i }))
    expect(await code('/v1/builder/preview', { task: 'x', examples: many })).to.equal('too_many_examples')
    const large = [{ input: 'x'.repeat(11_000), output: 'y' }]
    expect(await code('/v1/builder/preview', { task: 'x', examples: large })).to.equal('example_too_large')
    expect(await code('/v1/compile/preview', {})).to.equal('missing_describe')
    const tests = many.slice(0, 4).map((row) => ({ ...row, kind: 'test' }))
    expect(await code('/v1/builder/preview', { task: 'x', examples: tests })).to.equal('no_examples')
  })

  it('show the rows of a like template for a description, and admit when there is none', async () => {
    const show = async (describe: string) =>
      (await api.call('POST', '/v1/compile/preview', { body: { describe } })).body
    const sample = await show('Turn the dates of our calendar into ISO format')
    expect(sample).to.include({ method: 'template_rows', template_id: 'date-to-iso' })
    expect(sample.pairs).to.have.length(5)
    expect((await show('Turn the dates of our calendar into ISO format')).pairs).to.deep.equal(sample.pairs)
    expect(await show('zebra stripes per continent')).to.deep.include({ method: 'none', pairs: [] })
  })

  it('write and charge nothing', async () => {
    const account = await api.call('GET', '/v1/account', { key: tenant.key })
    expect(account.body.period.used).to.equal(0)
    expect((await api.call('GET', '/v1/builds', { key: tenant.key })).body).to.deep.include({ total: 0, builds: [] })
  })
})
