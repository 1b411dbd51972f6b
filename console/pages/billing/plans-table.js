import { html } from 'htm/preact'
import { Badge } from '../../parts/badge.js'
import { formatMoney, formatNumber } from '../../parts/format.js'
import { Table } from '../../parts/table/table.js'

/** @typedef {import('zod').output<typeof import('../../../core/billing/wire/plans.ts').Plans>[number]} Plan */

/**
 * @param {{ plans: readonly Plan[], own: string, choose: ((plan: Plan) => void) | undefined }} props
 */
export function PlansTable({ plans, own, choose }) {
  const action = (/** @type {Plan} */ plan) => {
    if (plan.id === own) return html`<${Badge} status="ready" text="current" />`
    const isOffered = plan.id === 'free' || plan.billing_link_configured
    if (choose === undefined || !isOffered) return html`<span class="quiet">not available here</span>`
    const label = `Choose ${plan.label}`
    return html`<button type="button" aria-label=${label} onClick=${() => choose(plan)}>Choose</button>`
  }
  return html`<${Table}
    caption="The published plans"
    rows=${plans}
    empty="No plans are published."
    columns=${[
      { title: 'Plan', cell: (/** @type {Plan} */ { label }) => label, isWide: true },
      {
        title: 'Per month',
        cell: (/** @type {Plan} */ { price_usd_month: usd }) => formatMoney(usd * 100, 'usd'),
        isNumeric: true,
      },
      { title: 'Units a month', cell: (/** @type {Plan} */ { quota }) => formatNumber(quota), isNumeric: true },
      { title: 'Seats', cell: (/** @type {Plan} */ { seats }) => formatNumber(seats), isNumeric: true },
      { title: '', cell: action },
    ]}
  />`
}
