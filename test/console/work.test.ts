import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { ApiTenant } from '../support/api.ts'
import { lookAround } from '../support/pages/look-around.ts'
import { findBarriers, takePicture } from '../support/pages/pages.ts'
import { nameExamples, noiseExamples, submitJob } from '../support/workflows/service.ts'
import { sendSql } from '../support/db/send-sql.ts'
import { setUpOperation } from '../support/people/given-members.ts'
import { expectUntroubled, itInBrowser, settled, shown, useConsole } from './use-console.ts'

const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>'

describe('work in the console', function () {
  this.timeout(300_000)
  const site = useConsole()
  const { signIn, givenTenant } = site
  const compile = async (tenant: ApiTenant, body: object): Promise<string> => {
    const answer = await site.api.call('POST', '/v1/compile', {
      key: tenant.key,
      body: { examples: nameExamples(), k_score_floor: 0.5, mode: 'async', ...body },
    })
    expect(answer.status, answer.text).to.equal(202)
    return answer.body.job_id
  }
  const finished = async (page: Page): Promise<void> =>
    await page.locator('.facts [data-status=ready]').waitFor({ timeout: 240_000 })

  itInBrowser('compiles pasted examples, shows them live, and tries what came out', async () => {
    const opened = await signIn(await givenTenant())
    const { page } = opened
    await page.getByRole('link', { name: 'Compile your first examples' }).click()
    await shown(page, 'New compile')
    await settled(page)
    await takePicture(page, 'compile-light')
    await page.getByRole('button', { name: 'Start the compile' }).click()
    // The browser itself asks for what is missing.
    expect(await page.evaluate('document.activeElement.name')).to.equal('task')
    await page.getByLabel('Task').fill('Write the family name first')
    await page.getByRole('button', { name: 'Start the compile' }).click()
    await page.getByRole('alert').getByText('Paste examples').waitFor()
    await page.getByLabel('Examples').fill('[{"input": "a"')
    await page.getByRole('button', { name: 'Start the compile' }).click()
    await page.getByRole('alert').getByText('like a JSON list').waitFor()
    await page.getByLabel('Examples').fill('{"input": "a"')
    await page.getByRole('button', { name: 'Start the compile' }).click()
    await page.getByRole('alert').getByText('line[1]', { exact: false }).waitFor()
    await page.getByLabel('Examples').fill(JSON.stringify(nameExamples(), null, 2))
    await page.getByLabel('K-score floor').fill('0.5')
    expect(await findBarriers(page)).to.deep.equal([])

    const held = site.service.hold()
    await page.getByRole('button', { name: 'Start the compile' }).click()
    await shown(page, 'Job')
    await held.reached
    await page.locator('[data-stage=k-sample][data-status=running]').waitFor()
    await page.locator('.facts [data-status=running]').waitFor()
    expect(await page.locator('[data-stage=verify]').getAttribute('data-status')).to.equal('waiting')
    await takePicture(page, 'job-running-light')
    held.release()
    await finished(page)
    await page.locator('[data-stage=sign][data-status=done]').waitFor()
    await page.getByText('Log', { exact: true }).click()
    expect(await findBarriers(page)).to.deep.equal([])
    await takePicture(page, 'job-done-light')

    await page.getByRole('link', { name: 'Open the artifact' }).click()
    await shown(page, 'Artifact')
    await page.getByRole('img', { name: /^K [01]\.\d+, 95% interval 0\.\d+ to [01]\.\d+$/ }).waitFor()
    await page.getByLabel('Input').fill('Tim Berners')
    await page.getByRole('button', { name: 'Run' }).click()
    expect(await page.locator('.output').first().textContent()).to.equal('Berners, Tim')
    await page.getByText('Receipt').click()
    await page.getByText('"spec": "rs-1"').waitFor()
    // Its inputs are texts, so there is nothing to choose.
    expect(await page.getByLabel('Read it as').count()).to.equal(0)
    await page.getByLabel('Input').fill('Ada Byron')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByText('Byron, Ada').waitFor()
    expect(await findBarriers(page)).to.deep.equal([])
    await takePicture(page, 'artifact-light')
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download .svc' }).click()
    expect((await download).suggestedFilename()).to.match(/^cmp_\w+\.svc$/)
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('compiles a file, once however often it is sent, and starts from templates', async () => {
    const tenant = await givenTenant()
    const opened = await signIn(tenant, '/#/compile')
    const { page } = opened
    await page.getByRole('button', { name: 'Names as index entries' }).click()
    expect(await page.getByLabel('Examples').inputValue()).to.contain('"input":')
    await page.getByLabel('Task').fill('Write the family name first')
    const rows = nameExamples().map(({ input, output }) => `${input},"${output}"`)
    await page.getByLabel('Or a file').setInputFiles({
      name: 'names.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(['input,output', ...rows].join('\n')),
    })
    // The first answer is lost on its way.
    let isLost = false
    await page.route('**/v1/compile', async (route) => {
      if (isLost || route.request().method() !== 'POST') return await route.continue()
      isLost = true
      await route.fetch()
      await route.abort('connectionreset')
    })
    await page.getByRole('button', { name: 'Start the compile' }).click()
    await page.getByRole('alert').getByText('cannot be reached').waitFor()
    await page.getByRole('button', { name: 'Start the compile' }).click()
    await shown(page, 'Job')
    await finished(page)
    const jobs = await site.api.call('GET', '/v1/compile', { key: tenant.key })
    expect(jobs.body.jobs).to.have.length(1)
    const [job] = jobs.body.jobs
    expect((await site.api.call('GET', `/v1/compile/${job.id}`, { key: tenant.key })).body.examples_n).to.equal(40)
    expect(opened.troubles).to.deep.equal([])
    await opened.close()
  })

  itInBrowser('goes on live after the service was away and after a stream that was refused', async () => {
    const tenant = await givenTenant()
    const held = site.service.hold()
    const id = await compile(tenant, { task: 'Survives a restart' })
    const opened = await signIn(tenant, '/#/jobs')
    const { page } = opened
    await held.reached
    // A proxy in front of a process that restarts refuses the stream, which makes browsers give it up.
    let refusals = 2
    await page.route('**/v1/compile/stream/**', async (route) => {
      if (refusals-- > 0) await route.fulfill({ status: 502, body: 'away' })
      else await route.continue()
    })
    await page.getByRole('link', { name: 'Survives a restart' }).click()
    await page.getByText('The connection was lost.').waitFor()
    await page.locator('[data-stage=k-sample][data-status=running]').waitFor()
    await page.getByText('The connection was lost.').waitFor({ state: 'hidden' })
    await page.unroute('**/v1/compile/stream/**')
    await site.api.restart()
    await page.getByText('The connection was lost.').waitFor({ state: 'hidden' })
    held.release()
    await finished(page)
    await page.getByText('Log', { exact: true }).click()
    const starts = await page.locator('.log li', { hasText: 'step.start' }).allTextContents()
    // Each stage began once: nothing was shown twice.
    expect(new Set(starts.map((line) => /stage (\w+)/.exec(line)?.[1])).size).to.equal(starts.length)
    expect((await site.api.call('GET', `/v1/compile/${id}`, { key: tenant.key })).body.status).to.equal('completed')
    // The log of a job that is over comes in the same way, and the page waits for it.
    refusals = 2
    await page.route('**/v1/compile/stream/**', async (route) => {
      if (refusals-- > 0) await route.fulfill({ status: 429, body: 'too many' })
      else await route.continue()
    })
    await page.reload()
    await page.locator('[data-stage=ready][data-status=done]').waitFor()
    expect(refusals).to.equal(-1)
    await opened.close()
  })

  itInBrowser('moves the rows of a long list, and cancels', async () => {
    const tenant = await givenTenant()
    const held = site.service.hold()
    const running = await compile(tenant, { task: 'The first of many' })
    await held.reached
    const op = setUpOperation(site.service.database.db, tenant.id)
    for (let count = 0; count < 30; count++) await submitJob(op, { examples: nameExamples(), task: `Waits ${count}` })
    const opened = await signIn(tenant)
    const { page } = opened
    const row = page.locator(`tr:has([data-job="${running}"])`)
    expect(await row.count()).to.equal(0)
    await page.getByRole('button', { name: 'Show more' }).click()
    // The last page takes the button with it, and the focus stays in the list.
    await row.waitFor()
    expect(await page.evaluate('document.activeElement.tagName')).to.equal('DIV')
    expect(await row.locator('.badge').textContent()).to.equal('running')
    await row.getByRole('link').click()
    await page.getByRole('button', { name: 'Cancel the job' }).click()
    await page.getByRole('button', { name: 'Keep it running' }).click()
    await page.goBack()
    await page.getByRole('button', { name: 'Show more' }).click()
    await site.api.call('POST', `/v1/compile/${running}/cancel`, { key: tenant.key })
    await row.getByText('cancelled').waitFor()
    held.release()
    await page.route('**/v1/compile?status=queued*', async (route) => await route.abort())
    await page.getByRole('alert').getByText('cannot be reached').waitFor()
    await page.unroute('**/v1/compile?status=queued*')
    await page.getByRole('alert').waitFor({ state: 'detached' })
    const [waiting] = (await site.api.call('GET', '/v1/compile?status=queued', { key: tenant.key })).body.jobs
    await page.goto(`${site.api.url}/#/job/${waiting.id}`)
    await page.getByRole('button', { name: 'Cancel the job' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }).click()
    await page.locator('.facts [data-status=cancelled]').waitFor()
    expect(await page.locator('[data-stage=sign]').getAttribute('data-status')).to.equal('not reached')
    await takePicture(page, 'job-cancelled-light')
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('says why a job has no artifact', async () => {
    const tenant = await givenTenant()
    const id = await compile(tenant, { task: 'Make sense of noise', examples: noiseExamples(), k_score_floor: 0.9 })
    const opened = await signIn(tenant, `/#/job/${id}`)
    const { page } = opened
    await page.locator('.facts [data-status=gated]').waitFor({ timeout: 240_000 })
    await page.getByRole('alert').getByText('k_score_below_floor').waitFor()
    await page.getByRole('table', { name: 'Rows with their results' }).locator('[data-status=failed]').first().waitFor()
    await takePicture(page, 'job-gated-light')
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('says when the quota resets, and where to get more', async () => {
    const tenant = await givenTenant()
    await sendSql(site.service.database.db, 'update tenants set quota_override = 0 where id = $1', [tenant.id])
    const opened = await signIn(tenant, '/#/compile')
    const { page } = opened
    await page.getByRole('button', { name: 'Names as index entries' }).click()
    await page.getByLabel('Task').fill('Write the family name first')
    await page.getByRole('button', { name: 'Start the compile' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText(/^Your quota resets on 1 \w+ 20\d\d/).waitFor()
    await alert.getByRole('link', { name: 'Compare the plans' }).click()
    await shown(page, 'Billing')
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('shows hostile texts as the texts that they are', async () => {
    const tenant = await givenTenant()
    await compile(tenant, { task: HOSTILE })
    await site.api.call('POST', '/v1/account/scoped-keys', {
      key: tenant.key,
      body: { scopes: ['account:read'], label: HOSTILE.slice(0, 80) },
    })
    const opened = await signIn(tenant)
    const { page } = opened
    await page.getByRole('link', { name: HOSTILE }).click()
    await shown(page, 'Job')
    await finished(page)
    for (const name of ['artifacts', 'keys', 'audit']) {
      await page.goto(`${site.api.url}/#/${name}`)
      await settled(page)
      await page.getByText('<img src=x', { exact: false }).first().waitFor()
    }
    expect(await page.title()).to.equal('Audit log · svc')
    expect(await page.locator('main img').count()).to.equal(0)
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('shares an artifact by a link, and ends it', async () => {
    const tenant = await givenTenant()
    const id = await compile(tenant, { task: 'Worth sharing' })
    const opened = await signIn(tenant, `/#/job/${id}`)
    const { page } = opened
    await finished(page)
    await page.getByRole('link', { name: 'Open the artifact' }).click()
    await page.getByRole('button', { name: 'Share' }).click()
    await takePicture(page, 'dialog-light')
    await page.getByLabel('Let visitors run it').check()
    await page.getByRole('button', { name: 'Make the link' }).click()
    const path = new URL((await page.locator('.secret').textContent()) ?? '').pathname
    await page.getByRole('button', { name: 'I have kept it' }).click()

    const visitor = await site.open(path)
    await shown(visitor.page, 'Worth sharing')
    await lookAround(visitor.page, 'shared')
    await visitor.page.getByLabel('Input').fill('Tim Berners')
    await visitor.page.getByLabel('Input').press('Tab')
    await visitor.page.keyboard.press('Tab')
    await visitor.page.keyboard.press('Enter')
    await visitor.page.locator('.output').getByText('Berners, Tim').waitFor()
    await visitor.page.getByText('99 runs of this link left').waitFor()
    await visitor.page.getByLabel('Read it as').selectOption('json')
    await visitor.page.getByRole('button', { name: 'Run' }).click()
    await visitor.page.getByRole('alert').getByText('not valid JSON').waitFor()
    expect(await findBarriers(visitor.page)).to.deep.equal([])
    await page.getByRole('link', { name: 'Artifacts' }).click()
    await page.getByRole('heading', { name: 'Shared links' }).waitFor()
    await page.getByRole('button', { name: 'End', exact: true }).click()
    await page.getByRole('button', { name: 'End the link' }).click()
    await page.getByText('revoked').waitFor()
    // The page that is still open says so, and a new one too.
    await visitor.page.getByLabel('Read it as').selectOption('text')
    await visitor.page.getByRole('button', { name: 'Run' }).click()
    await visitor.page.getByRole('alert').getByText('This link has ended').waitFor()
    expect(await visitor.page.getByRole('button', { name: 'Run' }).count()).to.equal(0)
    await visitor.page.reload()
    await shown(visitor.page, 'This link has ended')
    await lookAround(visitor.page, 'shared-ended')
    expectUntroubled(visitor)
    await visitor.close()
    expectUntroubled(opened)
    await opened.close()
  })
})
