import { html } from 'htm/preact'
import { Facts } from '../../parts/facts.js'
import { formatUsd, formatNumber, formatPercent } from '../../parts/format.js'
import { Table } from '../../parts/table/table.js'
import { reasonText, routeText } from './words.js'
/** @typedef {import('./gateway.js').Dashboard} Dashboard */
/** @typedef {Dashboard['routes'][number]} Route */

/**
 * The sums of the window, with the formula of the savings.
 *
 * @param {{ dashboard: Dashboard }} props
 */
export function Summary({ dashboard: { metrics, savings } }) {
  const { total_calls: total, failed_calls: failed, local_calls: local, local_pct: share } = metrics
  const { unpriced_calls: unpriced, mean_confidence: confidence, cache_hits: hits, saved_usd: saved } = metrics
  return html`<${Facts}
      facts=${[
        ['Calls in 30 days', formatNumber(total)],
        [
          'Answered by own artifacts and servers',
          `${formatNumber(local)}${share === null ? '' : ` (${formatPercent(share / 100)})`}`,
        ],
        ['Without an answer', formatNumber(failed)],
        hits > 0 && ['Answered by the cache', formatNumber(hits)],
        confidence !== null && ['Mean confidence of own artifacts', formatNumber(Number(confidence.toFixed(3)))],
        [
          'Cost',
          html`${formatUsd(metrics.cost_usd)}${unpriced > 0 && html`<span class="quiet why">${callsOf(unpriced)} without a known cost</span>`}`,
        ],
        [
          'Saved',
          html`${saved === null ? 'not known' : formatUsd(saved)}
            <span class="quiet why"
              >over ${callsOf(savings.local.calls)}${unknownOf(savings.local.unknown_calls)}</span
            >`,
        ],
        savings.cache.calls > 0 && ['Saved by the cache', formatUsd(savings.cache.saved_usd ?? 0)],
      ]}
    />
    <details class="formula">
      <summary>How the savings are computed</summary>
      <p><code>${savings.formula}</code></p>
    </details>`
}

/** @param {number} calls */
function callsOf(calls) {
  return `${formatNumber(calls)} ${calls === 1 ? 'call' : 'calls'}`
}

/** @param {number} unknown */
function unknownOf(unknown) {
  return unknown === 0 ? '' : `; ${callsOf(unknown)} without a known cost are left out`
}

/**
 * Which routes calls took, and why.
 *
 * @param {{ routes: readonly Route[] }} props
 */
export function RoutesTable({ routes }) {
  return html`<${Table}
    caption="Routes that answered calls took, and why"
    rows=${routes}
    empty="No call was answered."
    keyOf=${(/** @type {Route} */ route) => `${route.route_decision} ${route.fallback_reason}`}
    columns=${[
      { title: 'Answered by', cell: (/** @type {Route} */ route) => routeText(route.route_decision) },
      { title: 'Why', cell: (/** @type {Route} */ route) => reasonText(route.fallback_reason), isWide: true },
      { title: 'Calls', cell: (/** @type {Route} */ { calls }) => formatNumber(calls), isNumeric: true },
    ]}
  />`
}
