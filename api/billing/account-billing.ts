import { z } from 'zod'
import { COUNTRY_CODES } from '../../core/billing/tax.ts'
import { BILLING_STATUSES } from '../../core/kernel/tenant/billing-status.ts'
import type { TaxFields } from '../../core/billing/tax.ts'
import { DomainError } from '../../core/kernel/errors.ts'
import { PLANS } from '../../core/kernel/tenant/plans.ts'
import { findBillingAccount, openDunnings, runningSubscriptions } from '../../db/billing/account/find-account.ts'
import { listInvoices } from '../../db/billing/invoices/list-invoices.ts'
import { updateTax } from '../../db/billing/account/update-tax.ts'
import { quotaOf } from '../../core/kernel/tenant/quota-of.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { defineRoute } from '../kernel/route.ts'
import { Plan } from '../kernel/schemas/tenant.ts'
import { InvoiceView, presentInvoice } from './invoices.ts'
import { shopOf } from './shop.ts'

const Tax = z
  .object({
    vat_number: z.string().nullable(),
    tax_id: z.string().nullable(),
    company_name: z.string().nullable(),
    country_code: z.string().nullable(),
  })
  .meta({ id: 'TaxFields', description: 'What stands on invoices' })

function presentTax(tax: TaxFields): z.input<typeof Tax> {
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
  summary: 'Plan, period, credit, tax fields, invoices and dunning',
  auth: 'key',
  scope: 'billing:read',
  namespace: 'refused',
  answers: {
    200: envelope(
      'How the tenant stands with its payments',
      z.object({
        tenant_id: z.string(),
        email: z.string().nullable(),
        plan: z.object({
          id: Plan,
          label: z.string(),
          price_label: z.string(),
          quota: z.int(),
          seats: z.int(),
        }),
        billing_status: z.enum(BILLING_STATUSES),
        pending_plan: Plan.nullable(),
        granted_plan: Plan.nullable().meta({ description: 'Given by those who run the service, without a payment' }),
        current_period_end: z.iso.datetime().nullable(),
        cancel_at_period_end: z.boolean(),
        credit_balance_cents: z.int().meta({ description: 'What the payment processor owes you' }),
        tax: Tax.extend({ note: z.string().nullable().meta({ description: 'What is wrong with them' }) }),
        portal_available: z.boolean(),
        packages: z.array(z.never()).meta({ description: 'One-time products; none are sold here' }),
        subscriptions: z.array(
          z.object({
            id: z.string(),
            plan: Plan.nullable(),
            status: z.string(),
            current_period_end: z.iso.datetime().nullable(),
            ends_at: z.iso.datetime().nullable(),
          }),
        ),
        invoices: z.array(InvoiceView),
        dunning: z.array(
          z.object({
            id: z.string(),
            attempt: z.int().meta({ description: 'Steps that were taken' }),
            status: z.string(),
            next_step_at: z.iso.datetime().nullable(),
            subscription_id: z.string(),
            invoice_id: z.string(),
          }),
        ),
      }),
    ),
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

const NO_CONTROLS = new RegExp(String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`)

/** A field that a change sets, leaves alone when it is absent, or takes away when it is null or empty. */
const field = (maxLength: number) =>
  z
    .string()
    .trim()
    .max(maxLength)
    .regex(NO_CONTROLS, { error: 'must not hold control characters' })
    .transform((text) => (text === '' ? null : text))
    .nullable()
    .optional()

const country = (description: string) =>
  field(2).meta({ description, override: { anyOf: [{ enum: ['', ...COUNTRY_CODES] }, { type: 'null' }] } })

export const updateBillingRoute = defineRoute({
  method: 'patch',
  path: '/v1/account/billing',
  operationId: 'updateBilling',
  group: 'accounts',
  summary: 'Set the tax fields',
  description: 'Fields that are absent stay. The payment processor gets them for the next invoice.',
  auth: 'key',
  scope: 'billing:write',
  namespace: 'refused',
  stores: 'bounded',
  body: z.object({
    vat_number: field(32).meta({ description: 'With its country in front, such as `DE123456789`' }),
    tax_id: field(64),
    company_name: field(120),
    country_code: country('ISO 3166-1, two letters'),
    tax_country: country('Another name of `country_code`'),
  }),
  answers: { 200: envelope('The fields as they are now', z.object({ tax: Tax })) },
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
  answers: { 200: envelope('Where to go', z.object({ portal_url: z.string() })) },
  errors: ['billing_not_configured', 'no_payment_customer', 'processor_failed'],
}).handle(async ({ services, op }) => {
  const { processor, publicUrl } = shopOf(services)
  if (processor === null) throw new DomainError('billing_not_configured', 'payments are not set up')
  const { customerId } = await findBillingAccount(op)
  if (customerId === null) throw new DomainError('no_payment_customer', 'nothing was ever paid: there is no portal yet')
  const url = await processor.openPortal({ customerId, returnUrl: `${publicUrl}/` }).catch((error: unknown) => {
    if (!(error instanceof DomainError) || error.code !== 'not_found') throw error
    throw new DomainError('no_payment_customer', 'the payment processor no longer knows you', { cause: error })
  })
  return { status: 200, body: { portal_url: url } }
})
