import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { findBarriers, takePicture } from '../support/pages/pages.ts'
import { expectUntroubled, itInBrowser, shown, useConsole } from './use-console.ts'

describe('keys in the console', function () {
  this.timeout(300_000)
  const site = useConsole()
  const { signIn, givenTenant } = site
  const press = async (page: Page, name: string): Promise<void> =>
    await page.getByRole('button', { name, exact: true }).click()

  itInBrowser('mints a key, shows it once, and revokes it', async () => {
    const opened = await signIn(await givenTenant(), '/#/keys')
    const { page } = opened
    await press(page, 'New key')
    await page.getByLabel('Label').fill('reader')
    await page.getByLabel('Single scopes').check()
    await page.getByLabel('account:read').check()
    expect(await findBarriers(page)).to.deep.equal([])
    await takePicture(page, 'dialog-key-light')
    await press(page, 'Create the key')
    const secret = (await page.locator('.secret').textContent()) ?? ''
    const status = async (path: string) => (await site.api.call('GET', path, { key: secret })).status
    expect([await status('/v1/account'), await status('/v1/compile')]).to.deep.equal([200, 403])
    await press(page, 'I have kept it')
    await page.getByRole('cell', { name: 'reader', exact: true }).waitFor()
    // Back where it began, and the secret is gone from the page.
    expect(await page.evaluate('document.activeElement.id')).to.equal('mint')
    expect(await page.content()).not.to.contain(secret)
    await press(page, 'New key')
    await page.getByLabel('Label').fill('builds')
    await page.getByLabel('CI Compile').check()
    await press(page, 'Create the key')
    await press(page, 'I have kept it')
    await page
      .getByRole('row', { name: /builds/ })
      .getByRole('cell', { name: 'CI', exact: true })
      .waitFor()
    await press(page, 'Revoke reader')
    await press(page, 'Cancel')
    await press(page, 'Revoke reader')
    await press(page, 'Revoke the key')
    await page.getByText('revoked', { exact: true }).waitFor()
    expect(await status('/v1/account')).to.equal(401)
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('rotates the primary key, and loses the new one in no way', async () => {
    const tenant = await givenTenant()
    const opened = await signIn(tenant, '/#/keys')
    const { page } = opened
    // The answer takes a while, and the waiting person presses Escape.
    const answer = Promise.withResolvers<void>()
    await page.route('**/v1/account/rotate-key', async (route) => {
      await answer.promise
      await route.continue()
    })
    await press(page, 'Rotate')
    await press(page, 'Rotate the key')
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape')
    answer.resolve()
    const key = (await page.locator('.secret').textContent()) ?? ''
    expect((await site.api.call('GET', '/v1/account', { key })).status).to.equal(200)
    expect((await site.api.call('GET', '/v1/account', { key: tenant.key })).status).to.equal(401)
    await press(page, 'I have kept it')
    // This session continues after the new key.
    await page.reload()
    await shown(page, 'Keys')
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('reads long lists of keys to their end', async () => {
    const tenant = await givenTenant()
    for (let count = 0; count < 30; count++) {
      const body = { scopes: ['account:read'], label: `key ${count}` }
      await site.api.call('POST', '/v1/account/scoped-keys', { key: tenant.key, body })
    }
    const opened = await signIn(tenant, '/#/keys')
    const { page } = opened
    const revocations = page.getByRole('button', { name: /^Revoke key/ })
    expect(await revocations.count()).to.equal(25)
    await press(page, 'Show more')
    await page.getByText('5 more are shown.').waitFor()
    expect(await revocations.count()).to.equal(30)
    await opened.close()
  })

  itInBrowser('says what the browser does not let it do', async () => {
    const opened = await signIn(await givenTenant(), '/#/keys')
    const { page } = opened
    // Over plain http, pages of other machines have no clipboard.
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
    await press(page, 'Rotate')
    await press(page, 'Rotate the key')
    await press(page, 'Copy')
    await page.getByText('The browser does not let this page copy').waitFor()
    expectUntroubled(opened)
    await opened.close()
  })
})
