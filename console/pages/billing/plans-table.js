import { badge } from '../../parts/badge.js'
import { element } from '../../parts/dom.js'
import { formatMoney, formatNumber } from '../../parts/format.js'
import { table } from '../../parts/table.js'

/** @typedef {import('zod').output<typeof import('../../../core/billing/wire/plans.ts').Plans>[number]} Plan */

/**
 * @param {{ plans: readonly Plan[], own: string, choose: ((plan: Plan) => void) | undefined }} input
 */
export function plansTable({ plans, own, choose }) {
  return table({
    caption: 'The published plans',
    rows: plans,
    empty: 'No plans are published.',
    columns: [
      { title: 'Plan', cell: ({ label }) => label, isWide: true },
      { title: 'A month', cell: ({ price_usd_month: usd }) => formatMoney(usd * 100, 'usd'), isNumeric: true },
      { title: 'Units a month', cell: ({ quota }) => formatNumber(quota), isNumeric: true },
      { title: 'Seats', cell: ({ seats }) => formatNumber(seats), isNumeric: true },
      {
        title: '',
        cell: (plan) => {
          if (plan.id === own) return badge('ready', 'yours')
          const isOffered = plan.id === 'free' || plan.billing_link_configured
          if (choose === undefined || !isOffered) return element('span', { class: 'quiet' }, 'not sold here')
          const label = `Choose ${plan.label}`
          return element('button', { type: 'button', 'aria-label': label, onclick: () => choose(plan) }, 'Choose')
        },
      },
    ],
  })
}
