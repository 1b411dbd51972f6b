import { expect } from 'chai'
import { ROUTES } from '../../../api/routes.ts'
import { openIntake } from '../../../api/compile/intake/intake.ts'
import { createCores } from '../../../core/kernel/threads/cores.ts'
import { readCsv, readJsonl } from '../../support/wire/intake.ts'
import { createFairQueue } from '../../../core/kernel/threads/fair/fair-queue.ts'
import { createHeldBytes } from '../../../core/kernel/threads/fair/held-bytes.ts'
import { createLoopTurns } from '../../../core/kernel/threads/fair/loop-turns.ts'
import { parseJsonText } from '../../../core/kernel/json/json-text.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'
import { pathOf } from '../../support/wire/declared-routes.ts'
import { MULTIPART, upload } from '../../support/wire/multipart.ts'

const MB = 1024 * 1024

describe('a parser of what callers send', () => {
  it('makes no cells of a line of commas, wherever it stands', async () => {
    const commas = ','.repeat(4 * MB)
    const before = process.memoryUsage().rss
    for (const [text, field] of [
      [`input,output\n${commas}`, 'line[2]'],
      [`input,output\na,b\n${commas}`, 'line[3]'],
      [commas, 'line[1]'],
      [`input,output\ra,b\r${commas}`, 'line[3]'],
      [`input,output\n"x""\n"${commas}`, 'line[3]'],
    ] as const) {
      const error = await readCsv(text)
      expect(error, field).to.match(/^line\[\d\]: column \d+: has more than 256 columns/)
      expect(error).to.include(field)
    }
    expect(process.memoryUsage().rss - before).to.be.below(200 * MB)
  })

  it('names the record that ends the reading, with line and column', async () => {
    expect(await readCsv(`input,output\na,b\na,b,c\n${','.repeat(1000)}`)).to.match(
      /^line\[4\]: column 257: has more than 256 columns/,
    )
  })

  it('ends at a record that is too long, quoted or not', async () => {
    for (const text of [`"${'x'.repeat(MB)}`, 'x'.repeat(MB), '\n'.repeat(10) + 'x'.repeat(MB)]) {
      expect(await readCsv(`input,output\n${text}`)).to.match(/a row of more than 81920 characters/)
    }
    expect(await readJsonl('x'.repeat(MB))).to.include('line[1]: is longer than')
  })

  it('counts containers that hold one another, not commas alone', () => {
    const nested = `[${Array.from({ length: 200 }, () => `${'['.repeat(50)}1${']'.repeat(50)}`).join(',')}]`
    expect(() => parseJsonText(nested, 64, 'body', 5000)).to.throw('holds more than 5000 members and entries')
    expect(() => parseJsonText(nested, 64, 'body', 11_000)).not.to.throw()
  })
})

