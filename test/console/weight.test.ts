import { expect } from 'chai'
import type { CDPSession, Page } from 'playwright-core'
import type { ApiTenant } from '../support/api.ts'
import { useApi } from '../support/api.ts'
import { givenProgramVersion } from '../support/archives/signed-artifacts.ts'
import { givenEvaluation } from '../support/db/given-evaluation.ts'
import { readConsolePages } from '../support/pages/console-pages.ts'
import { givenPlan, setUpOperation } from '../support/people/given-members.ts'
import { nameExamples } from '../support/workflows/service.ts'
import { expectSilent, expectUntroubled, itInBrowser, READ, shown, useConsole } from './use-console.ts'

/** Bytes of script that a first load of any page may transfer to its end, headers included. */
const MOST_SCRIPT_BYTES = 150_000
/** Scripts that a page may ask for to its end: each takes longer than its bytes. */
const MOST_SCRIPTS = 80
/** Milliseconds from the navigation to a page that can be used, on a machine that does nothing else. */
const MOST_MS = 1000

/** Times in milliseconds since the navigation, and counts of scripts. */
interface Load {
  /** Once the page itself is read: all but what stands further down. */
  readonly usableMs: number
  /** Once all of it is read. */
  readonly readMs: number
  /** Scripts that were asked for. */
  readonly scripts: number
  readonly bytes: number
}

