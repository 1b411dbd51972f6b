import { html } from 'htm/preact'
import { get } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Chart } from '../../parts/chart/chart.js'
import { Facts, Heading } from '../../parts/facts.js'
import { formatInstant, formatNumber, formatPercent, formatScore, formatState, formatUsd } from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { Table } from '../../parts/table/table.js'
/** @typedef {import('./bakeoffs.js').Bakeoff} Bakeoff */
/** @typedef {Bakeoff['contestants'][number]} Contestant */
/** @typedef {NonNullable<Bakeoff['pairs']>[number]} Pair */

/** Rows that the cost of a chart is for. */
const ROWS = 1000

/** One bake-off: cost against quality, contestants and pairs. */
export function BakeoffPage() {
  const { argument } = usePage()
  const read = useRead(
    async (signal) => {
      /** @type {Bakeoff} */
      const bakeoff = await get(`/v1/bakeoffs/${encodeURIComponent(argument)}`, signal)
      return bakeoff
    },
    [argument],
  )
  return html`<${Reading} of=${read} children=${show} />`
}

/** @param {Bakeoff} bakeoff */
function show(bakeoff) {
  return html`<${Shown} bakeoff=${bakeoff} />`
}

/** @param {{ bakeoff: Bakeoff }} props */
function Shown({ bakeoff }) {
  const { contestants, pairs, preferences } = bakeoff
  return html`<${Facts}
      facts=${[
        [
          'Dataset',
          html`<a href="#/dataset/${bakeoff.dataset_id}">${bakeoff.dataset_id}</a>, version ${bakeoff.dataset_version}`,
        ],
        ['State', formatState(bakeoff.state, bakeoff.error)],
        ['Held-out rows', formatNumber(bakeoff.rows_used)],
        ['Train rows', formatNumber(bakeoff.train_rows)],
        ['Compared by', bakeoff.comparator],
        ['Started', formatInstant(bakeoff.created_at)],
        bakeoff.recommended !== null && ['Recommended', bakeoff.recommended],
        bakeoff.recommendation !== null && ['Reason', bakeoff.recommendation],
      ]}
    />
    <${CostAgainstQuality} bakeoff=${bakeoff} />
    <${Heading} text="Contestants" />
    <${Table} caption="Contestants" rows=${contestants} empty="No contestants." columns=${CONTESTANTS} />
    ${
      pairs !== null &&
      html`<${Heading} text="Pairs" />
        <${Table} caption="Pairs, compared row by row" rows=${pairs} empty="No pair has answered." columns=${PAIRS} />`
    }
    ${
      preferences !== null &&
      html`<${Heading} text="Preferences of ${preferences.judge}" />
        <${Table}
          caption="Strengths by Bradley and Terry"
          rows=${preferences.strengths}
          empty="The judge gave no verdict."
          columns=${STRENGTHS}
        />`
    }`
}

/** @param {{ bakeoff: Bakeoff }} props */
function CostAgainstQuality({ bakeoff: { contestants, recommended } }) {
  // Where no provider is paid, processor time is what an answer costs.
  const cost = contestants.some(({ calls }) => calls > 0) ? PAID : COMPUTED
  const shown = contestants
    .flatMap((contestant) => {
      const { name, pass_rate: share } = contestant
      const amount = cost.of(contestant)
      return share === null || amount === null ? [] : [{ name, share, amount }]
    })
    .sort((one, other) => one.amount - other.amount)
  if (shown.length === 0) return null
  const most = Math.max(...shown.map(({ amount }) => amount)) || 1
  const chosen = shown.find(({ name }) => name === recommended)
  return html`<${Chart}
    title="Cost against quality"
    label="Share of right rows of each contestant by ${cost.label}"
    x=${shown.map(({ amount }) => amount)}
    series=${[{ label: 'Right rows', values: shown.map(({ share }) => share), form: 'points', colour: '--accent' }]}
    formatX=${cost.format}
    formatY=${formatPercent}
    range=${{ x: [-0.05 * most, 1.05 * most], y: [0, 1] }}
    ...${chosen === undefined ? {} : { mark: { x: chosen.amount, y: chosen.share } }}
    table=${{
      columns: ['Contestant', cost.column, 'Right rows'],
      rows: shown.map(({ name, amount, share }) => [name, cost.format(amount), formatPercent(share)]),
    }}
  />`
}

