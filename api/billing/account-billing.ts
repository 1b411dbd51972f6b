import type { z } from 'zod'
import type { TaxFields } from '../../core/billing/tax.ts'
import { KERNEL_ERRORS } from '../../core/kernel/errors.ts'
import { PLANS } from '../../core/kernel/tenant/plans.ts'
import { findBillingAccount, openDunnings, runningSubscriptions } from '../../db/billing/account/find-account.ts'
import { listInvoices } from '../../db/billing/invoices/list-invoices.ts'
import { updateTax } from '../../db/billing/account/update-tax.ts'
import { quotaOf } from '../../core/kernel/tenant/quota-of.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { presentInvoice } from './invoices.ts'
import { shopOf } from './shop.ts'
import {
  GetBillingAnswer,
  OpenBillingPortalAnswer,
  type TaxView,
  UpdateBillingAnswer,
  UpdateBillingBody,
} from '../../core/billing/wire/account-billing.ts'
import { BILLING_ERRORS } from '../../core/billing/errors.ts'
import { defineRoute } from './services.ts'

function presentTax(tax: TaxFields): z.input<typeof TaxView> {
  return {
    vat_number: tax.vatNumber,
    tax_id: tax.taxId,
    company_name: tax.companyName,
    country_code: tax.countryCode,
  }
}

const REFUSED = 'the payment processor takes the VAT number for wrong: it stands on no invoice'

export const getBillingRoute = defineRoute({
  method: 'get',
  path: '/v1/account/billing',
  operationId: 'getBilling',
  group: 'accounts',
  summary: 'Show plan, period, credit, tax fields, invoices and dunning',
  auth: 'key',
  scope: 'billing:read',
  namespace: 'refused',
  answers: {
    200: envelope('How the tenant stands with its payments', GetBillingAnswer),
  },
}).handle(async ({ services, op }) => {
  const [account, subscriptions, invoices, dunnings] = await Promise.all([
    findBillingAccount(op),
    runningSubscriptions(op),
    listInvoices(op, { limit: 50 }),
    openDunnings(op),
  ])
  const { plan } = account
  const own = subscriptions.find((subscription) => subscription.plan === plan) ?? subscriptions[0]
  return {
    status: 200,
    body: {
      tenant_id: op.tenantId,
      email: account.email,
      plan: {
        id: plan,
        label: PLANS[plan].label,
        price_label: PLANS[plan].priceUsdMonth === 0 ? 'free' : `$${PLANS[plan].priceUsdMonth} per month`,
        quota: quotaOf({ plan, quota: account.quotaOverride }, services.limits),
        seats: PLANS[plan].seats,
      },
      billing_status: account.billingStatus,
      pending_plan: account.pendingPlan,
      granted_plan: account.grantedPlan,
      current_period_end: own?.currentPeriodEnd?.toISOString() ?? null,
      cancel_at_period_end: (own?.endsAt ?? null) !== null,
      credit_balance_cents: account.creditBalanceCents,
      tax: { ...presentTax(account), note: account.isTaxRefused ? REFUSED : null },
      portal_available: shopOf(services).processor !== null && account.customerId !== null,
      packages: [],
      subscriptions: subscriptions.map((subscription) => ({
        id: subscription.id,
        plan: subscription.plan,
        status: subscription.status,
        current_period_end: subscription.currentPeriodEnd?.toISOString() ?? null,
        ends_at: subscription.endsAt?.toISOString() ?? null,
      })),
      invoices: invoices.items.map(presentInvoice),
      dunning: dunnings.map((dunning) => ({
        id: dunning.id,
        attempt: dunning.attempt,
        status: dunning.state,
        next_step_at: dunning.nextStepAt?.toISOString() ?? null,
        subscription_id: dunning.subscriptionId,
        invoice_id: dunning.invoiceId,
      })),
    },
  }
})

export const updateBillingRoute = defineRoute({
  method: 'patch',
  path: '/v1/account/billing',
  operationId: 'updateBilling',
  group: 'accounts',
  summary: 'Set the tax fields',
  description: 'Absent fields keep their values. The payment processor uses the fields for the next invoice.',
  auth: 'key',
  scope: 'billing:write',
  namespace: 'refused',
  stores: 'bounded',
  body: UpdateBillingBody,
  answers: { 200: envelope('The fields as they are now', UpdateBillingAnswer) },
  errors: ['no_fields'],
}).handle(async ({ op, body }) => {
  const tax = await updateTax(op, {
    vatNumber: body.vat_number,
    taxId: body.tax_id,
    companyName: body.company_name,
    countryCode: body.country_code === undefined ? body.tax_country : body.country_code,
  })
  return { status: 200, body: { tax: presentTax(tax) } }
})

export const openPortalRoute = defineRoute({
  method: 'post',
  path: '/v1/account/billing/portal',
  operationId: 'openBillingPortal',
  group: 'accounts',
  summary: 'Open the payment portal',
  auth: 'key',
  scope: 'billing:write',
  namespace: 'refused',
  stores: 'bounded',
  answers: { 200: envelope('Where to go', OpenBillingPortalAnswer) },
  errors: ['billing_not_configured', 'no_payment_customer', 'processor_failed'],
}).handle(async ({ services, op }) => {
  const { processor, publicUrl } = shopOf(services)
  if (processor === null) throw BILLING_ERRORS.billing_not_configured('payments are not set up')
  const { customerId } = await findBillingAccount(op)
  if (customerId === null) throw BILLING_ERRORS.no_payment_customer('the portal is available after the first payment')
  const url = await processor.openPortal({ customerId, returnUrl: `${publicUrl}/` }).catch((error: unknown) => {
    if (!KERNEL_ERRORS.not_found.matches(error)) throw error
    throw BILLING_ERRORS.no_payment_customer('the payment processor has no record of this account', { cause: error })
  })
  return { status: 200, body: { portal_url: url } }
})
