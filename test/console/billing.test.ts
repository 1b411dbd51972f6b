import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { givenPaying } from '../billing/api/given-paying.ts'
import { textOf } from '../support/stripe/form.ts'
import { useFakeStripe } from '../support/stripe/fake.ts'
import { signedEvent, stripeSettings } from '../support/stripe/objects.ts'
import { findBarriers, takePicture } from '../support/pages/pages.ts'
import { expectUntroubled, itInBrowser, settled, shown, useConsole } from './use-console.ts'

describe('billing in the console', function () {
  this.timeout(300_000)
  const stripe = useFakeStripe()
  const site = useConsole({ settings: () => ({ stripe: stripeSettings(stripe.url) }) })
  const { signIn, givenTenant } = site
  const deliver = async (event: object) => {
    const { payload, header } = signedEvent(event, new Date())
    const headers = { 'stripe-signature': header }
    return await site.api.call('POST', '/v1/webhooks/stripe', { raw: payload, headers })
  }
  const paying = async () => await givenPaying({ api: site.api, stripe, deliver }, 'teams')
  const press = async (page: Page, name: string): Promise<void> =>
    await page.getByRole('button', { name, exact: true }).click()

  itInBrowser('sends the buyer to the payment processor, and says on return how it stands', async () => {
    const opened = await signIn(await givenTenant(), '/#/billing')
    const { page } = opened
    await page.getByText('No invoices yet.').waitFor()
    await page.route('https://checkout.example.test/**', async (route) => {
      await route.fulfill({ contentType: 'text/html', body: '<h1>Checkout</h1>' })
    })
    await press(page, 'Choose Pro')
    await shown(page, 'Checkout')
    expect(page.url()).to.match(/^https:\/\/checkout\.example\.test\/cs_test_/)
    const asked = stripe.calls.findLast(({ path }) => path === '/v1/checkout/sessions')
    const addressOf = (name: string): string => textOf(asked?.form ?? {}, name) ?? ''
    await page.goto(addressOf('cancel_url'))
    await shown(page, 'Billing')
    await page.getByText('Nothing was bought.').waitFor()
    await page.getByText('The plan pro was asked for and is not paid yet.').waitFor()
    await page.goto('about:blank')
    await page.goto(addressOf('success_url'))
    await page.getByText('Thank you. The plan changes').waitFor()
    await opened.close()
  })

  itInBrowser('shows invoices, ends a plan with its period, and takes that back', async () => {
    const tenant = await paying()
    const opened = await signIn(tenant, '/#/billing')
    const { page } = opened
    await page.getByText('Teams, $149 per month').waitFor()
    const invoice = page.getByRole('row', { name: new RegExp(`N-${tenant.invoiceId}`) })
    await invoice.getByText('US$49.00').waitFor()
    expect(await invoice.getByRole('link', { name: /^PDF/ }).getAttribute('href')).to.match(/^https:\/\/pay\.example/)
    expect(await findBarriers(page)).to.deep.equal([])
    await takePicture(page, 'billing-paying-light')
    await press(page, 'Cancel the plan')
    await press(page, 'Keep it')
    await press(page, 'Cancel the plan')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the plan' }).click()
    await page.getByText('Ends', { exact: true }).waitFor()
    const standing = async () =>
      (await site.api.call('GET', '/v1/account/billing', { key: tenant.key })).body.cancel_at_period_end
    expect(await standing()).to.equal(true)
    await press(page, 'Keep the plan')
    await page.getByText('The plan continues.').waitFor()
    await settled(page)
    expect(await standing()).to.equal(false)
    await page.getByLabel('Company').fill('Example Labs')
    await page.getByLabel('Country').fill('DE')
    await press(page, 'Save')
    await page.getByText('The next invoice will have these details.').waitFor()
    await settled(page)
    expect(await page.getByLabel('Company').inputValue()).to.equal('Example Labs')
    await page.getByLabel('Country').fill('XX')
    await press(page, 'Save')
    await page.getByRole('alert').waitFor()
    await press(page, 'Choose Developer')
    await press(page, 'Change to Developer')
    await page.getByText('Developer, free').waitFor()
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('opens the portal of the processor, and says when that is not there', async () => {
    const opened = await signIn(await paying(), '/#/billing')
    const { page } = opened
    stripe.setDown(true)
    await press(page, 'Cards and receipts')
    await page.getByRole('alert').getByText('processor_failed').waitFor()
    stripe.setDown(false)
    await page.route('https://portal.example.test/**', async (route) => {
      await route.fulfill({ contentType: 'text/html', body: '<h1>Portal</h1>' })
    })
    await press(page, 'Cards and receipts')
    await shown(page, 'Portal')
    await opened.close()
  })
})
