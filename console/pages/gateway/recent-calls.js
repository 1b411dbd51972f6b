import { html } from 'htm/preact'
import { Badge } from '../../parts/badge.js'
import { formatInstant, formatUsd, formatNumber } from '../../parts/format.js'
import { Table } from '../../parts/table/table.js'
import { providerText, reasonText } from './words.js'
/** @typedef {import('./gateway.js').Dashboard['recent_calls'][number]} Call */

const OUTCOMES = { whole: 'answered', interrupted: 'cut off', left: 'caller left', failed: 'failed' }

/**
 * The newest calls, with the way that each took.
 *
 * @param {{ calls: readonly Call[] }} props
 */
export function RecentCalls({ calls }) {
  return html`<${Table}
    caption="The newest calls"
    rows=${calls}
    empty="No calls."
    keyOf=${(/** @type {Call} */ { id }) => id}
    columns=${[
      { title: 'When', cell: (/** @type {Call} */ { timestamp }) => formatInstant(timestamp) },
      {
        title: 'Asked',
        cell: (/** @type {Call} */ { provider, model }) =>
          html`<span class="named">${providerText(provider)}<span class="quiet">${model ?? ''}</span></span>`,
        isWide: true,
      },
      { title: 'Route', cell: routeOf },
      { title: 'Outcome', cell: outcomeOf },
      {
        title: 'ms',
        cell: (/** @type {Call} */ { latency_ms: ms }) => (ms === null ? '–' : formatNumber(Number(ms.toPrecision(3)))),
        isNumeric: true,
      },
      {
        title: 'Cost',
        cell: costOf,
        isNumeric: true,
      },
    ]}
  />`
}

/** @param {Call} call */
function routeOf({ route_decision: route, fallback_reason: reason, cache, confidence }) {
  const sure = confidence === null ? '' : `, confidence ${formatNumber(Number(confidence.toFixed(2)))}`
  const why = cache === 'hit' ? 'from the cache' : `${reasonText(reason)}${sure}`
  return html`<span class="named">${route}<span class="quiet">${why}</span></span>`
}

/** @param {Call} call */
function costOf({ cost_usd: cost, outcome }) {
  return cost === null || outcome === 'failed' ? '–' : formatUsd(cost)
}

/** @param {Call} call */
function outcomeOf({ outcome }) {
  const status = { whole: 'live', interrupted: 'warned', left: 'warned', failed: 'failed' }[outcome]
  return html`<${Badge} status=${status} text=${OUTCOMES[outcome]} />`
}