describe('what a caller sends in one call', () => {
  const api = useApi()
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })
  const post = async (path: string, raw: string) => await api.call('POST', path, { raw, key: tenant.key })

  it('is bounded in members and entries on public routes', async () => {
    const keys = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])))
    const receipt = await post('/v1/receipts/verify', `{"receipt":${keys(40_000)}}`)
    expect([receipt.status, receipt.body.code]).to.deep.equal([400, 'validation_failed'])
    const fewer = await post('/v1/receipts/verify', `{"receipt":${keys(5000)}}`)
    expect([fewer.status, fewer.body.code]).to.deep.equal([400, 'malformed_receipt'])
    const manifest = await post('/v1/artifact/verify-manifest', `{"cid":"x","hashes":${keys(3000)}}`)
    expect([manifest.status, manifest.body.code]).to.deep.equal([400, 'validation_failed'])
    const large = await post('/v1/artifact/verify-manifest', `{"cid":"${'x'.repeat(100_000)}"}`)
    expect([large.status, large.body.code]).to.deep.equal([413, 'payload_too_large'])
  })

  it('is bounded in parameters of a query, on every route', async () => {
    const query = Array.from({ length: 1500 }, () => 'a=1').join('&')
    for (const route of ROUTES.filter(({ method }) => method === 'get')) {
      const answer = await api.call('GET', `${pathOf(route)}?${query}`, { key: tenant.key })
      expect(answer.status, route.operationId).to.equal(400)
      // SCIM has a form of its own for errors.
      expect(answer.text, route.operationId).to.match(/"validation_failed"|api:messages:2.0:Error/)
    }
  })

  it('is bounded in fields of a form', async () => {
    const raw = Array.from({ length: 10_000 }, (_, i) => `f${i}=`).join('&')
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
    const answer = await api.call('POST', '/v1/account/saml/acs', { raw, headers })
    expect([answer.status, answer.body.code], answer.text).to.deep.equal([400, 'validation_failed'])
  })

  it('is read as before when it is large: lists of examples, in either spelling, and their errors', async () => {
    const rows = Array.from({ length: 2000 }, (_, i) => ({ input: `in ${i}`, output: `OUT ${i}` }))
    const large = await post('/v1/compile', JSON.stringify({ task: 'Capitals', mode: 'async', examples: rows }))
    expect(large.status, large.text).to.equal(202)
    const pairs = rows.map(({ input, output }) => ({ q: input, a: output }))
    const started = await post('/v1/compile/start', JSON.stringify({ task: 'Capitals', pairs }))
    expect(started.status, started.text).to.equal(202)
    const wrong = await post('/v1/compile/start', JSON.stringify({ task: 'Capitals', pairs: [...pairs, { q: 1 }] }))
    expect(wrong.body.details.fields[0].field).to.equal('pairs[2000].a')
    const estimate = await post('/v1/compile/estimate', JSON.stringify({ task: 'x', examples: rows }))
    expect(estimate.body.inputs.rows).to.equal(2000)
    const notes = await post('/v1/compile', JSON.stringify({ examples: rows, notes: rows, task: '' }))
    expect(notes.body.details.fields[0].field).to.equal('task')
  })

  it('ends an upload of 15 million commas without growing the process', async () => {
    const before = process.memoryUsage().rss
    const body = upload('rows.csv', `input,output\n${','.repeat(15 * MB)}`)
    const answer = await api.call('POST', '/v1/compile', { key: tenant.key, raw: body, headers: MULTIPART })
    expect([answer.status, answer.body.details?.fields[0].field], answer.text).to.deep.equal([400, 'line[2]'])
    expect(process.memoryUsage().rss - before).to.be.below(300 * MB)
  })
})

describe('large bodies', () => {
  const intake = openIntake(DEFAULT_LIMITS, createCores())
  after(async () => await intake.close())

  it('of one caller delay those of another by one, not by all', async () => {
    const queue = createFairQueue(1)
    const order: string[] = []
    const work = (name: string) => async () => {
      order.push(name)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all([
      ...Array.from({ length: 50 }, async () => await queue.run('flood', work('flood'))),
      queue.run('other', work('other')),
    ])
    expect(order.indexOf('other')).to.be.at.most(2)
  })

  it('hold up the event loop one at a time', async () => {
    const turns = createLoopTurns()
    let rounds = 0
    let isCounting = true
    const count = () => {
      rounds++
      if (isCounting) setImmediate(count)
    }
    setImmediate(count)
    await Promise.all(Array.from({ length: 100 }, async (_, i) => await turns.take(`caller ${i % 5}`)))
    isCounting = false
    expect(rounds).to.be.at.least(95)
  })

  it('make the caller give way who holds most memory', () => {
    const held = createHeldBytes(100)
    const gone: string[] = []
    const open = (caller: string, name: string) => held.open(caller, () => gone.push(name))
    const first = open('flood', 'first')
    first.add(60)
    open('flood', 'second').add(30)
    open('other', 'other').add(20)
    expect(gone).to.deep.equal(['second'])
    expect(held.total).to.equal(80)
    first.release()
    first.release()
    expect(held.total).to.equal(20)
  })

  it('are parsed while the event loop answers', async () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => ({ input: { a: `in ${i}`, b: [i, i] }, output: `OUT ${i}` }))
    const bytes = Buffer.from(JSON.stringify({ task: 'x', examples: rows, filler: 'x'.repeat(8 * MB) }))
    const bounds = { maxDepth: 64, maxParts: 500_000, restParts: 20_000, longLists: ['examples'] }
    // The thread starts with the first one.
    await intake.readBody([Buffer.from('{"examples":[]}')], bounds, 'warm')
    let isDone = false
    const done = intake.readBody([bytes], bounds, 'me').finally(() => (isDone = true))
    let rounds = 0
    for (; !isDone; rounds++) await new Promise((resolve) => setImmediate(resolve))
    await done
    // Parsed here it would hold the loop, which would go round a few times before and after.
    expect(rounds).to.be.above(20)
  })
})
