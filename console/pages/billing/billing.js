import { get } from '../../api.js'
import { badge } from '../../parts/badge.js'
import { element } from '../../parts/dom.js'
import { createTrouble } from '../../parts/error.js'
import { formatDay, formatInstant, formatMoney, formatNumber, formatWord } from '../../parts/format.js'
import { factList, heading } from '../../parts/table.js'
import { invoiceList } from './invoice-list.js'
import { planActions } from './plan-actions.js'
import { plansTable } from './plans-table.js'
import { taxForm } from './tax-form.js'

/** @typedef {import('zod').output<typeof import('../../../core/billing/wire/account-billing.ts').GetBillingAnswer>} Billing */

/** Messages after a return from the payment page. */
const RETURNED = /** @type {Readonly<Record<string, string>>} */ ({
  paid: 'Thank you. The plan changes once the payment processor confirms the payment, which takes a moment.',
  cancelled: 'Nothing was bought.',
})

/** @type {import('../index.js').Page} */
export const billingPage = {
  title: 'Billing',
  scope: 'billing:read',
  async load({ argument, signal, session, reload }) {
    const trouble = createTrouble()
    /** @type {[Billing, { plans: readonly import('./plans-table.js').Plan[] }]} */
    const [billing, { plans }] = await Promise.all([get('/v1/account/billing', signal), get('/v1/plans', signal)])
    const mayChange = session.can('billing:write')
    const change = planActions({ billing, signal, run: trouble.run, reload })
    return [
      ...notices(billing, argument),
      facts(billing),
      trouble.outlet,
      ...(mayChange ? [change.buttons] : []),
      heading('Plans'),
      plansTable({ plans, own: billing.plan.id, choose: mayChange ? change.choose : undefined }),
      heading('Invoices'),
      await invoiceList(signal, trouble.show),
      ...(mayChange ? [taxForm(billing.tax, reload)] : []),
    ]
  },
}

/**
 * @param {Billing} billing
 * @param {string} argument
 */
function notices({ pending_plan: pending, dunning }, argument) {
  const said = Object.hasOwn(RETURNED, argument) ? RETURNED[argument] : undefined
  const texts = [
    ...(said === undefined ? [] : [said]),
    ...(pending === null || argument === 'paid' ? [] : [`The plan ${pending} was asked for and is not paid yet.`]),
    ...dunning.map(({ next_step_at: at }) =>
      at === null ? 'A payment is overdue.' : `A payment is overdue; the next step follows ${formatInstant(at)}.`,
    ),
  ]
  return texts.map((text) => element('p', { class: 'notice', role: 'status' }, text))
}

/** @param {Billing} billing */
function facts({ plan, billing_status: status, current_period_end: end, cancel_at_period_end: ends, ...billing }) {
  return factList([
    ['Plan', `${plan.label}, ${plan.price_label}`],
    ['Status', badge(status, formatWord(status))],
    end !== null && [ends ? 'Ends' : 'Paid until', formatDay(end)],
    ['Quota', `${formatNumber(plan.quota)} units a month`],
    ['Seats', formatNumber(plan.seats)],
    billing.credit_balance_cents !== 0 && ['Credit', formatMoney(billing.credit_balance_cents, 'usd')],
    billing.email !== null && ['Invoices go to', element('span', { class: 'mail' }, billing.email)],
  ])
}