const PAID = {
  label: `what a provider is paid for ${ROWS} rows`,
  column: `USD for ${ROWS} rows`,
  format: formatUsd,
  // What runs here pays no provider.
  of: (/** @type {Contestant} */ { calls, avg_cost_usd: usd }) => (calls === 0 ? 0 : usd === null ? null : usd * ROWS),
}
const COMPUTED = {
  label: 'its processor time',
  column: 'CPU ms a row',
  format: (/** @type {number} */ ms) => `${formatScore(ms)} ms`,
  of: (/** @type {Contestant} */ { avg_cpu_ms: cpu }) => cpu,
}

/** @type {readonly import('../../parts/table/table.js').Column<Contestant>[]} */
const CONTESTANTS = [
  {
    title: 'Contestant',
    cell: ({ name, model, provider, error, recommended }) =>
      html`<span class="named"
        >${name}<span class="quiet"
          >${error ?? [recommended ? 'recommended' : '', provider ?? '', model ?? ''].filter(Boolean).join(' · ')}</span
        ></span
      >`,
    isWide: true,
  },
  {
    title: 'Right',
    cell: ({ pass_rate: share, state }) => (share === null ? state : formatPercent(share)),
    sort: ({ pass_rate: share }) => share,
    isNumeric: true,
  },
  {
    title: '95 % interval',
    cell: ({ interval }) =>
      interval === null
        ? '–'
        : `${formatPercent(interval.low)} to ${formatPercent(interval.high)} (${interval.method})`,
    isNumeric: true,
  },
  { title: 'Rows', cell: ({ n }) => (n === null ? '–' : formatNumber(n)), isNumeric: true },
  {
    title: 'USD a row',
    cell: ({ avg_cost_usd: usd }) => (usd === null ? '–' : formatUsd(usd)),
    sort: ({ avg_cost_usd: usd }) => usd,
    isNumeric: true,
  },
  {
    title: 'CPU ms a row',
    cell: ({ avg_cpu_ms: cpu }) => (cpu === null ? '–' : formatScore(cpu)),
    sort: ({ avg_cpu_ms: cpu }) => cpu,
    isNumeric: true,
  },
  {
    title: 'p95 ms',
    cell: ({ p95_latency_ms: ms }) => (ms === null ? '–' : formatScore(ms)),
    sort: ({ p95_latency_ms: ms }) => ms,
    isNumeric: true,
  },
]

/** @type {readonly import('../../parts/table/table.js').Column<Pair>[]} */
const PAIRS = [
  { title: 'Pair', cell: ({ first, second }) => `${second} less ${first}`, isWide: true },
  { title: 'Difference', cell: ({ difference }) => formatPercent(difference), isNumeric: true },
  {
    title: '95 % interval',
    cell: ({ interval }) => `${formatPercent(interval.low)} to ${formatPercent(interval.high)}`,
    isNumeric: true,
  },
  { title: 'Won', cell: ({ won }) => formatNumber(won), isNumeric: true },
  { title: 'Lost', cell: ({ lost }) => formatNumber(lost), isNumeric: true },
  { title: 'Adjusted p', cell: ({ adjusted_p_value: p }) => (p < 0.001 ? '< 0.001' : formatScore(p)), isNumeric: true },
]

/** @type {readonly import('../../parts/table/table.js').Column<NonNullable<Bakeoff['preferences']>['strengths'][number]>[]} */
const STRENGTHS = [
  { title: 'Contestant', cell: ({ name }) => name, isWide: true },
  { title: 'Strength', cell: ({ strength }) => formatScore(strength), isNumeric: true },
  {
    title: '95 % interval',
    cell: ({ interval }) => `${formatScore(interval.low)} to ${formatScore(interval.high)}`,
    isNumeric: true,
  },
]
