import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { startProvider, type ProviderServer } from '../../support/providers/server.ts'
import { lookAround } from '../../support/pages/look-around.ts'
import { runCli } from '../../support/cli/run-cli.ts'
import type { ApiTenant } from '../../support/api.ts'
import { expectUntroubled, itInBrowser, settled, shown, useConsole } from '../use-console.ts'

const GOLDEN = join(import.meta.dirname, '../../model/golden')
const FILES = {
  'delivery.txt': 'A late delivery is refunded after five days.',
  'fees.md': '# Fees\n\nNo fee is taken for the first return of a parcel.',
  'scan.png': Buffer.from('89504e470d0a1a0a', 'hex'),
  'broken.pdf': '%PDF-1.7 and nothing else',
}
/** Words in capitals, but for those with a number, which are answered by chance. */
const ROWS = Array.from({ length: 60 }, (_, i) => {
  const word = `${['Ada', 'Grace', 'Alan'][i % 3]} ${'abcdefghij'[i % 10]}${'klmnop'[Math.floor(i / 10)]}`
  if (i % 5 !== 0) return { input: word, output: word.toUpperCase() }
  return { input: `${word} ${i * 37}`, output: `no. ${(i * 7919) % 1009}` }
})

describe('documents and diagnosis, in the console and the terminal', function () {
  this.timeout(300_000)
  let provider: ProviderServer | undefined
  before(async () => {
    provider = await startProvider('messages', () => ({ texts: ['five'], usage: { input: 100, output: 2 } }))
  })
  const site = useConsole({
    baseFolders: [GOLDEN],
    settings: () => ({ upstreams: { anthropic: { baseUrl: provider?.baseUrl, apiKey: provider?.apiKey } } }),
  })
  let tenant: ApiTenant
  let folder: string
  let artifactId: string
  before(async () => {
    tenant = await site.givenTenant()
    folder = await mkdtemp(join(tmpdir(), 'svc-documents-'))
    for (const [name, content] of Object.entries(FILES)) await writeFile(join(folder, name), content)
    const body = { task: 'Capitals', examples: ROWS, base_model: 'none', k_score_floor: 0 }
    artifactId = (await site.api.call('POST', '/v1/compile', { key: tenant.key, body })).body.id
  })
  after(async () => {
    await rm(folder, { recursive: true })
    await provider?.close()
  })
  const svc = async (...args: readonly string[]) =>
    await runCli(args, {
      folder,
      profileDir: join(folder, 'profile'),
      env: { SVC_URL: site.api.url, SVC_API_KEY: tenant.key },
    })

  it('are indexed and found from the terminal', async () => {
    const none = await svc('recall', '-n', 'support', 'late delivery')
    expect(none.stdout, none.stderr).to.include('support has no documents')
    const indexed = await svc('embed', '-n', 'support', ...Object.keys(FILES))
    expect([indexed.code, indexed.stderr]).to.deep.equal([0, ''])
    expect(indexed.stdout)
      .to.include('support: 4 indexed, 0 unchanged, 0 not read')
      .and.include('is a damaged PDF')
      .and.include('vectors: qwen3-embedding@sha256:')
    expect((await svc('embed', '-n', 'support', 'fees.md')).stdout).to.include('1 unchanged')
    const found = await svc('recall', '-n', 'support', 'late deliveries', '-k', '2')
    expect(found.stdout)
      .to.include('delivery.txt, part 1')
      .and.match(/words 1\. \(\d\.\d+\), vectors \d\./)
      .and.include('searched 2 parts of 4 documents')
    const absent = await svc('embed', '-n', 'support', 'absent.txt')
    expect([absent.code, absent.stderr.trim()]).to.deep.equal([2, 'error: absent.txt: cannot be read (usage)'])
  })

  it('ground answers that are verified, from the terminal', async () => {
    const asked = ['ask', 'claude-haiku-4-5', 'After how many days is a late delivery refunded?']
    const right = await svc(...asked, '--verified', '--expect', 'five', '-n', 'support')
    expect([right.code, right.stderr]).to.deep.equal([0, ''])
    expect(right.stdout)
      .to.include('five')
      .and.include('verified: 1 of 1 tests pass, 1 sample')
      .and.include('2 passages')
    const wrong = await svc(...asked, '--verified', '--expect', 'six', '-k', '2')
    expect([wrong.code, wrong.stdout.includes('not verified: 0 of 1 tests pass, 2 samples')]).to.deep.equal([1, true])
    expect((await svc(...asked)).stdout.trim()).to.equal('five')
    expect((await svc(...asked, '--verified')).code).to.equal(2)
    expect((await svc(...asked, '--expect', 'five')).code).to.equal(2)
  })

  it('show why an artifact fails, from the terminal', async () => {
    const diagnosed = await svc('diagnose', artifactId)
    expect(diagnosed.stdout, diagnosed.stderr)
      .to.include('general')
      .and.match(/capture more: general has a K-score/)
    const failures = await svc('failures', artifactId)
    expect(failures.stdout, failures.stderr)
      .to.include('12 of 60 rows are wrong')
      .and.match(/digit|number/)
    const absent = await svc('failures', 'cmp_00000000000000000000000000')
    expect([absent.code, absent.stdout]).to.deep.equal([1, ''])
  })

  itInBrowser('are shown with their state, and how a search ranked them', async () => {
    const opened = await site.signIn(tenant, '/#/documents')
    const { page } = opened
    await shown(page, 'Documents')
    await settled(page)
    const row = (name: string) => page.getByRole('row', { name })
    await row('scan.png').getByText('image files have no text').waitFor()
    await row('broken.pdf').getByText('is a damaged PDF').waitFor()
    await row('fees.md').getByText('Extracted').waitFor()
    await row('fees.md').getByText('qwen3-embedding').waitFor()
    await page.getByLabel('Question').fill('late delivery')
    await page.getByRole('button', { name: 'Find parts' }).click()
    await page.getByText('by the sum of 1 / (60 + rank) over both').waitFor()
    await page.getByText('delivery.txt part 1').click()
    await page.getByText('refunded after five days').waitFor()
    await lookAround(page, 'documents')
    await upload(page)
    await page.getByRole('button', { name: 'Delete scan.png' }).click()
    await page.getByRole('button', { name: 'Delete it' }).click()
    await row('scan.png').waitFor({ state: 'detached' })
    expectUntroubled(opened)
    await opened.close()
  })

  const upload = async (page: Page): Promise<void> => {
    await page.getByLabel('Files').setInputFiles(join(folder, 'delivery.txt'))
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    await page.getByText('is unchanged').waitFor()
  }

  itInBrowser('show the categories and the failure modes of an artifact', async () => {
    const opened = await site.signIn(tenant, `/#/artifact/${artifactId}`)
    const { page } = opened
    await shown(page, 'Artifact')
    await settled(page)
    await page.getByRole('button', { name: /^Diagnose/ }).click()
    await page.getByRole('heading', { name: 'Failure modes' }).waitFor()
    await page.getByRole('row', { name: 'general' }).getByText('–').first().waitFor()
    const mode = page.locator('.modes > li').first()
    await mode.locator('summary').click()
    await mode.getByRole('cell').first().waitFor()
    await lookAround(page, 'artifact-diagnosis')
    expectUntroubled(opened)
    await opened.close()
  })
})
