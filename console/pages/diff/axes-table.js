import { html } from 'htm/preact'
import { Badge } from '../../parts/badge.js'
import { formatBytes, formatNumber, formatPercent, formatScore, formatUsd } from '../../parts/format.js'
import { Table } from '../../parts/table/table.js'
/** @typedef {import('./diff.js').Diff['performance']['axes'][number]} Axis */

/** Names of the axes, and how their values are written. */
const AXES = /** @type {Readonly<Record<Axis['axis'], readonly [string, (value: number) => string]>>} */ ({
  accuracy: ['Accuracy on shared rows', formatPercent],
  coverage: ['Answered of shared rows', formatPercent],
  k_score: ['K-score', formatScore],
  p50_latency_us: ['Median latency', (value) => `${formatNumber(Number(value.toPrecision(2)))} µs`],
  cost_usd_per_call: ['Cost of a call', formatUsd],
  size_bytes: ['Size', formatBytes],
})

const CHANGES = /** @type {Readonly<Record<Axis['change'], readonly [string, string]>>} */ ({
  better: ['ready', 'better'],
  worse: ['failed', 'worse'],
  same: ['queued', 'same'],
  undecided: ['queued', 'within chance'],
  not_measured: ['queued', 'not measured'],
})

/**
 * The axes of two artifacts, each with its direction and its test.
 *
 * @param {{ axes: readonly Axis[] }} props
 */
export function AxesTable({ axes }) {
  return html`<${Table}
    caption="Measures of both artifacts"
    rows=${axes}
    empty="Nothing was measured."
    columns=${COLUMNS}
  />`
}

/** @type {readonly import('../../parts/table/table.js').Column<Axis>[]} */
const COLUMNS = [
  {
    title: 'Measure',
    cell: ({ axis, direction }) => html`${AXES[axis][0]} <span class="quiet">${direction} is better</span>`,
    isWide: true,
  },
  { title: 'First', cell: ({ axis, a }) => valueOf(axis, a), isNumeric: true },
  { title: 'Second', cell: ({ axis, b }) => valueOf(axis, b), isNumeric: true },
  {
    title: 'The second is',
    cell: ({ change }) => html`<${Badge} status=${CHANGES[change][0]} text=${CHANGES[change][1]} />`,
  },
  {
    title: 'Test',
    cell: ({ p_value: p, n }) =>
      p === null
        ? html`<span class="quiet">one value each, not tested</span>`
        : `p = ${p.toPrecision(2)} on ${formatNumber(n ?? 0)} rows`,
  },
]

/**
 * @param {Axis['axis']} axis
 * @param {number | null} value
 */
function valueOf(axis, value) {
  return value === null ? '–' : AXES[axis][1](value)
}