describe('the weight of the console', function () {
  this.timeout(300_000)
  const site = useConsole()
  let tenant: ApiTenant
  /** The argument in the address of a page about one thing, by its name. */
  const argument = new Map<string, string>()
  before(async () => {
    tenant = await site.givenTenant()
    const { db } = site.service.database
    await givenPlan(db, tenant.id, 'teams')
    const post = async (path: string, body: object) => {
      const answer = await site.api.call('POST', path, { key: tenant.key, body })
      expect(answer.status, answer.text).to.be.oneOf([200, 201, 202])
      return answer.body
    }
    const { id } = await post('/v1/compile', {
      task: 'Family name first',
      examples: nameExamples(),
      k_score_floor: 0.5,
    })
    for (const name of ['job', 'again', 'artifact']) argument.set(name, id)
    argument.set('diff', `${id}..${id}`)
    argument.set('team', (await post('/v1/teams', { name: 'Research' })).team.id)
    const rows = nameExamples()
    const { dataset_id: dataset } = await post('/v1/datasets', { namespace: 'support', rows, train_ratio: 0.5 })
    argument.set('dataset', dataset)
    // They may still run when their pages are loaded, which have the same scripts then.
    const op = setUpOperation(db, tenant.id)
    argument.set('evaluation', await givenEvaluation(op, id))
    argument.set('bakeoff', (await post('/v1/bakeoffs', { dataset_id: dataset, contestants: ['rule'] })).bakeoff_id)
    const sides = { candidate_artifact: id, baseline_artifact: (await givenProgramVersion(op)).jobId }
    const { gate_id: gate } = await post('/v1/eval/gate', { ...sides, rows: [{ input: 'a word', output: 'word a' }] })
    argument.set('gate', gate)
    await post('/v1/capture/log', { namespace: 'names', items: rows })
    const run = { namespace: 'names', base_model: 'none', k_score_floor: 0.5 }
    argument.set('distillation', (await post('/v1/distill/from-captures', run)).run_id)
  })

  /** Counts the bytes of scripts that reach the browser, and notes those that the page itself has not asked for. */
  async function countScripts(page: Page): Promise<{
    readonly bytes: () => number
    /** Names of scripts that only another module's import made the browser ask for. */
    readonly late: readonly string[]
    readonly stop: () => Promise<void>
  }> {
    const session: CDPSession = await page.context().newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.setCacheDisabled', { cacheDisabled: true })
    const scripts = new Set<string>()
    const late: string[] = []
    let bytes = 0
    session.on('Network.requestWillBeSent', ({ type, request, initiator }) => {
      if (type === 'Script' && initiator.url?.endsWith('.js') === true) late.push(request.url)
    })
    session.on('Network.responseReceived', ({ requestId, type }) => {
      if (type === 'Script') scripts.add(requestId)
    })
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (scripts.has(requestId)) bytes += encodedDataLength
    })
    return { bytes: () => bytes, late, stop: async () => await session.detach() }
  }

  /** Notes in the page when it could first be used and when it was read: here, other work of this process would count. */
  async function noteUse(page: Page): Promise<void> {
    await page.addInitScript(`{
      const look = () => {
        if (document.querySelector('main[data-page]:not([aria-busy])') !== null) globalThis.usableAt ??= performance.now()
        if (document.querySelector('main[data-page]${READ}') !== null) globalThis.readAt ??= performance.now()
      }
      new MutationObserver(() => requestAnimationFrame(look)).observe(document, {
        subtree: true, childList: true, attributes: true,
      })
    }`)
  }

  itInBrowser(
    'is under 150 kB of script on the first load of each page to its end, asked for at once, which can be used within a second',
    async () => {
      const opened = await site.signIn(tenant)
      const { page } = opened
      await noteUse(page)
      const loads = new Map<string, Load>()
      const { PAGES, FRONT, SIGN_IN, LINKS } = await readConsolePages()
      const load = async (name: string, path: string, isReady: () => Promise<void>) => {
        await page.goto('about:blank')
        const count = await countScripts(page)
        await page.goto(`${site.api.url}/${path}`)
        await isReady()
        const at = async (noted: string) => Math.round(Number(await page.evaluate(`${noted} ?? performance.now()`)))
        const usableMs = await at('globalThis.usableAt')
        const readMs = await at('globalThis.readAt')
        const entries = `performance.getEntriesByType('resource').filter((one) => one.name.endsWith('.js'))`
        const scripts = Number(await page.evaluate(`${entries}.length`))
        expect(scripts, name).to.be.within(10, MOST_SCRIPTS)
        if (name === 'usage') await page.locator('.chart canvas').waitFor()
        loads.set(name, { usableMs, readMs, scripts, bytes: count.bytes() })
        expect(count.bytes(), name).to.be.within(10_000, MOST_SCRIPT_BYTES)
        expect(count.late, name).to.deep.equal([])
        await count.stop()
      }
      for (const [name, { isOfOne }] of Object.entries(PAGES)) {
        expect(argument.has(name), `the thing that the page ${name} is about`).to.equal(isOfOne === true)
        await load(name, `#/${name}/${argument.get(name) ?? ''}`, async () => {
          await page.locator(`main[data-page=${name}]${READ}`).waitFor()
        })
        expect(await page.locator('.error').count(), name).to.equal(0)
      }
      await page.getByRole('button', { name: 'Sign out' }).click()
      await shown(page, 'Sign in')
      await load('front', '', async () => await shown(page, FRONT.title))
      await load('sign-in', '#/sign-in', async () => await shown(page, SIGN_IN.title))
      expectSilent(opened)
      // A link that has ended shows the same page; its call is refused.
      for (const [name, { title }] of Object.entries(LINKS)) {
        await load(name, `#${name}=ended`, async () => await shown(page, title))
      }
      if (process.env['SVC_MEASURE'] !== undefined) console.log(Object.fromEntries(loads))
      // The machine that tests may be busy; a second is the limit where it is not.
      for (const [name, { readMs }] of loads) expect(readMs, name).to.be.lessThan(MOST_MS * 10)
      expectUntroubled(opened)
      await opened.close()
    },
  )
})

describe('the files of the console, as they are sent', () => {
  const api = useApi()

  it('are compressed as the browser asks, under tags of their own', async () => {
    const tags = new Set<string | null>()
    for (const encoding of ['br', 'gzip', 'identity']) {
      const answer = await api.call('GET', '/console/library/preact.js', { headers: { 'accept-encoding': encoding } })
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('content-encoding')).to.equal(encoding === 'identity' ? null : encoding)
      expect(answer.headers.get('vary')).to.match(/accept-encoding/i)
      expect(answer.text).to.contain('export')
      tags.add(answer.headers.get('etag'))
    }
    expect(tags.size).to.equal(3)
  })

  it('hold each module that the import map names', async () => {
    const page = await api.call('GET', '/')
    const [, map = '{}'] = /<script type="importmap">([^]*?)<\/script>/.exec(page.text) ?? []
    const { imports }: { imports: Record<string, string> } = JSON.parse(map)
    for (const path of Object.values(imports)) expect((await api.call('GET', path)).status, path).to.equal(200)
    expect(page.headers.get('content-security-policy')).to.match(/script-src 'self' 'sha256-[\w+/]{43}='/)
  })
})
