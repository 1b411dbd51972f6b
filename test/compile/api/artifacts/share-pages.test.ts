import { expect } from 'chai'
import { createLogger } from '../../../../config/logger.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import { givenProgramVersion, givenVersion } from '../../../support/archives/signed-artifacts.ts'
import { UPPER_PROGRAM } from '../../../support/archives/archives.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant, type CallOptions } from '../../../support/api.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'

const DAY_MS = 86_400_000
/** The header that Chromium sends when a person opens an address. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8'
const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>'
const asBrowser = { headers: { accept: BROWSER } }

describe('the page of a share link', () => {
  const database = useDatabase()
  const lines: string[] = []
  let aheadMs = 0
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    now: () => new Date(Date.now() + aheadMs),
    log: createLogger({ name: 'api', level: 'trace', destination: { write: (line) => void lines.push(line) } }),
    limits: { share_calls_per_ip_minute: 1000, share_runs_per_ip_minute: 12, share_link_runs: 3 },
  })
  let tenant: ApiTenant
  let op: Operation
  let artifact: string
  before(async () => {
    tenant = await givenApiTenant(api)
    op = setUpOperation(database.db, tenant.id)
    artifact = (await givenProgramVersion(op, api.server.services.signingKeys.current)).jobId
  })
  afterEach(() => {
    aheadMs = 0
  })

  const share = async (body: object = {}) => {
    const made = await api.call('POST', '/v1/share-links', { key: tenant.key, body: { target_id: artifact, ...body } })
    expect(made.status, made.text).to.equal(201)
    return { id: String(made.body.id), path: new URL(made.body.url).pathname, url: String(made.body.url) }
  }
  const run = async (path: string, input: unknown, options: CallOptions = {}) =>
    await api.call('POST', `${path}/run`, { body: { input }, ...options })
  const usedUnits = async () => (await api.call('GET', '/v1/billing/usage', { key: tenant.key })).body

  it('is HTML for browsers and JSON for everything else, with the same facts', async () => {
    const { path } = await share()
    const page = await api.call('GET', path, asBrowser)
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8'])
    expect(page.headers.get('vary')).to.equal('Accept, User-Agent')
    const { body } = await api.call('GET', path)
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/html;q=0']) {
      const answer = await api.call('GET', path, { headers: { accept } })
      expect(answer.headers.get('content-type'), accept).to.equal('application/json; charset=utf-8')
      expect(answer.headers.get('vary')).to.equal('Accept, User-Agent')
    }
    for (const fact of [body.name, body.cid, body.archive_hash, body.signed_by, body.in_words.accuracy]) {
      expect(fact).to.be.a('string')
      expect(page.text).to.contain(fact)
    }
    expect(body.content.rows).to.have.length(10)
    expect(body.content.rows_n).to.equal(12)
    expect(page.text).to.contain('10 of 12 held-out rows')
    for (const { input, got } of body.content.rows) expect(page.text).to.contain(input).and.to.contain(got)
    for (const { text } of body.content.recipe) expect(page.text).to.contain(text)
    expect(page.text).not.to.contain(tenant.id)
  })

  it('is kept out of search engines, caches, frames and referrers, and runs no script of another host', async () => {
    const { path } = await share({ allow_run: true })
    const { headers, text } = await api.call('GET', path, asBrowser)
    expect(headers.get('x-robots-tag')).to.equal('noindex, nofollow')
    expect(headers.get('referrer-policy')).to.equal('no-referrer')
    expect(headers.get('cache-control')).to.equal('private, no-store')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).to.contain("default-src 'none'").and.to.contain("script-src 'self';")
    expect(policy).to.contain("frame-ancestors 'none'").and.not.to.contain('unsafe')
    const scripts = [...text.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)]
    expect(scripts.map(([, attributes]) => /src="(\/[^"]+)"/.exec(attributes ?? '')?.[1])).to.deep.equal([
      '/console/theme.js',
      '/console/share/try.js',
    ])
    expect(scripts.every(([, , inline]) => inline === '')).to.equal(true)
    expect(text).not.to.match(/ on\w+=| style=/)
  })

  it('of kind report shows no rows, no recipe and no archive', async () => {
    const { path } = await share({ kind: 'report' })
    const { body } = await api.call('GET', path)
    expect([body.content, body.try_it]).to.deep.equal([null, null])
    const page = await api.call('GET', path, asBrowser)
    expect(page.text).to.contain('Shared report').and.to.contain(body.in_words.accuracy)
    expect(page.text).not.to.contain('row number 1')
    expect(page.text).not.to.contain(`${path}/archive`)
  })

  it('shows hostile texts as the texts that they are, in its picture too', async () => {
    const version = await givenVersion(op, {
      recipe: { kind: 'program', recipe: UPPER_PROGRAM },
      training: null,
      task: HOSTILE,
    })
    const { path } = await share({ target_id: version.jobId })
    const page = await api.call('GET', path, asBrowser)
    expect(page.text).to.contain('&quot;&gt;&lt;img src=x onerror=alert(1)&gt;')
    expect(page.text).not.to.contain('<img src=x')
    expect(page.text).not.to.contain('<script>alert')
    expect((await api.call('GET', `${path}/picture.png`)).status).to.equal(200)
  })

  it('has a picture for previews, which a cache keeps no longer than the link lives', async () => {
    const { id, path, url } = await share({ days: 1 })
    const preview = await api.call('GET', path, {
      headers: { accept: '*/*', 'user-agent': 'Slackbot-LinkExpanding 1.0' },
    })
    expect(preview.headers.get('content-type')).to.equal('text/html; charset=utf-8')
    expect(preview.text).to.contain(`<meta property="og:image" content="${url}/picture.png">`)
    expect(preview.text).to.contain('<meta property="og:title" content="Upper-case the name">')
    expect(preview.text).to.match(/<meta property="og:description" content="K 0\.\d{3}, program\. /)
    const { body } = await api.call('GET', '/v1/share-links', { key: tenant.key })
    expect(body.share_links.find((link: { id: string }) => link.id === id).opened).to.equal(0)

    const picture = await api.call('GET', `${path}/picture.png`)
    expect([picture.status, picture.headers.get('content-type')]).to.deep.equal([200, 'image/png'])
    expect(picture.bytes.subarray(0, 8).toString('hex')).to.equal('89504e470d0a1a0a')
    expect([picture.bytes.readUInt32BE(16), picture.bytes.readUInt32BE(20)]).to.deep.equal([1200, 630])
    expect(picture.headers.get('cache-control')).to.equal('public, max-age=300')
    const tag = picture.headers.get('etag') ?? ''
    const known = await api.call('GET', `${path}/picture.png`, { headers: { 'if-none-match': tag } })
    expect(known.status).to.equal(304)
    aheadMs = DAY_MS - 60_000
    const late = await api.call('GET', `${path}/picture.png`)
    expect(Number(/max-age=(\d+)/.exec(late.headers.get('cache-control') ?? '')?.[1])).to.be.within(1, 60)
    aheadMs = DAY_MS + 1000
    const ended = await api.call('GET', `${path}/picture.png`)
    expect([ended.status, ended.headers.get('cache-control')]).to.deep.equal([410, 'no-store'])
  })

  it('says that a link is unknown or has ended, and what to do', async () => {
    const { id, path } = await share()
    const unknown = await api.call('GET', `${path.slice(0, -1)}z`, asBrowser)
    expect([unknown.status, unknown.headers.get('content-type')]).to.deep.equal([404, 'text/html; charset=utf-8'])
    expect(unknown.text).to.contain('This link does not exist').and.to.contain('Ask the person who sent you the link')
    expect(unknown.headers.get('x-robots-tag')).to.equal('noindex, nofollow')
    aheadMs = 8 * DAY_MS
    for (const part of ['', '/report', '/archive']) {
      const ended = await api.call('GET', `${path}${part}`, asBrowser)
      expect([ended.status, ended.headers.get('content-type')]).to.deep.equal([410, 'text/html; charset=utf-8'])
      expect(ended.text).to.contain('<h1>This link has ended</h1>')
      expect(ended.headers.get('vary')).to.equal('Accept')
      expect((await api.call('GET', `${path}${part}`)).body.code).to.equal('share_link_expired')
    }
    aheadMs = 0
    await api.call('DELETE', `/v1/share-links/${id}`, { key: tenant.key })
    expect((await api.call('GET', path, asBrowser)).status).to.equal(410)
  })

  it('runs the artifact for visitors when its owner allows it, so many times, charged to the owner', async () => {
    const { id, path } = await share({ allow_run: true })
    const before = await usedUnits()
    const first = await run(path, 'ada byron', { headers: { cookie: 'svc_session=0' } })
    expect(first.status, first.text).to.equal(200)
    expect(first.body).to.deep.include({ output: 'ADA BYRON', abstained: false, runs_left: 2 })
    expect(first.body).to.have.all.keys(
      'ok',
      'request_id',
      'output',
      'abstained',
      'confidence',
      'unlike_examples',
      'runs_left',
    )
    const failed = await run(path, 7)
    expect([failed.status, failed.body.code]).to.deep.equal([422, 'recipe_failed'])
    expect(failed.text).not.to.contain('ver_')
    const answers = await Promise.all(['a', 'b', 'c'].map(async (input) => await run(path, input)))
    expect(answers.map(({ status }) => status)).to.have.members([200, 429, 429])
    expect(answers.find(({ status }) => status === 429)?.body.code).to.equal('share_runs_used')
    expect((await api.call('GET', path, asBrowser)).text).to.contain('All runs of this link are used')
    const { body } = await api.call('GET', '/v1/share-links', { key: tenant.key })
    const link = body.share_links.find((one: { id: string }) => one.id === id)
    expect(link).to.include({ allow_run: true, runs: 3, runs_left: 0 })
    await api.server.services.invocations.flush()
    await api.server.services.meter.flush()
    const after = await usedUnits()
    expect(after.used - before.used, JSON.stringify(after)).to.equal(2)
  })

  it('gives a run back that the quota of the owner refused, and does not say how much the owner has', async () => {
    const { key, id } = await givenApiTenant(api)
    const { jobId } = await givenProgramVersion(
      setUpOperation(database.db, id),
      api.server.services.signingKeys.current,
    )
    const made = await api.call('POST', '/v1/share-links', { key, body: { target_id: jobId, allow_run: true } })
    await sendSql(database.db, 'update tenants set quota_override = 0 where id = $1', [id])
    const refused = await run(new URL(made.body.url).pathname, 'x')
    expect([refused.status, refused.body.code, refused.body.details]).to.deep.equal([402, 'quota_exhausted', undefined])
    const { body } = await api.call('GET', '/v1/share-links', { key })
    expect(body.share_links[0]).to.include({ runs: 0, runs_left: 3 })
  })

  it('is made with runs only by keys that may run', async () => {
    const minted = await api.call('POST', '/v1/account/scoped-keys', {
      key: tenant.key,
      body: { label: 'shares', scopes: ['artifacts:export'] },
    })
    const order = async (body: object) =>
      await api.call('POST', '/v1/share-links', { key: minted.body.api_key, body: { target_id: artifact, ...body } })
    expect((await order({})).status).to.equal(201)
    const refused = await order({ allow_run: true })
    expect([refused.status, refused.body.details]).to.deep.equal([403, { required: 'run' }])
  })

  it('runs nothing for links without it, and for those that have ended', async () => {
    const without = await share()
    const refused = await run(without.path, 'x')
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'share_run_not_allowed'])
    const { path } = await share({ allow_run: true, days: 1 })
    aheadMs = DAY_MS + 1000
    const late = await run(path, 'x')
    expect([late.status, late.body.code]).to.deep.equal([410, 'share_link_expired'])
  })

  it('leaves no token in the log', async () => {
    const { path } = await share({ allow_run: true })
    const mac = path.split('.').at(-1) ?? ''
    lines.length = 0
    await api.call('GET', path, asBrowser)
    await run(path, 'x')
    await api.call('GET', `${path}/picture.png`)
    await api.call('GET', `${path}/nothing`, asBrowser)
    await api.call('GET', `${path}/a/b`, asBrowser)
    expect(lines.join('')).to.contain('/r/{token}/run').and.not.to.contain(mac)
  })

  // The last one, since it leaves no runs for others.
  it('takes only so many runs from one address', async () => {
    const { path } = await share()
    const answers = await Promise.all(Array.from({ length: 13 }, async () => await run(path, 'x')))
    expect(answers.filter(({ body }) => body.code === 'rate_limited').length).to.be.at.least(1)
  })
})
