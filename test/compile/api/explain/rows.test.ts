import { expect } from 'chai'
import { hashJson } from '../../../../core/kernel/json/json.ts'
import { releaseDatasets } from '../../../../db/compile/across/release/release-datasets.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../../support/api.ts'
import { linesOf, runFile } from '../../../support/wire/batches.ts'
import { useService } from '../../../support/workflows/service.ts'

/** Surnames in capitals, but for two rows that say something else. */
const MIXED = [
  ['Ada Lovelace', 'LOVELACE'],
  ['Alan Turing', 'TURING'],
  ['Grace Hopper', 'HOPPER'],
  ['Edsger Dijkstra', 'DIJKSTRA'],
  ['Donald Knuth', 'a computer scientist'],
  ['Barbara Liskov', 'LISKOV'],
  ['Tony Hoare', 'HOARE'],
  ['John Backus', 'no such person'],
].map(([input, output]) => ({ input, output }))

describe('rows of a compile with their results', () => {
  const service = useService()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
  })
  let tenant: ApiTenant
  // oxlint-disable-next-line typescript/no-explicit-any -- the documents that the tests look into
  let gated: any
  before(async () => {
    tenant = await givenApiTenant(api)
    const missed = await compile({ k_score_floor: 0.95 })
    expect(missed.status, missed.text).to.equal(422)
    gated = (await api.call('GET', `/v1/compile/${missed.body.details.job_id}`, { key: tenant.key })).body
  })

  const compile = async (choices: object) =>
    await api.call('POST', '/v1/compile', {
      key: tenant.key,
      body: { task: 'Surname in capitals', examples: MIXED, base_model: 'none', ...choices },
    })
  const rowsOf = async (jobId: string, query = '') =>
    await api.call('GET', `/v1/compile/${jobId}/rows${query}`, { key: tenant.key })

  it('shows input, expected output, answer and result of each row of a gated job', async () => {
    const { status, body, text } = await rowsOf(gated.id)
    expect(status, text).to.equal(200)
    expect(body).to.include({ job_id: gated.id, status: 'gated', next_cursor: null })
    expect(body.rows.map(({ id }: { id: string }) => id)).to.deep.equal(MIXED.map((_, i) => `row_${i + 1}`))
    const [first] = body.rows
    expect(first).to.deep.include({ side: 'held_out', input: 'Ada Lovelace', expected: 'LOVELACE' })
    const wrong = body.rows.filter(({ right }: { right: boolean }) => !right)
    expect(wrong.map(({ id }: { id: string }) => id)).to.deep.equal(gated.failing_rows)
    for (const row of wrong) expect(row.result).to.be.oneOf(['wrong', 'abstained', 'no_candidate', 'recipe_failed'])
  })

  it('filters and pages by cursor', async () => {
    const wrong = await rowsOf(gated.id, '?only=wrong')
    expect(wrong.body.rows.map(({ id }: { id: string }) => id)).to.deep.equal(gated.failing_rows)
    expect((await rowsOf(gated.id, '?side=learned')).body.rows).to.deep.equal([])
    const seen: string[] = []
    let cursor = ''
    for (let pages = 0; pages < 10; pages++) {
      const { body } = await rowsOf(gated.id, `?limit=3${cursor}`)
      seen.push(...body.rows.map(({ id }: { id: string }) => id))
      if (body.next_cursor === null) break
      cursor = `&cursor=${body.next_cursor}`
    }
    expect(seen).to.deep.equal(MIXED.map((_, i) => `row_${i + 1}`))
    for (const forged of ['5.rows', '999999.rows', '0.rows', '12.cmp_x']) {
      const { status, body } = await rowsOf(gated.id, `?cursor=${forged}`)
      expect([status, body.code], forged).to.deep.equal([400, 'invalid_cursor'])
    }
  })

  it('shows the rows that a classifier abstains on', async () => {
    const words = ['invoice', 'parcel', 'refund', 'login']
    const known = words.flatMap((word, at) =>
      Array.from({ length: 6 }, (_, i) => ({ input: `${word} ${i}`, output: at % 2 === 0 ? 'billing' : 'other' })),
    )
    const examples = [...known, { input: 'zzz', output: 'billing' }, { input: 'qqq', output: 'other' }]
    const { body } = await compile({ examples, recipe_kind: 'classifier', k_score_floor: 0 })
    const { rows } = (await rowsOf(body.id, '?only=abstained')).body
    expect(rows.map(({ id }: { id: string }) => id)).to.deep.equal(['row_25', 'row_26'])
    for (const row of rows) expect(row).to.include({ right: false, result: 'abstained', got: null, confidence: 0 })
  })

  it('names the checks that an answer failed, and flags inputs unlike the examples in a batch', async () => {
    const clean = MIXED.filter(({ output = '' }) => output === output.toUpperCase())
    const examples = [...clean, { input: 'Office 12 34', output: 'unknown', kind: 'test' }]
    const { body } = await compile({ examples, k_score_floor: 0 })
    const { rows } = (await rowsOf(body.id)).body
    expect(rows.at(-1)).to.include({ side: 'test', got: '34', result: 'wrong', unlike_examples: true })
    expect(rows.at(-1).failed_checks).to.deep.include({ id: 'characters:.', kind: 'characters', path: '' })

    const file = { name: 'in.jsonl', bytes: '"Mary Wilkes"\n"Office 12 34"\n' }
    const answer = await runFile(api.url, { key: tenant.key }, file, { concept_id: body.concept_id })
    const [like, unlike, { batch }] = linesOf(answer)
    expect(like).to.include({ output: 'WILKES', confidence: null, unlike_examples: false })
    expect(unlike).to.include({ output: '34', confidence: null, unlike_examples: true })
    expect(batch).to.include({ answered: 2, abstained: 0, unlike_examples: 1 })
  })

  it('answers digests for a compile that keeps digests', async () => {
    const { body } = await compile({ rows: 'digests', k_score_floor: 0 })
    const { rows } = (await rowsOf(body.id)).body
    expect(rows).to.have.length(MIXED.length)
    expect(rows[0]).not.to.have.any.keys('input', 'expected', 'got')
    expect(rows[0].digests.row).to.equal(hashJson({ expected: 'LOVELACE', input: 'Ada Lovelace' }))
    expect(JSON.stringify(rows)).not.to.include('Lovelace')
  })

  it('keeps test rows apart from those that were learned from', async () => {
    const examples = MIXED.slice(0, 7).map((row, i) => (i > 4 ? { ...row, kind: 'test' } : row))
    const { body } = await compile({ examples, k_score_floor: 0 })
    const { rows } = (await rowsOf(body.id)).body
    expect(rows.map(({ side }: { side: string }) => side)).to.deep.equal([...Array(5).fill('learned'), 'test', 'test'])
    expect(rows[0]).to.deep.include({ right: null, result: null, unlike_examples: null })
    expect(rows[0]).not.to.have.property('got')
    expect(rows[5].unlike_examples).to.be.a('boolean')
  })

  it('shows no answer and no judgement of rows for which no kind had a candidate', async () => {
    const examples = ['k3', 'x', 'p9', 'zz'].map((input, i) => ({ input, output: { a: [i, input.length * 7 + i] } }))
    const missed = await compile({ examples, recipe_kind: 'tabular' })
    const { rows } = (await rowsOf(missed.body.details.job_id)).body
    for (const row of rows) {
      expect(row).to.include({ right: false, result: 'no_candidate', unlike_examples: null })
      expect(row).not.to.have.property('got')
    }
  })

  it('hides the rows of another tenant', async () => {
    const other = await givenApiTenant(api)
    const answer = await api.call('GET', `/v1/compile/${gated.id}/rows`, { key: other.key })
    expect(answer.status).to.equal(404)
  })

  it('says that rows were released with the examples', async () => {
    const later = new Date(Date.now() + 60_000)
    await releaseDatasets(service.database.db, { unsignedBefore: later, signedBefore: new Date(0) })
    const { status, body } = await rowsOf(gated.id)
    expect([status, body.code]).to.deep.equal([410, 'rows_expired'])
  })
})
