import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { ROUTES } from '../../../api/routes.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'
import { headersFor, pathOf, schemasOf } from '../../support/wire/declared-routes.ts'

/** Statuses that every route may answer, whatever it declares. */
const COMMON = ['400', '401', '408', '417', '431', '500', '503']

/** Operations that name an id whose record need not exist, and what they do then. */
const ANSWERS_WITHOUT: Readonly<Record<string, string>> = {
  routeChatCompletion: 'the model answers, and the decision says `artifact_unavailable`',
  saveConversation: 'the conversation is stored under that id',
}
/** Form of an id in a schema: a few letters that name its kind, then the id itself. */
const ID_PATTERN = /^\^?\(?[a-z]{2,6}_/

const ARTIFACT = 'cmp_0123456789abcdefghjkmnpqrs'
const DATASET = 'ds_0123456789abcdefghjkmnpqrs'
const TASK = 'task: capitals\ntest_split: test\ndoc_to_text: input\ndoc_to_target: output\n'
const ROWS = { test: [{ input: 'a', output: 'A' }] }
const COMPILE = { task: 'Write it in capitals', examples: [{ input: 'a', output: 'A' }] }
const BENCH = { confirm: true, base: 'nano', adapter_id: ARTIFACT }

/** Bodies that a route refuses for their form, and the nearest that it does not: what is changed in them. */
const REFUSED_BODIES: readonly (readonly [path: string, refused: object, allowed: object])[] = [
  ['/v1/distill/onpolicy', { pairs_path: '/pairs.jsonl', dataset_id: DATASET }, { dataset_id: undefined }],
  ['/v1/distill/preference', { pairs_path: '/pairs.jsonl', dataset_id: DATASET }, { pairs_path: undefined }],
  ['/v1/distill/preference', { pairs_path: '/pairs.jsonl', source: 'review' }, { source: undefined }],
  ['/v1/distill/preference', { dataset_id: DATASET, source: 'review' }, { source: undefined }],
  ['/v1/bench/mmlu', { ...BENCH, artifact_id: ARTIFACT }, { artifact_id: undefined }],
  ['/v1/bench/humaneval', { ...BENCH, model: 'openai/gpt-4o-mini' }, { model: undefined }],
  ['/v1/bench/mtbench', { ...BENCH, artifact_id: ARTIFACT }, { artifact_id: undefined }],
  ['/v1/bench/mtbench', { confirm: true, model: 'openai/gpt-4o-mini', artifact_id: ARTIFACT }, { model: undefined }],
  ['/v1/compile', { ...COMPILE, dataset_id: DATASET }, { dataset_id: undefined }],
  ['/v1/compile', { ...COMPILE, dataset_version: 1 }, { dataset_version: undefined }],
  ['/v1/compile', { ...COMPILE, tolerances: [{}] }, { tolerances: [{ absolute: 1 }] }],
  ['/v1/evals', { target: { base: 'nano' }, task: TASK, data: ROWS, dataset: { id: DATASET } }, { data: undefined }],
  ['/v1/evals', { target: { base: 'nano' }, data: ROWS }, { task: TASK }],
  ['/v1/copyright/scan', { text: 'a', capture_id: 'cap_0123456789abcdefghjkmnpqrs' }, { text: undefined }],
  ['/v1/embed', { namespace: 'default', paths: ['notes.txt'] }, { paths: ['/notes.txt'] }],
  ['/v1/datasets', { namespace: 'default', name: 'notes', paths: ['notes.jsonl'] }, { paths: ['/notes.jsonl'] }],
  [
    '/v1/cc/verify',
    { kind: 'snp', report: {}, opts: { nonce: '00112233445566' } },
    { opts: { nonce: '0011223344556677' } },
  ],
]

describe('the OpenAPI document', () => {
  const api = useApi()
  let tenant: ApiTenant
  // oxlint-disable-next-line typescript/no-explicit-any -- a document is looked into at many places
  let document: any
  before(async () => {
    tenant = await givenApiTenant(api)
    document = (await api.call('GET', '/openapi.json')).body
  })
  /** Whether a query or a body of an operation has a field with the form of an id. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a part of that document
  const namesRecord = ({ parameters = [], requestBody }: any): boolean => {
    const seen = new Set<unknown>()
    // oxlint-disable-next-line typescript/no-explicit-any -- a schema of that document
    const hasId = (schema: any): boolean => {
      if (typeof schema !== 'object' || schema === null || seen.has(schema)) return false
      seen.add(schema)
      if (typeof schema.$ref === 'string') return hasId(document.components.schemas[schema.$ref.split('/').at(-1)])
      return (
        (typeof schema.pattern === 'string' && ID_PATTERN.test(schema.pattern)) || Object.values(schema).some(hasId)
      )
    }
    const queries = parameters.filter((each: { readonly in: string }) => each.in === 'query')
    const bodies = Object.values(requestBody?.content ?? {}).map((each) => (each as { schema: unknown }).schema)
    return [...queries.map((each: { readonly schema: unknown }) => each.schema), ...bodies].some(hasId)
  }
  const operationOf = ({ path, method }: { readonly path: string; readonly method: string }) =>
    document.paths[path][method]

  it('hides no answer that the declaration of a route brings with it', () => {
    for (const route of ROUTES) {
      const statuses = Object.keys(operationOf(route).responses)
      expect(statuses, route.operationId).to.include.members(COMMON)
      if (route.params) expect(statuses, route.operationId).to.include('404')
      if (route.limit || route.auth === 'key') expect(statuses, route.operationId).to.include('429')
      if (route.scope !== undefined) expect(statuses, route.operationId).to.include('403')
      if (route.method !== 'get') expect(statuses, route.operationId).to.include('413')
    }
  })

  it('names 404 where a body or a query names a record by its id', () => {
    const found = ROUTES.filter((route) => !(route.operationId in ANSWERS_WITHOUT) && namesRecord(operationOf(route)))
    expect(found).to.have.length.greaterThan(30)
    expect(Object.keys(document.paths['/v1/export'].post.responses)).to.include('404')
    for (const route of found)
      expect(Object.keys(operationOf(route).responses), `${route.method} ${route.path}`).to.include('404')
  })

  it('calls a body required only where a call without one is refused', async () => {
    for (const route of ROUTES) {
      const { requestBody } = operationOf(route)
      const { body } = schemasOf(route)
      if (requestBody === undefined || body === undefined) continue
      expect(requestBody.required, route.operationId).to.equal(!body.safeParse({}).success)
    }
  })

  it('calls what is an object an object', () => {
    const { content } = document.paths['/v1/account/export'].get.responses['200']
    const reference: string = content['application/json; charset=utf-8'].schema.$ref
    expect(document.components.schemas[reference.split('/').at(-1) ?? ''].type).to.equal('object')
  })

  it('gives the forms of cursors and Idempotency-Keys, and every issued value has them', async () => {
    for (const route of ROUTES) {
      const parameters: { name: string; schema: { pattern?: string } }[] = operationOf(route).parameters ?? []
      for (const { name, schema } of parameters) {
        if (name === 'cursor' && route.operationId !== 'streamCompile' && route.errors.includes('invalid_cursor'))
          expect(schema.pattern, route.operationId).to.be.a('string')
        if (name === 'idempotency-key') expect(schema.pattern, route.operationId).to.be.a('string')
      }
    }
    for (const name of ['one', 'two']) {
      const made = await api.call('POST', '/v1/account/scoped-keys', {
        key: tenant.key,
        body: { scopes: ['run'], label: name },
      })
      expect(made.status, made.text).to.equal(200)
    }
    const { body } = await api.call('GET', '/v1/account/scoped-keys?limit=1', { key: tenant.key })
    const { pattern } = document.paths['/v1/account/scoped-keys'].get.parameters.find(
      ({ name }: { readonly name: string }) => name === 'cursor',
    ).schema
    expect(body.next_cursor).to.match(new RegExp(pattern))
    const next = await api.call('GET', `/v1/account/scoped-keys?limit=1&cursor=${body.next_cursor}`, {
      key: tenant.key,
    })
    expect(next.status, next.text).to.equal(200)
  })

  it('allows no body that a route refuses for its form', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(document, 'document')
    const allows = (path: string, body: unknown): boolean => {
      const pointer = `/paths/${path.replaceAll('/', '~1')}/post/requestBody/content/application~1json/schema`
      return ajv.validate({ $ref: `document#${pointer}` }, body)
    }
    for (const [path, refused, allowed] of REFUSED_BODIES) {
      const answer = await api.call('POST', path, { key: tenant.key, body: refused })
      expect([answer.status, answer.body.code], `${path} ${answer.text}`).to.deep.equal([400, 'validation_failed'])
      expect(allows(path, refused), `${path} ${answer.text}`).to.equal(false)
      const near = JSON.parse(JSON.stringify({ ...refused, ...allowed }))
      expect(allows(path, near), `${path} ${JSON.stringify(near)}`).to.equal(true)
    }
  })

  it('is kept to: null is no empty body, and 401 says how to sign in', async () => {
    for (const route of ROUTES.filter((each) => each.auth === 'key' && schemasOf(each).body)) {
      const answer = await api.call(route.method.toUpperCase(), pathOf(route), {
        raw: 'null',
        headers: { ...headersFor(route, { key: tenant.key, scimToken: '' }), 'content-type': 'application/json' },
      })
      expect(answer.status, `${route.operationId} ${answer.text}`).to.be.within(400, 499)
    }
    const refused = await api.call('GET', '/v1/whoami')
    expect([refused.status, refused.headers.get('www-authenticate')]).to.deep.equal([401, 'Bearer'])
  })
})
