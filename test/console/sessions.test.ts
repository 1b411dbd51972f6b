import { expect } from 'chai'
import { ADMIN_KEY, type ApiTenant } from '../support/api.ts'
import { takePicture } from '../support/pages/pages.ts'
import { givenMember, givenPlan, givenSession, setUpOperation } from '../support/people/given-members.ts'
import { eventually } from '../support/wire/eventually.ts'
import { expectUntroubled, itInBrowser, settled, shown, useConsole } from './use-console.ts'

/** The heading of the page for people without a session. */
const FRONT = 'Show a few rows, fill in the rest'

describe('sessions in the console', function () {
  this.timeout(300_000)
  const site = useConsole()
  const { open, signIn, givenTenant } = site

  itInBrowser('says that a session has ended, whatever the page was doing, and goes on where it was', async () => {
    const tenant = await givenTenant()
    const opened = await signIn(tenant, '/#/keys')
    const { page } = opened
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Label').fill('late')
    const sessions = await site.api.call('GET', '/v1/account/sessions', { key: tenant.key })
    for (const { id } of sessions.body.sessions) {
      await site.api.call('DELETE', `/v1/account/sessions/${id}`, { key: tenant.key })
    }
    await page.getByLabel('Single scopes').check()
    await page.getByLabel('account:read').check()
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByRole('alert').getByText('Your session has ended').waitFor()
    await shown(page, 'Sign in')
    expect(await page.getByRole('dialog').count()).to.equal(0)
    await takePicture(page, 'session-ended-light')
    // Its cookie is still there when the page is opened again.
    await page.reload()
    await page.getByRole('alert').getByText('Your session has ended').waitFor()
    await page.getByLabel('API key').fill(tenant.key)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await shown(page, 'Keys')
    // A page that was being read then is busy no more.
    await settled(page)
    await page.context().clearCookies()
    await page.getByRole('link', { name: 'Usage' }).click()
    await shown(page, 'Sign in')
    expect(await page.locator('main[aria-busy]').count()).to.equal(0)
    await opened.close()
  })

  itInBrowser('shows one account at a time, however many tabs there are', async () => {
    const [first, second] = [await givenTenant(), await givenTenant()]
    const nameOf = async ({ key }: ApiTenant) => (await site.api.call('GET', '/v1/account', { key })).body.name
    const opened = await signIn(first, '/#/account')
    const { page } = opened
    await page
      .getByText(await nameOf(first))
      .first()
      .waitFor()
    const tab = await page.context().newPage()
    await tab.goto(site.api.url)
    await tab.getByRole('button', { name: 'Sign out' }).click()
    await tab.getByLabel('API key').fill(second.key)
    await tab.getByRole('button', { name: 'Sign in', exact: true }).click()
    await shown(tab, 'Jobs')
    const comeBack = async () => await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await comeBack()
    await page
      .locator('.facts')
      .getByText(await nameOf(second))
      .waitFor()
    await tab.getByRole('button', { name: 'Sign out' }).click()
    await shown(tab, 'Sign in')
    await comeBack()
    await page.getByRole('alert').getByText('Your session has ended').waitFor()
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('shows who is signed in, also after another person of the organisation did', async () => {
    const tenant = await givenTenant()
    const { db } = site.service.database
    await givenPlan(db, tenant.id, 'teams')
    const member = await givenMember(setUpOperation(db, tenant.id), { role: 'viewer' })
    const opened = await signIn(tenant, '/#/people')
    const { page } = opened
    await page.getByRole('link', { name: 'Keys' }).waitFor()
    const [name = '', value = ''] = (await givenSession(db, member)).headers.cookie.split('=')
    await page.context().clearCookies()
    await page.context().addCookies([{ name, value, url: site.api.url }])
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await page.getByRole('link', { name: 'Keys' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'People', exact: true }).waitFor()
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('lets a narrow key see what it may, and leave again', async () => {
    const tenant = await givenTenant()
    const minted = await site.api.call('POST', '/v1/account/scoped-keys', {
      key: tenant.key,
      body: { scopes: ['compile:read'], label: 'narrow' },
    })
    const opened = await signIn({ ...tenant, key: minted.body.api_key })
    const { page } = opened
    await page.getByText('No jobs yet').waitFor()
    await page.goto(`${site.api.url}/#/keys`)
    await page.getByRole('alert').getByText('lacks the scope account:keys:read').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await shown(page, 'Sign in')
    await opened.close()
  })

  itInBrowser('shows a page for every address, however it is written', async () => {
    const opened = await signIn(await givenTenant())
    const { page } = opened
    for (const address of ['#/constructor', '#/__proto__', '#/nothing', '#nothing', '#/jobs/%']) {
      await page.goto('about:blank')
      await page.goto(`${site.api.url}/${address}`)
      await shown(page, 'Jobs')
      await settled(page)
    }
    await page.goto(`${site.api.url}/#/job/%`)
    await page.getByRole('alert').waitFor()
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('works in a browser that keeps nothing for pages', async () => {
    const opened = await open()
    const { page } = opened
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, 'localStorage', {
        get() {
          throw new DOMException('denied', 'SecurityError')
        },
      })
    })
    await page.reload()
    await shown(page, FRONT)
    await page.getByRole('button', { name: 'Theme: system' }).click()
    await page.getByRole('button', { name: 'Theme: light' }).waitFor()
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('reports uncaught errors of its pages to the service, each once', async () => {
    const opened = await open()
    await shown(opened.page, FRONT)
    await opened.page.evaluate(`for (let i = 0; i < 3; i++) setTimeout(() => { throw new Error('the page broke') })
      void Promise.reject(new TypeError('a promise broke'))`)
    await eventually(async () => {
      const { body } = await site.api.call('GET', '/v1/admin/client-errors', { headers: { 'x-admin-key': ADMIN_KEY } })
      const reports = body.errors.map(({ message, path }: { message: string; path: string }) => [message, path])
      expect(reports).to.deep.include(['Uncaught Error: the page broke', '/'])
      expect(reports).to.deep.include(['TypeError: a promise broke', '/'])
    })
    await opened.close()
  })
})
