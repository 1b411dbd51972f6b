import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { findBarriers, takePicture } from '../support/pages/pages.ts'
import { givenMember, givenPlan, setUpOperation } from '../support/people/given-members.ts'
import { expectUntroubled, itInBrowser, settled, shown, useConsole } from './use-console.ts'
import { sendSql } from '../support/db/send-sql.ts'

describe('people in the console', function () {
  this.timeout(300_000)
  const site = useConsole()
  const { signIn, givenTenant } = site
  const press = async (page: Page, name: string): Promise<void> =>
    await page.getByRole('button', { name, exact: true }).click()
  const givenOrg = async () => {
    const tenant = await givenTenant()
    await givenPlan(site.service.database.db, tenant.id, 'teams')
    return { tenant, op: setUpOperation(site.service.database.db, tenant.id) }
  }

  itInBrowser('invites a person by mail, and takes an invitation back', async () => {
    const { tenant } = await givenOrg()
    const opened = await signIn(tenant, '/#/people')
    const { page } = opened
    await page.getByText('1 of 5 seats are taken').waitFor()
    const invite = async (email: string): Promise<void> => {
      await press(page, 'Invite')
      await page.getByLabel('E-mail').fill(email)
      await page.getByLabel('Role').selectOption('admin')
      await press(page, 'Send the invitation')
      await page.getByRole('cell', { name: email, exact: true }).waitFor()
    }
    await invite('first@people.test')
    await invite('second@people.test')
    const mail = await site.mails.next('first@people.test')
    expect(mail.text).to.match(/#invitation=/)
    await page.getByText('3 of 5 seats are taken').waitFor()
    await takePicture(page, 'people-light')
    expect(await findBarriers(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Revoke second@people.test' }).click()
    await press(page, 'Revoke it')
    await page.getByText('2 of 5 seats are taken').waitFor()
    // What the service refuses is said in the dialog.
    await press(page, 'Invite')
    await page.getByLabel('E-mail').fill('first@people.test')
    await press(page, 'Send the invitation')
    await page.getByRole('dialog').getByRole('alert').waitFor()
    // The new name shows on the page and in the frame.
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    const name = `labs-${tenant.id.slice(-8)}`
    await press(page, 'Rename')
    await page.getByRole('textbox', { name: 'Name' }).fill('No Name')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.getByText('Name: must have 3 to 63 lower-case letters').waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('heading', { name }).waitFor()
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('changes roles, removes members and hands the organisation over', async () => {
    const { tenant, op } = await givenOrg()
    const ada = await givenMember(op, { role: 'member', email: 'ada@people.test' })
    await givenMember(op, { role: 'viewer', email: 'eve@people.test' })
    const opened = await signIn(tenant, '/#/people')
    const { page } = opened
    await page.getByRole('button', { name: 'Role of ada@people.test' }).click()
    await page.getByRole('dialog').getByLabel('Role').selectOption('admin')
    await press(page, 'Change the role')
    await page
      .getByRole('row', { name: /ada@people.test/ })
      .getByText('admin')
      .waitFor()
    await page.getByRole('button', { name: 'Remove of eve@people.test' }).click()
    await press(page, 'Remove the member')
    await page
      .getByRole('row', { name: /eve@people.test/ })
      .getByText('deactivated')
      .waitFor()
    await press(page, 'Transfer the organisation')
    await page.getByLabel('New owner', { exact: true }).selectOption(ada.id)
    await press(page, 'Transfer it')
    // The primary key is gone, and with it the session that it opened.
    await page.getByRole('alert').getByText('Your session has ended').waitFor()
    const [row] = await sendSql<{ role: string }>(op.db, 'select role from members where id = $1', [ada.id])
    expect(row?.role).to.equal('owner')
    await opened.close()
  })

  itInBrowser('makes a team, changes who is in it, and removes it', async () => {
    const { tenant, op } = await givenOrg()
    await givenMember(op, { role: 'member', email: 'tim@people.test' })
    const opened = await signIn(tenant, '/#/people')
    const { page } = opened
    await press(page, 'New team')
    await page.getByLabel('Name').fill('Research')
    await press(page, 'Create the team')
    await shown(page, 'Team')
    await press(page, 'Invite')
    await page.getByLabel('E-mail').fill('tim@people.test')
    await press(page, 'Send the invitation')
    await page.getByText('was already a member and has joined').waitFor()
    await page.getByRole('button', { name: 'Role of tim@people.test' }).click()
    await page.getByRole('dialog').getByLabel('Role').selectOption('viewer')
    await press(page, 'Change the role')
    await page
      .getByRole('row', { name: /tim@people.test/ })
      .getByText('viewer')
      .waitFor()
    expect(await findBarriers(page)).to.deep.equal([])
    await takePicture(page, 'team-light')
    await press(page, 'Rename')
    await page.getByRole('textbox', { name: 'Name' }).fill('Field work')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.locator('.lead', { hasText: 'Field work' }).waitFor()
    await page.getByRole('button', { name: 'Remove of tim@people.test' }).click()
    await press(page, 'Remove from the team')
    await page.getByRole('row', { name: /tim@people.test/ }).waitFor({ state: 'detached' })
    await press(page, 'Remove the team')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the team' }).click()
    await shown(page, 'People')
    await page.getByText('No teams.').waitFor()
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('says what a plan without teams lacks', async () => {
    const opened = await signIn(await givenTenant(), '/#/people')
    const { page } = opened
    await settled(page)
    await press(page, 'New team')
    await page.getByLabel('Name').fill('Research')
    await press(page, 'Create the team')
    await page.getByRole('dialog').getByRole('alert').getByText('plan_upgrade_required').waitFor()
    expectUntroubled(opened)
    await opened.close()
  })
})
