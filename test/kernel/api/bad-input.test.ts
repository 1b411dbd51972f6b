import { request as httpRequest } from 'node:http'
import { expect } from 'chai'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'

const rows = (count: number) => Array.from({ length: count }, (_, i) => ({ input: `in ${i}`, output: `OUT ${i}` }))
const spec = (overrides: object = {}) => ({
  task: 'Write it in capitals',
  examples: rows(4),
  mode: 'async',
  ...overrides,
})

interface BadCase {
  readonly what: string
  readonly body: object
  readonly status?: number
  readonly code: string
  readonly field?: string
  readonly says?: RegExp
}

const CASES: readonly BadCase[] = [
  { what: 'an empty task', body: spec({ task: ' \n' }), code: 'validation_failed', field: 'task' },
  { what: 'a task with U+0000', body: spec({ task: 'a\u0000b' }), code: 'validation_failed', field: 'task' },
  { what: 'a task that is too long', body: spec({ task: 'x'.repeat(4001) }), code: 'validation_failed', field: 'task' },
  { what: 'no examples', body: spec({ examples: undefined }), code: 'no_examples', field: 'examples' },
  { what: 'an empty list of examples', body: spec({ examples: [] }), code: 'no_examples', field: 'examples' },
  { what: 'one example', body: spec({ examples: rows(1) }), code: 'too_few_examples', field: 'examples' },
  {
    what: 'one example given twice',
    body: spec({ examples: [...rows(1), ...rows(1)] }),
    code: 'too_few_examples',
    field: 'examples',
  },
  {
    what: '100,000 inline examples',
    body: spec({ examples: rows(100_000) }),
    code: 'too_many_examples',
    field: 'examples',
  },
  {
    what: 'an example over 10 KB',
    body: spec({ examples: [...rows(3), { input: 'x'.repeat(11_000), output: 'y' }] }),
    code: 'example_too_large',
    field: 'examples[3]',
  },
  {
    what: 'an example without an output',
    body: spec({ examples: [...rows(3), { input: 'x' }] }),
    code: 'validation_failed',
    field: 'examples[3].output',
  },
  {
    what: 'contradictory examples',
    body: spec({ examples: [...rows(3), { id: 'odd-one', input: 'in 1', output: 'something else' }] }),
    code: 'contradictory_examples',
    says: /odd-one/,
  },
  {
    what: 'an unknown base model',
    body: spec({ base_model: 'gpt-9' }),
    code: 'unknown_base_model',
    field: 'base_model',
  },
  {
    what: 'an unknown namespace',
    body: spec({ corpus_namespace: 'nowhere' }),
    code: 'unknown_namespace',
    field: 'corpus_namespace',
  },
  { what: 'a floor above 1', body: spec({ k_score_floor: 1.01 }), code: 'validation_failed', field: 'k_score_floor' },
  { what: 'a floor below 0', body: spec({ k_score_floor: -0.01 }), code: 'validation_failed', field: 'k_score_floor' },
  { what: 'an unknown mode', body: spec({ mode: 'later' }), code: 'validation_failed', field: 'mode' },
  {
    what: 'a concept that is not there',
    body: spec({ concept_id: `cpt_${'0'.repeat(26)}` }),
    status: 404,
    code: 'not_found',
  },
  {
    what: 'a concept that is none',
    body: spec({ concept_id: 'cpt_zzz' }),
    status: 404,
    code: 'not_found',
    field: 'concept_id',
  },
]

