import { expect } from 'chai'
import { givenApiTenant, useApi, type ApiTenant } from '../../../support/api.ts'
import { useService } from '../../../support/workflows/service.ts'

const EXAMPLES = [
  ['Ada Lovelace', 'LOVELACE'],
  ['Alan Turing', 'TURING'],
  ['Grace Hopper', 'HOPPER'],
  ['Edsger Dijkstra', 'a computer scientist'],
  ['Barbara Liskov', 'LISKOV'],
].map(([input, output]) => ({ input, output }))

describe('compiling an earlier job again with changes', () => {
  const service = useService()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
  })
  let tenant: ApiTenant
  let gated: string
  before(async () => {
    tenant = await givenApiTenant(api)
    const { body, text } = await post('/v1/compile', {
      task: 'Surname in capitals',
      examples: EXAMPLES,
      base_model: 'none',
      k_score_floor: 0.9,
      unlabelled_inputs: ['Mary Wilkes', 'Frances Elizabeth Allen'],
    })
    expect(body.code, text).to.equal('k_score_below_floor')
    gated = body.details.job_id
  })
  const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    await api.call('POST', path, { key: tenant.key, body, headers })
  const get = async (path: string) => (await api.call('GET', path, { key: tenant.key })).body

  it('names the rows that would help, and a floor that the candidate reaches', async () => {
    const job = await get(`/v1/compile/${gated}`)
    const kinds = job.what_would_help.map(({ kind }: { kind: string }) => kind)
    const order = ['label_rows', 'contradictory_rows', 'odd_rows', 'lower_floor', 'other_kind']
    expect(kinds).to.deep.equal(order.filter((kind) => kinds.includes(kind)))
    expect(kinds).to.include('label_rows')
    const [labels] = job.what_would_help
    const { rows } = await get(`/v1/compile/${gated}/rows?side=to_label`)
    expect(rows.map(({ id }: { id: string }) => id)).to.deep.equal(labels.rows.map(({ id }: { id: string }) => id))
    expect(rows[0].input).to.be.oneOf(['Mary Wilkes', 'Frances Elizabeth Allen'])
  })

  it('keeps task, choices and rows, and changes what the body names', async () => {
    const examples = [
      { id: 'row_4', input: 'Edsger Dijkstra', output: 'DIJKSTRA' },
      { id: 'unlabelled_1', input: 'Mary Wilkes', output: 'WILKES' },
      { input: 'Tony Hoare', output: 'HOARE' },
    ]
    const body = { examples, remove: ['row_2'] }
    const { status, text, body: job } = await post(`/v1/compile/${gated}/again`, body, { 'idempotency-key': 'again' })
    expect(status, text).to.equal(200)
    expect(job).to.include({ status: 'completed', task: 'Surname in capitals', k_score_floor: 0.9, base_model: 'none' })
    const { rows } = await get(`/v1/compile/${job.id}/rows`)
    expect(job.earlier_job).to.equal(gated)
    const { origin } = await get(`/v1/artifacts/${job.id}`)
    expect(origin).to.include({ earlier_job: gated, examples_n: 6 })
    expect(rows.map(({ id, expected }: { id: string; expected: string }) => [id, expected])).to.deep.equal([
      ['row_1', 'LOVELACE'],
      ['row_3', 'HOPPER'],
      ['row_4', 'DIJKSTRA'],
      ['row_5', 'LISKOV'],
      ['unlabelled_1', 'WILKES'],
      ['added_1', 'HOARE'],
    ])
    const repeated = await post(`/v1/compile/${gated}/again`, body, { 'idempotency-key': 'again' })
    expect(repeated.body.id).to.equal(job.id)
  })

  it('takes examples without an id beside earlier ids, and names them apart from all others', async () => {
    const examples = [
      { input: 'Tony Hoare', output: 'HOARE' },
      { id: 'row_1', input: 'Ada King', output: 'KING' },
      { id: null, input: 'John Backus', output: 'BACKUS' },
      { id: 'added_1', input: 'Donald Knuth', output: 'KNUTH' },
      { id: 'row_3', input: 'Grace Murray', output: 'MURRAY' },
    ]
    const remove = ['row_2', 'row_4']
    const { status, text, body } = await post(`/v1/compile/${gated}/again`, { examples, remove })
    expect(status, text).to.equal(200)
    const { rows } = await get(`/v1/compile/${body.id}/rows`)
    expect(rows.map(({ id, expected }: { id: string; expected: string }) => [id, expected])).to.deep.equal([
      ['row_1', 'KING'],
      ['row_3', 'MURRAY'],
      ['row_5', 'LISKOV'],
      ['added_1', 'KNUTH'],
      ['added_2', 'HOARE'],
      ['added_3', 'BACKUS'],
    ])
    const wrong = await post(`/v1/compile/${gated}/again`, { examples: [...examples, { id: 'row_1', input: 1 }] })
    expect(wrong.body.details.fields[0].field, wrong.text).to.equal('examples[5].output')
  })

  it('keeps the base that the caller named, of a ready job too, and makes a new version of its concept', async () => {
    const examples = EXAMPLES.filter(({ output }) => output !== 'a computer scientist')
    const ready = await post('/v1/compile', { task: 'Surname in capitals', examples, recipe_kind: 'program' })
    expect(ready.body.base_model, ready.text).to.equal('none')
    const body = { examples: [{ input: 'Tony Hoare', output: 'x', kind: 'test' }], k_score_floor: 0.9 }
    const missed = await post(`/v1/compile/${ready.body.id}/again`, body)
    expect(missed.body.code, missed.text).to.equal('k_score_below_floor')
    expect((await get(`/v1/compile/${missed.body.details.job_id}`)).base_model).to.equal('nano')
    const again = await post(`/v1/compile/${ready.body.id}/again`, { k_score_floor: 0 })
    expect(again.body.concept_id, again.text).to.equal(ready.body.concept_id)
    expect(again.body.version_id).not.to.equal(ready.body.version_id)
  })

  it('shows members in the order in which they were given, also of the rows that are kept', async () => {
    const examples = EXAMPLES.map(({ input }, i) => {
      const [first, last] = String(input).split(' ')
      return { input: { last, first, born: 1900 + i }, output: { name: `${first} ${last}`, initial: first?.[0] } }
    })
    const job = await post('/v1/compile', { task: 'Name a card', examples, base_model: 'none' })
    const orders = async ({ body }: typeof job) => {
      const { rows } = await get(`/v1/compile/${body.id ?? body.details.job_id}/rows`)
      return rows.map((row: Record<'input' | 'expected', object>) => [row.input, row.expected].map(Object.keys))
    }
    const given = [
      ['last', 'first', 'born'],
      ['name', 'initial'],
    ]
    expect(await orders(job), job.text).to.deep.equal(EXAMPLES.map(() => given))
    const again = await post(`/v1/compile/${job.body.id}/again`, { remove: ['row_1'] })
    expect((await orders(again))[0], again.text).to.deep.equal(given)
  })

  it('refuses ids that no example has, and jobs of others', async () => {
    const unknown = await post(`/v1/compile/${gated}/again`, { remove: ['row_99'] })
    expect([unknown.status, unknown.body.code]).to.deep.equal([400, 'validation_failed'])
    expect(unknown.text).to.include('row_99')
    const other = await givenApiTenant(api)
    const foreign = await api.call('POST', `/v1/compile/${gated}/again`, { key: other.key, body: {} })
    expect(foreign.status).to.equal(404)
  })
})
