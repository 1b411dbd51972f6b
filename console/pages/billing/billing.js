import { html } from 'htm/preact'
import { get } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Badge } from '../../parts/badge.js'
import { ErrorBox, useActions } from '../../parts/error.js'
import { Facts, Heading } from '../../parts/facts.js'
import { formatDay, formatInstant, formatMoney, formatNumber } from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { InvoiceList } from './invoice-list.js'
import { choosePlan, PlanActions } from './plan-actions.js'
import { PlansTable } from './plans-table.js'
import { TaxForm } from './tax-form.js'

/** @typedef {import('zod').output<typeof import('../../../core/billing/wire/account-billing.ts').GetBillingAnswer>} Billing */
/** @typedef {{ billing: Billing, plans: readonly import('./plans-table.js').Plan[] }} Read */

/** Messages after a return from the payment page. */
const RETURNED = /** @type {Readonly<Record<string, string>>} */ ({
  paid: 'Thank you. The plan changes once the payment processor confirms the payment, which takes a moment.',
  cancelled: 'Nothing was bought.',
})

/** The plan of the account, the published plans, and the invoices. */
export function BillingPage() {
  const read = useRead(async (signal) => {
    /** @type {[Billing, { plans: readonly import('./plans-table.js').Plan[] }]} */
    const [billing, { plans }] = await Promise.all([get('/v1/account/billing', signal), get('/v1/plans', signal)])
    return { billing, plans }
  }, [])
  return html`<${Reading} of=${read}>${(/** @type {Read} */ data) => html`<${BillingView} ...${data} />`}<//>`
}

/** @param {Read} props */
function BillingView({ billing, plans }) {
  const { argument, signal, session, reload } = usePage()
  const { error, run } = useActions()
  const mayChange = session.can('billing:write')
  const choose = (/** @type {import('./plans-table.js').Plan} */ plan) =>
    run(async () => await choosePlan(plan, signal, reload))
  return html`${noticesOf(billing, argument).map(
      (text) => html`<p key=${text} class="notice" role="status">${text}</p>`,
    )}
    <${BillingFacts} billing=${billing} />
    <${ErrorBox} error=${error} />
    ${mayChange && html`<${PlanActions} billing=${billing} run=${run} />`}
    <${Heading} text="Plans" />
    <${PlansTable} plans=${plans} own=${billing.plan.id} choose=${mayChange ? choose : undefined} />
    <${Heading} text="Invoices" />
    <${InvoiceList} />
    ${mayChange && html`<${TaxForm} tax=${billing.tax} />`}`
}

/**
 * @param {Billing} billing
 * @param {string} argument
 */
function noticesOf({ pending_plan: pending, dunning }, argument) {
  const said = Object.hasOwn(RETURNED, argument) ? RETURNED[argument] : undefined
  return [
    ...(said === undefined ? [] : [said]),
    ...(pending === null || argument === 'paid' ? [] : [`The plan ${pending} was asked for and is not paid yet.`]),
    ...dunning.map(({ next_step_at: at }) =>
      at === null ? 'A payment is overdue.' : `A payment is overdue; the next step follows ${formatInstant(at)}.`,
    ),
  ]
}

/** @param {{ billing: Billing }} props */
function BillingFacts({ billing }) {
  const { plan, billing_status: status, current_period_end: end, cancel_at_period_end: ends } = billing
  return html`<${Facts}
    facts=${[
      ['Plan', `${plan.label}, ${plan.price_label}`],
      ['Status', html`<${Badge} status=${status} />`],
      end !== null && [ends ? 'Ends' : 'Paid until', formatDay(end)],
      ['Quota', `${formatNumber(plan.quota)} units a month`],
      ['Seats', formatNumber(plan.seats)],
      billing.credit_balance_cents !== 0 && ['Credit', formatMoney(billing.credit_balance_cents, 'usd')],
      billing.email !== null && ['Invoices go to', html`<span class="mail">${billing.email}</span>`],
    ]}
  />`
}
