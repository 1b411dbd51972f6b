import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { mailedInvitation } from '../../support/mail/mailed-tokens.ts'
import { startGithubServer, type GithubServer } from '../../support/identity/github-server.ts'
import { lookAtPage } from '../../support/pages/look-around.ts'
import { takePicture } from '../../support/pages/pages.ts'
import { givenMember, givenPlan, setUpOperation } from '../../support/people/given-members.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { expectUntroubled, itInBrowser, settled, shown, useConsole } from '../use-console.ts'

let people = 0
const newAddress = (): string => `person-${Date.now()}-${people++}@example.test`

describe('the way into the console', function () {
  this.timeout(300_000)
  let github: GithubServer
  before(async () => {
    github = await startGithubServer({ id: 1, login: 'unset', emails: [] })
  })
  after(async () => await github.close())
  const site = useConsole({
    settings: () => ({
      oauth: {
        github: {
          clientId: github.clientId,
          clientSecret: github.clientSecret,
          url: github.url,
          apiUrl: github.apiUrl,
        },
      },
    }),
  })
  const { open, givenTenant } = site

  /** The link of the next mail to an address whose subject holds a word. */
  const mailedLink = async (email: string, word: string): Promise<string> => {
    for (;;) {
      const mail = await site.mails.next(email)
      const link = /http\S+#\w+=[\w-]+/.exec(mail.text ?? '')?.[0]
      if (mail.subject?.toLowerCase().includes(word) && link !== undefined) return link
    }
  }
  const signOut = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Sign out' }).click()
    await shown(page, 'Sign in')
  }

  itInBrowser('signs in and out with the keyboard alone', async () => {
    const tenant = await givenTenant()
    const opened = await open('/#/sign-in')
    const { page } = opened
    const keys = page.keyboard
    const focused = async () =>
      String(await page.evaluate(`document.activeElement?.textContent?.trim() || document.activeElement?.name || ''`))
    const tabTo = async (wanted: string): Promise<void> => {
      for (let presses = 0; presses < 80; presses++) {
        if ((await focused()) === wanted) return
        await keys.press('Tab')
      }
      expect.fail(`no Tab reaches ${wanted}`)
    }
    await shown(page, 'Sign in')
    await keys.press('Tab')
    expect(await focused()).to.equal('Skip to the content')
    await tabTo('api_key')
    await keys.type('ks_000000000000_00000000000000000000000000')
    await keys.press('Enter')
    await page.getByRole('alert').getByText('The API key is not valid.').waitFor()
    await page.getByLabel('API key').fill('')
    await page.getByLabel('API key').focus()
    await keys.type(tenant.key)
    await keys.press('Enter')
    await shown(page, 'Jobs')
    expect(await focused()).to.equal('Jobs')
    await settled(page)
    await page.evaluate('document.activeElement.blur()')
    await tabTo('Settings')
    await keys.press('Enter')
    await shown(page, 'Account')
    await settled(page)
    await tabTo('Audit log')
    await keys.press('Enter')
    await shown(page, 'Audit log')
    await settled(page)
    expect(await page.title()).to.equal('Audit log · svc')
    await tabTo('Verify the chain')
    await keys.press('Space')
    await page.getByText(/The chain is intact: \d+ entries/).waitFor()
    // Nothing that signs in is where a script or a passer-by could read it.
    expect(await page.evaluate('document.cookie + JSON.stringify(localStorage)')).not.to.contain('ks_')
    await page.getByRole('button', { name: 'Sign out' }).focus()
    await keys.press('Enter')
    await shown(page, 'Sign in')
    await page.reload()
    await shown(page, 'Sign in')
    expect(await page.getByText('session has ended').count()).to.equal(0)
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('makes an account, shows its key once, and lets in by mail once the address is verified', async () => {
    const email = newAddress()
    const opened = await open('/#/sign-in')
    const { page } = opened
    await page.locator('input[name=new-email]').fill(email)
    await page.locator('input[name=new-name]').fill('Reading room')
    await page.getByRole('button', { name: 'Create an account' }).click()
    const key = (await page.locator('.secret').textContent()) ?? ''
    expect((await site.api.call('GET', '/v1/account', { key })).body.email).to.equal(email)
    // What is shown once cannot be lost by a wrong key.
    await page.keyboard.press('Escape')
    expect(await page.locator('.secret').isVisible()).to.equal(true)
    await takePicture(page, 'secret-light')
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await shown(page, 'Jobs')
    await page.goto(await mailedLink(email, 'confirm'))
    await page.getByRole('button', { name: 'Go on' }).waitFor()
    await lookAtPage(page, 'confirm')
    await page.getByRole('button', { name: 'Go on' }).click()
    await shown(page, 'Jobs')
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByText('verified', { exact: true }).waitFor()
    await signOut(page)

    // A document of its own: the form of the page before would be replaced while it is filled in.
    await page.goto('about:blank')
    await page.goto(`${site.api.url}/#/usage`)
    await shown(page, 'Sign in')
    await page.locator('input[name=email]').fill(email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Check your mail')
    const link = await mailedLink(email, 'sign-in')
    await page.goto('about:blank')
    await page.goto(link)
    await page.reload()
    await page.getByRole('button', { name: 'Go on' }).click()
    // The page that was asked for before.
    await shown(page, 'Usage')
    expect(page.url()).to.equal(`${site.api.url}/#/usage`)
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('lets in by mail where one is meant, for an address that is in several organisations', async () => {
    const { db } = site.service.database
    const email = newAddress()
    const names: string[] = []
    for (const tenant of [await givenTenant(), await givenTenant(), await givenTenant()]) {
      await givenPlan(db, tenant.id, 'teams')
      await givenMember(setUpOperation(db, tenant.id), { role: 'member', email })
      names.push((await site.api.call('GET', '/v1/account', { key: tenant.key })).body.name)
    }
    const opened = await open('/#/sign-in')
    const { page } = opened
    for (const name of names) {
      await page.locator('input[name=email]').fill(email)
      await page.getByLabel('Organisation', { exact: true }).fill(name)
      await page.getByRole('button', { name: 'Send the link' }).click()
      await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
      await page.goto('about:blank')
      await page.goto(await mailedLink(email, 'sign-in'))
      await page.getByRole('button', { name: 'Go on' }).click()
      await page.getByText(name).first().waitFor()
      await signOut(page)
    }
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('gives a new key by mail to a person who lost theirs', async () => {
    const email = newAddress()
    const before = await site.api.call('POST', '/v1/signup', { body: { email } })
    const opened = await open('/#/sign-in')
    const { page } = opened
    await page.getByLabel('I have lost my key').check()
    await page.getByText('ends all other keys and sessions').waitFor()
    await page.locator('input[name=email]').fill(email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
    await page.goto('about:blank')
    await page.goto(await mailedLink(email, 'key'))
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('dialog').getByText(/^ks_/).waitFor()
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await shown(page, 'Jobs')
    expect((await site.api.call('GET', '/v1/account', { key: before.body.api_key })).status).to.equal(401)
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('offers the providers that are configured, and comes back from them to where one was', async () => {
    const email = newAddress()
    github.person = { id: 4711, login: 'ada', emails: [{ email, primary: true, verified: true }] }
    const opened = await open('/#/keys')
    const { page } = opened
    await page.getByRole('link', { name: 'Continue with GitHub' }).waitFor()
    expect(await page.getByRole('link', { name: /Google/ }).count()).to.equal(0)
    await takePicture(page, 'sign-in-providers-light')
    await page.getByRole('link', { name: 'Continue with GitHub' }).click()
    await shown(page, 'Keys')
    expect(page.url()).to.equal(`${site.api.url}/#/keys`)
    // Such an account has no key yet: the page says so, and creates the first one.
    await page.getByText('No primary key').waitFor()
    await page.getByRole('button', { name: 'Create one' }).click()
    await page.getByRole('button', { name: 'Create the key' }).click()
    const key = (await page.locator('.secret').textContent()) ?? ''
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByRole('button', { name: 'Rotate' }).waitFor()
    expect((await site.api.call('GET', '/v1/account', { key })).body.email).to.equal(email)
    await opened.close()

    github.person = { id: 4712, login: 'eve', emails: [{ email: newAddress(), primary: true, verified: false }] }
    const refused = await open('/#/sign-in')
    await refused.page.getByRole('link', { name: 'Continue with GitHub' }).click()
    await refused.page.getByRole('alert').getByText('The provider has not verified your address.').waitFor()
    expect(refused.page.url()).to.equal(`${site.api.url}/`)
    await refused.close()
  })

  itInBrowser('goes to the sign-in of an organisation, and says when there is none', async () => {
    const opened = await open('/#/people')
    const { page } = opened
    await shown(page, 'Sign in')
    await page.getByLabel('API key').waitFor()
    // Offered once an organisation has one.
    expect(await page.getByText('Single sign-on of an organisation').count()).to.equal(0)
    await sendSql(
      site.service.database.db,
      `insert into sso_configs (tenant_id, provider, is_enabled, domains, idp_certs, default_role, is_jit, group_roles,
         is_scim_enabled, created_at, updated_at)
       values ($1, 'okta', true, '[]', '[]', 'member', true, '{}', false, now(), now())`,
      [(await givenTenant()).id],
    )
    await page.reload()
    await page.getByText('Single sign-on of an organisation').click()
    const asked = page.waitForRequest(/\/v1\/sso\//)
    await page.getByLabel('Name of your organisation').fill('unknown here')
    await page.getByRole('button', { name: 'Go to its sign-in' }).click()
    expect(new URL((await asked).url()).pathname).to.equal('/v1/sso/unknown%20here/start')
    await page.getByRole('alert').getByText('No organisation has that name.').waitFor()
    expect(page.url()).to.equal(`${site.api.url}/`)
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('says what an invitation is to, and accepting signs in there', async () => {
    const tenant = await givenTenant()
    await givenPlan(site.service.database.db, tenant.id, 'teams')
    const email = newAddress()
    const invited = await site.api.call('POST', `/v1/orgs/${tenant.id}/invites`, {
      key: tenant.key,
      body: { email, role: 'viewer' },
    })
    expect(invited.status, invited.text).to.equal(201)
    const token = await mailedInvitation(site.service.database.db, email)
    const opened = await open(`/#invitation=${token}`)
    const { page } = opened
    await page.getByText(email).waitFor()
    await page.getByText('viewer').waitFor()
    await lookAtPage(page, 'invitation')
    await page.getByRole('button', { name: 'Accept the invitation' }).click()
    await shown(page, 'Jobs')
    // One who looks on is offered what one may look at.
    const offered = async () =>
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents()
    expect(await offered()).to.include.members(['Jobs', 'Artifacts'])
    expect(await page.getByRole('link', { name: 'New compile' }).count()).to.equal(0)
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Settings' }).click()
    await shown(page, 'Account')
    const settings = await offered()
    expect(settings).to.include('People').and.not.include('Keys')
    expect(settings).not.to.include('Audit log')
    await page.goto('about:blank')
    await page.goto(`${site.api.url}/#invitation=${token}`)
    await page.getByRole('alert').waitFor()
    expectUntroubled(opened)
    await opened.close()
  })
})