describe('bad input of a compile', () => {
  const api = useApi()
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })
  const jobs = async () => (await api.call('GET', '/v1/compile', { key: tenant.key })).body.jobs.length
  const account = async () => (await api.call('GET', '/v1/account', { key: tenant.key })).body

  for (const { what, body, status = 400, code, field, says } of CASES) {
    it(`${what} is refused with ${status} ${code}`, async () => {
      const answer = await api.call('POST', '/v1/compile', { key: tenant.key, body })
      expect([answer.status, answer.body.code], answer.text.slice(0, 300)).to.deep.equal([status, code])
      if (field !== undefined) {
        const fields: string[] = answer.body.details.fields.map((problem: { field: string }) => problem.field)
        expect(fields.includes(field), fields.join()).to.equal(true)
      }
      if (says !== undefined) expect(answer.text).to.match(says)
    })
  }

  it('a large body is checked like a small one, whatever is wrong with it', async () => {
    const filler = { notes: 'x'.repeat(300_000) }
    const good = JSON.stringify(spec(filler))
    const broken = {
      invalid_json: good.slice(0, -1),
      validation_failed: good.replace('"in 3"', '[1, 12345678901234567890]'),
      invalid_encoding: new Uint8Array(Buffer.from(good.replace('in 3', '\xff'), 'latin1')),
    }
    for (const [code, raw] of Object.entries(broken)) {
      const answer = await api.call('POST', '/v1/compile', {
        key: tenant.key,
        raw,
        headers: { 'content-type': 'application/json' },
      })
      expect([answer.status, answer.body.code]).to.deep.equal([400, code])
      const field = code === 'validation_failed' ? 'examples[3].input[1]' : 'body'
      expect(answer.body.details.fields[0].field).to.equal(field)
    }
    const few = await api.call('POST', '/v1/compile', { key: tenant.key, body: spec({ ...filler, examples: rows(1) }) })
    expect([few.status, few.body.code]).to.deep.equal([400, 'too_few_examples'])
  })

  it('more than 16 MiB inline are refused', async () => {
    const examples = Array.from({ length: 1800 }, (_, i) => ({ input: `${i}${'x'.repeat(10_000)}`, output: '' }))
    const answer = await api.call('POST', '/v1/compile', { key: tenant.key, body: spec({ examples }) })
    expect([answer.status, answer.body.code]).to.deep.equal([413, 'payload_too_large'])
  })

  it('an Idempotency-Key that is no key is refused', async () => {
    const answer = await api.call('POST', '/v1/compile', {
      key: tenant.key,
      body: spec(),
      headers: { 'idempotency-key': 'x'.repeat(256) },
    })
    expect([answer.status, answer.body.details.fields[0].field]).to.deep.equal([400, 'Idempotency-Key'])
    const { hostname, port } = new URL(api.url)
    const empty = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'x-api-key': tenant.key, 'idempotency-key': '', 'content-type': 'application/json' }
      httpRequest({ hostname, port, path: '/v1/compile', method: 'POST', headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end(JSON.stringify(spec()))
    })
    expect(empty).to.equal(400)
  })

  describe('as an upload', () => {
    const upload = async (parts: Readonly<Record<string, string | Blob>>, filename = 'rows.jsonl') => {
      const raw = new FormData()
      for (const [name, part] of Object.entries(parts)) {
        if (typeof part === 'string') raw.append(name, part)
        else raw.append(name, part, filename)
      }
      return await api.call('POST', '/v1/compile', { key: tenant.key, raw })
    }
    const good = JSON.stringify({ task: 'Write it in capitals', mode: 'async' })
    const lines = (count: number) =>
      new Blob([
        rows(count)
          .map((row) => `${JSON.stringify(row)}\n`)
          .join(''),
      ])

    for (const [what, parts, filename, status, code] of [
      ['a spec that is not JSON', { spec: '{', file: lines(4) }, 'rows.jsonl', 400, 'invalid_json'],
      ['a spec without a task', { spec: '{}', file: lines(4) }, 'rows.jsonl', 400, 'validation_failed'],
      ['no spec', { file: lines(4) }, 'rows.jsonl', 400, 'validation_failed'],
      ['no file', { spec: good }, 'rows.jsonl', 400, 'no_examples'],
      ['an empty file', { spec: good, file: new Blob(['']) }, 'rows.jsonl', 400, 'no_examples'],
      ['one row', { spec: good, file: lines(1) }, 'rows.jsonl', 400, 'too_few_examples'],
      [
        'a broken line',
        { spec: good, file: new Blob(['{"input":1,"output":2}\n{oops\n']) },
        'rows.jsonl',
        400,
        undefined,
      ],
      [
        'a file that is not UTF-8',
        { spec: good, file: new Blob([new Uint8Array([0x22, 0xff, 0xfe])]) },
        'rows.csv',
        400,
        undefined,
      ],
      ['a CSV without an output column', { spec: good, file: new Blob(['a,b\n1,2\n']) }, 'rows.csv', 400, undefined],
      ['a file of another kind', { spec: good, file: lines(4) }, 'rows.xlsx', 415, 'unsupported_media_type'],
      ['two files', { spec: good, file: lines(4), more: lines(4) }, 'rows.jsonl', 400, 'validation_failed'],
    ] as const) {
      it(`${what} is refused`, async () => {
        const answer = await upload(parts, filename)
        expect(answer.status, answer.text).to.equal(status)
        if (code !== undefined) expect(answer.body.code, answer.text).to.equal(code)
      })
    }

    it('a body that is no multipart body is refused', async () => {
      const headers = { 'content-type': 'multipart/form-data; boundary=x' }
      const cut = await api.call('POST', '/v1/compile', { key: tenant.key, raw: '--x\r\nContent-Dispo', headers })
      expect(cut.status, cut.text).to.equal(400)
      const without = { 'content-type': 'multipart/form-data' }
      expect((await api.call('POST', '/v1/compile', { key: tenant.key, raw: 'x', headers: without })).status).to.equal(
        415,
      )
    })
  })

  it('leaves nothing behind and charges nothing', async () => {
    expect(await jobs()).to.equal(0)
    expect((await account()).period.used).to.equal(0)
    expect((await account()).usage.compiles_30d).to.equal(0)
  })

  it('a key used again with another body is refused, and the first answer is given again', async () => {
    const headers = { 'idempotency-key': 'k-1' }
    const first = await api.call('POST', '/v1/compile', { key: tenant.key, body: spec(), headers })
    expect(first.status, first.text).to.equal(202)
    const again = await api.call('POST', '/v1/compile', { key: tenant.key, body: spec(), headers })
    expect([again.status, again.body.job_id]).to.deep.equal([202, first.body.job_id])
    const other = await api.call('POST', '/v1/compile', { key: tenant.key, body: spec({ k_score_floor: 0 }), headers })
    expect([other.status, other.body.code]).to.deep.equal([409, 'idempotency_key_reused'])
    expect(await jobs()).to.equal(1)
    const stranger = await givenApiTenant(api)
    const theirs = await api.call('POST', '/v1/compile', { key: stranger.key, body: spec(), headers })
    expect(theirs.body.job_id).to.not.equal(first.body.job_id)
  })

  it('twenty calls at once with one key make one job', async () => {
    const headers = { 'idempotency-key': 'k-2' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.call('POST', '/v1/compile', { key: tenant.key, body: spec(), headers })),
    )
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.body.job_id}`)).size).to.equal(1)
    expect(await jobs()).to.equal(2)
  })
})
