import { expect } from 'chai'
import type { ApiTenant } from '../../support/api.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { sendFile } from '../../support/wire/files.ts'
import { nameExamples } from '../../support/workflows/service.ts'
import { expectUntroubled, itInBrowser, settled, useConsole } from '../use-console.ts'

describe('the parts of an artifact in the console', function () {
  this.timeout(300_000)
  const site = useConsole()
  let tenant: ApiTenant
  let id: string
  before(async () => {
    tenant = await site.givenTenant()
    // Of a file: the name of its column is known then.
    const bytes = ['name,sorted', ...nameExamples().map(({ input, output }) => `${input},"${output}"`)].join('\n')
    const spec = { task: 'Family name first', mode: 'sync', base_model: 'none', k_score_floor: 0.5 }
    const compiled = await sendFile(site.api, tenant.key, { name: 'names.csv', bytes }, spec)
    expect(compiled.status, compiled.text).to.equal(200)
    id = String(compiled.body.id)
  })

  itInBrowser('are scrolled to when the address names them, wherever they stand', async () => {
    const opened = await site.signIn(tenant)
    const { page } = opened
    // Low enough that each of them is below it.
    await page.setViewportSize({ width: 1200, height: 300 })
    for (const [path, part] of [
      [`artifact/${id}`, 'run-file'],
      [`artifact/${id}`, 'diagnosis'],
      [`artifact/${id}`, 'life'],
      [`artifact/${id}`, 'lineage'],
      [`job/${id}`, 'rows'],
    ]) {
      await page.goto('about:blank')
      await page.goto(`${site.api.url}/#/${path}/${part}`)
      await settled(page)
      await eventually(async () => {
        const place = await page.evaluate(`(() => {
          const { top, bottom } = document.getElementById('${part}').getBoundingClientRect()
          // The browser scrolls by whole pixels.
          return top > -1 && bottom <= innerHeight
        })()`)
        expect(place, part).to.equal(true)
      })
    }
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('that cannot be loaded offer to reload the page', async () => {
    const opened = await site.signIn(tenant)
    const { page } = opened
    const module = '**/console/pages/artifacts/about/evidence.js'
    await page.route(module, async (route) => await route.abort('connectionreset'))
    await page.goto('about:blank')
    await page.goto(`${site.api.url}/#/artifact/${id}`)
    await page.getByRole('alert').getByText('A part of this page could not be loaded.').waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).to.equal(0)
    await page.unroute(module)
    await page.getByRole('button', { name: 'Reload the page' }).click()
    await page.getByRole('heading', { name: 'Lineage' }).waitFor()
    expect(await page.getByRole('alert').count()).to.equal(0)
    await opened.close()
  })

  itInBrowser('run a file as the person chose, and otherwise as the service reads it', async () => {
    const opened = await site.signIn(tenant, `/#/artifact/${id}`)
    const { page } = opened
    let batches = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/v1/run/batch')) batches++
    })
    const choose = async (name: string, rows: readonly string[]) =>
      await page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) })
    // A column without a name: its first row is an input, which a compile would read as a name.
    await choose('bare.csv', ['Ada Lovelace', 'Alan Turing', 'Grace Hopper'])
    await page.getByText('3 answered').waitFor()
    await page.getByText('How the file is read').click()
    await page.getByRole('combobox', { name: 'Delimiter' }).selectOption(';')
    await page.getByRole('button', { name: 'Run it again' }).click()
    await page.getByText('3 answered').waitFor()
    expect(batches).to.equal(2)

    // A large file is not begun while the rows that are shown are those of an earlier choice.
    await choose('many.csv', ['name', ...Array.from({ length: 150 }, (_, i) => `Person ${'abcdefgh'[i % 8]}son`)])
    const start = page.getByRole('button', { name: 'Start the run' })
    await start.waitFor()
    await page.getByText('How the file is read').click()
    let release: (() => void) | undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/v1/compile/preview', async (route) => {
      await released
      await route.continue()
    })
    expect(await start.isDisabled()).to.equal(false)
    await page.getByLabel('The first row holds the names of the columns').uncheck()
    await page.locator('button:disabled', { hasText: 'Start the run' }).waitFor()
    release?.()
    await page.locator('button:enabled', { hasText: 'Start the run' }).waitFor()
    await start.click()
    await page.getByText('151 answered').waitFor()
    expectUntroubled(opened)
    await opened.close()
  })
})
