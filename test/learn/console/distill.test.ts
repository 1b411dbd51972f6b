import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { writeTinyBase } from '../../support/archives/tiny-bases.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { lookAtPage } from '../../support/pages/look-around.ts'
import { expectSilent, itInBrowser, settled, useConsole } from '../../console/use-console.ts'

describe('distillation in the console', function () {
  this.timeout(120_000)
  const folder = mkdtempSync(join(tmpdir(), 'svc-distill-'))
  const site = useConsole({ baseFolders: [folder] })
  before(async () => await writeTinyBase(folder, 'tiny'))
  after(async () => await rm(folder, { recursive: true }))

  itInBrowser('shows a run as its stages and figures come', async () => {
    const tenant = await site.givenTenant()
    const post = async (path: string, body: object) => {
      const answer = await site.api.call('POST', path, { key: tenant.key, body })
      expect(answer.status, answer.text).to.be.oneOf([201, 202])
      return answer.body
    }
    const items = ['ada', 'bob', 'cleo', 'dora', 'emil', 'finn'].map((name) => ({
      input: `Write the name in capitals: ${name}`,
      output: name.toUpperCase(),
    }))
    await post('/v1/capture/log', { namespace: 'names', items })
    const { run_id: id } = await post('/v1/distill/from-captures', {
      namespace: 'names',
      base_model: 'none',
      k_score_floor: 0.5,
    })
    const opened = await site.signIn(tenant, '/#/distillations')
    const { page } = opened
    await page.getByRole('link', { name: 'names' }).waitFor()
    await lookAtPage(page, 'distillations')
    await page.getByRole('link', { name: 'names' }).click()
    // The page follows the run: nothing is loaded anew.
    await page.getByRole('link', { name: /^cmp_/ }).last().waitFor()
    await eventually(async () => {
      const { body } = await site.api.call('GET', `/v1/distill/runs/${id}`, { key: tenant.key })
      expect(body.run.state).to.equal('completed')
    })
    await page.locator('.facts').getByText('ready', { exact: true }).waitFor()
    await page.getByText('Not checked. The outputs are not categories').waitFor()
    expect(await page.getByRole('list', { name: 'Stages' }).innerText()).to.contain('publish')
    await settled(page)
    await lookAtPage(page, 'distillation')
    // A run that fits an adapter lists what it measured meanwhile.
    await page.route(`**/v1/distill/runs/${id}`, async (route) => {
      const response = await route.fetch()
      const { run, ...rest } = await response.json()
      const look = { accuracy: 0.75, validation_loss: 0.5, is_best: true }
      const checkpoints = [
        { ...look, step: 4 },
        { step: 8, validation_loss: 0.75, accuracy: null, is_best: false },
      ]
      await route.fulfill({ response, json: { ...rest, run: { ...run, checkpoints } } })
    })
    await page.reload()
    await page.getByRole('heading', { name: 'Checkpoints' }).waitFor()
    const looks = page.getByRole('table', { name: 'Measured on rows that the fit sets aside' }).getByRole('row')
    expect(await looks.allInnerTexts()).to.satisfy(([, first = '', second = '']: string[]) => {
      return /4 \(best\)[^]*0\.5[^]*75/.test(first) && /8[^]*0\.75[^]*–/.test(second)
    })
    await settled(page)
    await lookAtPage(page, 'distillation')
    await page.unroute(`**/v1/distill/runs/${id}`)
    // Without a pool of its GPUs a cloud job waits.
    await post('/v1/cloud/distill/submit', { namespace: 'names', gpu_sku: 'A100-80GB', base_model: 'tiny' })
    await page.goto(`${site.api.url}/#/cloud`)
    const row = page.getByRole('row', { name: /names/ })
    await row.waitFor()
    expect(await row.innerText()).to.match(/queued[^]*1x A100-80GB[^]*pool/)
    await settled(page)
    expectSilent(opened)
  })
})
