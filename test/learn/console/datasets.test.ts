import { expect } from 'chai'
import type { ApiTenant } from '../../support/api.ts'
import { lookAtPage } from '../../support/pages/look-around.ts'
import { expectSilent, itInBrowser, settled, useConsole } from '../../console/use-console.ts'

describe('datasets in the console', function () {
  this.timeout(300_000)
  const site = useConsole()
  let tenant: ApiTenant
  before(async () => {
    tenant = await site.givenTenant()
  })

  itInBrowser('are listed, and show quality, rows and versions', async () => {
    const rows = Array.from({ length: 30 }, (_, at) => ({
      prompt: `${at % 2 === 0 ? 'invoice amount' : 'parcel street'} case ${at}`,
      completion: at % 2 === 0 ? 'billing' : 'shipping',
    }))
    const body = { namespace: 'support', name: 'tickets', rows }
    const made = await site.api.call('POST', '/v1/datasets', { key: tenant.key, body })
    expect(made.status, made.text).to.equal(201)
    const opened = await site.signIn(tenant, '/#/datasets')
    const { page } = opened
    await page.getByRole('link', { name: 'tickets' }).click()
    await page.getByRole('heading', { name: 'Quality' }).waitFor()
    await settled(page)
    await page.getByRole('table', { name: 'Rows by label' }).getByRole('cell', { name: 'billing' }).waitFor()
    const listed = page.getByRole('table', { name: 'Rows of version 1' })
    expect(await listed.getByRole('row').count()).to.equal(31)
    await page.getByRole('table', { name: 'Versions, newest first' }).getByRole('link', { name: '1' }).click()
    await page.waitForURL(/#\/dataset\/ds_\w+\/1$/)
    await page.getByRole('table', { name: 'Rows of version 1' }).waitFor()
    await settled(page)
    await lookAtPage(page, 'dataset')
    expectSilent(opened)
    await opened.close()
  })
})
