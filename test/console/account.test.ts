import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { ApiTenant } from '../support/api.ts'
import { findBarriers, takePicture } from '../support/pages/pages.ts'
import { findOwner, givenMember, givenPlan, givenSession, setUpOperation } from '../support/people/given-members.ts'
import { nameExamples } from '../support/workflows/service.ts'
import { expectUntroubled, itInBrowser, settled, shown, useConsole } from './use-console.ts'

describe('the account in the console', function () {
  this.timeout(300_000)
  const site = useConsole()
  const { signIn, givenTenant } = site
  const read = async (tenant: ApiTenant, path: string) => (await site.api.call('GET', path, { key: tenant.key })).body
  const press = async (page: Page, name: string): Promise<void> =>
    await page.getByRole('button', { name, exact: true }).click()

  itInBrowser('says whose sessions there are, and ends one', async () => {
    const { db } = site.service.database
    const tenant = await givenTenant()
    await givenPlan(db, tenant.id, 'teams')
    const op = setUpOperation(db, tenant.id)
    const member = await givenMember(op, { role: 'member' })
    const other = await givenSession(db, member)
    const opened = await signIn(tenant, '/#/account')
    const { page } = opened
    await page.getByRole('link', { name: 'Sessions' }).click()
    await shown(page, 'Sessions')
    await page.getByRole('cell', { name: member.email }).waitFor()
    await page.getByRole('cell', { name: (await findOwner(op)).email }).waitFor()
    expect(await page.getByText('this one').count()).to.equal(1)
    expect(await findBarriers(page)).to.deep.equal([])
    await page.getByRole('button', { name: /^End the session of/ }).click()
    await press(page, 'End the session')
    await page.getByRole('cell', { name: member.email }).waitFor({ state: 'detached' })
    const call = await site.api.call('GET', '/v1/account', { headers: other.headers })
    expect([call.status, call.body.code]).to.deep.equal([401, 'session_expired'])
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('writes times and numbers as the reader does, and says of which zone they are', async () => {
    const tenant = await givenTenant()
    const opened = await signIn(tenant, '/#/usage', { locale: 'de-DE', timeZone: 'Asia/Tokyo' })
    const { page } = opened
    await page.getByText('10.000 units').first().waitFor()
    await page.getByText('Times are in Asia/Tokyo.').waitFor()
    await page.goto(`${site.api.url}/#/account`)
    await page.getByLabel('Time zone').fill('America/New_York')
    await page.getByLabel('Language').fill('en-GB')
    await page.getByLabel('Rotate keys every').fill('30')
    await press(page, 'Save the settings')
    await page.getByText('The settings are saved.').waitFor()
    await page.getByText('Times are in America/New_York.').waitFor()
    const { settings } = await read(tenant, '/v1/account/settings')
    expect(settings).to.include({ timezone: 'America/New_York', locale: 'en-GB', key_rotation_warning_days: 30 })
    await page.getByLabel('Time zone').fill('Mars/Olympus')
    await press(page, 'Save the settings')
    await page.getByRole('alert').getByText('must be a time zone').waitFor()
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('shows the audit log since a day of the reader, typed by keyboard', async () => {
    const tenant = await givenTenant()
    const opened = await signIn(tenant, '/#/audit', { timeZone: 'Asia/Tokyo' })
    const { page } = opened
    const asked = page.waitForRequest(/since=/)
    await page.getByLabel('Since').focus()
    await page.keyboard.type('03152026')
    // Typing alone changes nothing: a date is one after its first digit already.
    expect(await page.evaluate('location.hash')).to.equal('#/audit')
    await page.keyboard.press('Enter')
    expect(new URL((await asked).url()).searchParams.get('since')).to.equal('2026-03-14T15:00:00.000Z')
    await page.getByText('tenant.created').first().waitFor()
    await page.getByText(', from a browser').or(page.getByText('primary key ks_')).first().waitFor()
    expect(await page.evaluate('document.activeElement.id')).to.equal('since')
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download as CSV' }).click()
    expect((await download).suggestedFilename()).to.equal('audit-log.csv')
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('keeps the focus on the month that the keyboard walks through', async () => {
    const opened = await signIn(await givenTenant(), '/#/usage')
    const { page } = opened
    const months = page.getByLabel('Month')
    await months.focus()
    const before = await months.inputValue()
    await page.keyboard.press('ArrowDown')
    await page.waitForURL(/#\/usage\/\d{4}-\d\d$/)
    await settled(page)
    expect(await page.evaluate('document.activeElement.id')).to.equal('period')
    expect(await months.inputValue()).not.to.equal(before)
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('says of the month that runs when it ends, whether it was chosen or not', async () => {
    const opened = await signIn(await givenTenant(), '/#/usage')
    const { page } = opened
    const end = page.getByText('Your quota resets on')
    await end.waitFor()
    const monthAt = async (place: number): Promise<string> =>
      (await page.locator('#period option').nth(place).getAttribute('value')) ?? ''
    for (const [month, isRunning] of [
      [await monthAt(1), 0],
      [await monthAt(0), 1],
    ] as const) {
      await page.getByLabel('Month').selectOption(month)
      await page.waitForURL(`**/#/usage/${month}`)
      await settled(page)
      expect([await page.getByLabel('Month').inputValue(), await end.count()]).to.deep.equal([month, isRunning])
    }
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('leaves the page that is shown alone when another, which was left, is done', async () => {
    const opened = await signIn(await givenTenant(), '/#/keys')
    const { page } = opened
    /** Leaves a page for the next one while its call waits, types there, and lets the call continue. */
    const leaveFor = async (next: string, path: string, begin: () => Promise<void>): Promise<void> => {
      const held = Promise.withResolvers<void>()
      const reached = Promise.withResolvers<void>()
      await page.route(path, async (route) => {
        reached.resolve()
        await held.promise
        await route.continue()
      })
      await begin()
      await reached.promise
      await page.goto(`${site.api.url}/#/${next}`)
      await settled(page)
      const typed = next === 'compile' ? page.getByLabel('Task') : page.getByLabel('Default namespace')
      await typed.fill('typed elsewhere')
      const answered = page.waitForResponse(path)
      held.resolve()
      await (await answered).finished()
      // Whatever it does now would show soon.
      await page.waitForTimeout(1000)
      expect(await typed.inputValue(), path).to.equal('typed elsewhere')
      expect(page.url(), path).to.equal(`${site.api.url}/#/${next}`)
      expect(await page.getByRole('dialog').count(), path).to.equal(0)
      await page.unroute(path)
    }
    await leaveFor('account', '**/v1/scopes', async () => await press(page, 'New key'))
    await leaveFor('compile', '**/v1/account/settings', async () => {
      await page.getByLabel('Default namespace').fill('other')
      await page.getByLabel('Language').fill('de-DE')
      await press(page, 'Save the settings')
    })
    await leaveFor('account', '**/v1/compile', async () => {
      await page.getByLabel('Task').fill('Write the family name first')
      await page.getByLabel('Examples').fill(
        nameExamples()
          .map((row) => JSON.stringify(row))
          .join('\n'),
      )
      await press(page, 'Start the compile')
    })
    // What was written there shows in the next page.
    await page.goto(`${site.api.url}/#/usage`)
    await page.getByText('10.000 units').first().waitFor()
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('does once what is clicked twice', async () => {
    const opened = await signIn(await givenTenant(), '/#/keys')
    const { page } = opened
    await page.evaluate(`for (const click of [1, 2]) document.getElementById('mint').click()`)
    await page.getByRole('dialog').first().waitFor()
    await settled(page)
    expect(opened.requests.filter((url) => url.endsWith('/v1/scopes'))).to.have.length(1)
    await press(page, 'Cancel')
    expect(await page.getByRole('dialog').count()).to.equal(0)
    await press(page, 'New key')
    await page.getByRole('dialog').waitFor()
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('makes an account of an anonymous workspace', async () => {
    const { body } = await site.api.call('POST', '/v1/anon/bootstrap', { body: {} })
    const opened = await signIn({ id: body.tenant_id, key: body.anon_token }, '/#/account')
    const { page } = opened
    await page.getByText('Kept until', { exact: true }).waitFor()
    expect(await findBarriers(page)).to.deep.equal([])
    await takePicture(page, 'claim-light')
    await page.getByLabel('E-mail', { exact: true }).fill(`claimed-${Date.now()}@example.test`)
    await press(page, 'Make it an account')
    const key = (await page.locator('.secret').textContent()) ?? ''
    await press(page, 'I have kept it')
    await page.getByText('Kept until', { exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Verify' }).waitFor()
    expect(await read({ id: '', key }, '/v1/account')).to.include({ id: body.tenant_id, kind: 'user' })
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('makes an account of a workspace though the answer is lost', async () => {
    const { body } = await site.api.call('POST', '/v1/anon/bootstrap', { body: {} })
    const opened = await signIn({ id: body.tenant_id, key: body.anon_token }, '/#/account')
    const { page } = opened
    await page.route('**/v1/anon/claim', async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    await page.getByLabel('E-mail', { exact: true }).fill(`lost-${Date.now()}@example.test`)
    await press(page, 'Make it an account')
    await page.getByText('The answer with its key was lost').waitFor()
    await page.getByText('Kept until', { exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Verify' }).waitFor()
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('deletes the account when its name is typed', async () => {
    const tenant = await givenTenant()
    const { name } = await read(tenant, '/v1/account')
    const opened = await signIn(tenant, '/#/account')
    const { page } = opened
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete the account' })
    await press(page, 'Delete the account')
    await page.getByLabel(`Type DELETE ${name}`).fill('DELETE')
    await remove.click()
    await page.getByRole('alert').getByText('Confirm must be exactly DELETE').waitFor()
    await takePicture(page, 'dialog-delete-light')
    await page.getByLabel(`Type DELETE ${name}`).fill(`DELETE ${name}`)
    await remove.click()
    await shown(page, 'Sign in')
    expect((await site.api.call('GET', '/v1/account', { key: tenant.key })).status).to.equal(401)
    expectUntroubled(opened)
    await opened.close()
  })
})
