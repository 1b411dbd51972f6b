import { html } from 'htm/preact'
import { Badge } from '../../parts/badge.js'
import { Chart } from '../../parts/chart/chart.js'
import { formatDuration, formatUsd, formatNumber, formatShortly } from '../../parts/format.js'
import { Table } from '../../parts/table/table.js'
import { providerText } from './words.js'
/** @typedef {import('./gateway.js').Dashboard['by_provider'][number]} Provider */
/** @typedef {Provider['latency_ms']} Times */

/** Places of the two bars beside the place of a provider on the x axis. */
const ASIDE = 0.2

/**
 * Latency and time to first token by provider.
 *
 * @param {{ providers: readonly Provider[] }} props
 */
export function TimesChart({ providers }) {
  const timed = providers.filter(({ latency_ms: latency }) => latency !== null)
  if (timed.length === 0) return null
  const medians = timed.flatMap(({ latency_ms: latency, first_content_ms: first }) => [latency?.p50, first?.p50])
  const isStreamed = timed.some(({ first_content_ms: first }) => first !== null)
  const most = Math.max(0.001, ...medians.map((value) => value ?? 0))
  /** @param {0 | 1} bar */
  const valuesOf = (bar) =>
    isStreamed
      ? medians.map((value, place) => (place % 2 === bar ? (value ?? null) : null))
      : timed.map(({ latency_ms: latency }) => latency?.p50 ?? null)
  const title = 'Latency and time to first token by provider, median in milliseconds'
  return html`<${Chart}
    title=${title}
    label="${title}: ${timed.map(describe).join('; ')}"
    x=${timed.flatMap((_, place) => (isStreamed ? [place + 1 - ASIDE, place + 1 + ASIDE] : [place + 1]))}
    series=${[
      { label: 'latency', values: valuesOf(0), form: 'bars', colour: '--accent' },
      ...(isStreamed ? [{ label: 'time to first token', values: valuesOf(1), form: 'bars', colour: '--warn' }] : []),
    ]}
    range=${{ x: [0.4, timed.length + 0.6], y: [0, most * 1.08] }}
    formatX=${(/** @type {number} */ place) => {
      const provider = Number.isInteger(place) ? timed[place - 1]?.provider : undefined
      return provider === undefined ? '' : providerText(provider)
    }}
    formatY=${formatShortly}
    table=${{
      columns: ['Provider', 'Latency, median', '95 %', 'First token, median', '95 %', 'Calls'],
      rows: timed.map(({ provider, latency_ms: latency, first_content_ms: first }) => [
        providerText(provider),
        formatMs(latency?.p50),
        formatMs(latency?.p95),
        formatMs(first?.p50),
        formatMs(first?.p95),
        formatNumber(latency?.calls ?? 0),
      ]),
    }}
  >
    ${
      isStreamed &&
      html`<p class="legend">
        <span class="swatch" aria-hidden="true"></span>latency of whole answers${' '}
        <span class="swatch" data-colour="warn" aria-hidden="true"></span>time to first token of streams
      </p>`
    }
  <//>`
}

/** @param {Provider} provider */
function describe({ provider, latency_ms: latency, first_content_ms: first }) {
  const streamed = first === null ? '' : `, first token ${formatMs(first.p50)}`
  return `${providerText(provider)} ${formatMs(latency?.p50)}${streamed}`
}

/** @param {number | undefined} ms */
function formatMs(ms) {
  return ms === undefined ? '–' : `${formatNumber(Number(ms.toPrecision(3)))} ms`
}

/**
 * Calls, failures and circuit breakers by provider.
 *
 * @param {{ providers: readonly Provider[] }} props
 */
export function ProvidersTable({ providers }) {
  return html`<${Table}
    caption="Providers with their calls and circuit breakers"
    rows=${providers}
    empty="No provider was asked."
    keyOf=${(/** @type {Provider} */ { provider }) => provider}
    columns=${[
      { title: 'Provider', cell: (/** @type {Provider} */ { provider }) => providerText(provider), isWide: true },
      { title: 'Calls', cell: (/** @type {Provider} */ { calls }) => formatNumber(calls), isNumeric: true },
      {
        title: 'Without an answer',
        cell: (/** @type {Provider} */ { failed_calls: failed }) => formatNumber(failed),
        isNumeric: true,
      },
      {
        title: 'Failed attempts',
        cell: (/** @type {Provider} */ { failed_attempts: failed }) => formatNumber(failed),
        isNumeric: true,
      },
      { title: 'Cost', cell: costOf, isNumeric: true },
      { title: 'Breaker', cell: breakerOf },
    ]}
  />`
}

/** @param {Provider} provider */
function costOf({ cost_usd: cost, calls, failed_calls: failed, unpriced_calls: unpriced }) {
  return unpriced > 0 && unpriced >= calls - failed ? 'not known' : formatUsd(cost)
}

/** @param {Provider} provider */
function breakerOf({ breaker }) {
  if (breaker === null) return '–'
  if (breaker.state === 'closed') return html`<${Badge} status="live" text="closed" />`
  if (breaker.state === 'half_open') return html`<${Badge} status="warned" text="half open" />`
  const seconds = Math.max(1, Math.ceil(breaker.retry_in_ms / 1000))
  return html`<${Badge} status="failed" text="open for ${formatDuration(seconds)}" />`
}
