import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { call, get } from '../../api.js'
import { Heading } from '../../parts/facts.js'
import { Field } from '../../parts/form/field.js'
import { formatNumber, formatScore } from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { Table } from '../../parts/table/table.js'
import { directionText } from './figures.js'
/** @typedef {import('./evals.js').Evaluation} Evaluation */
/** @typedef {import('zod').output<typeof import('../../../core/learn/wire/evals/compare.ts').CompareAnswer>} Answer */
/** @typedef {Answer['comparisons'][number]} Comparison */
/** @typedef {Answer['flips'][number]} Flip */

/**
 * The choice of another evaluation, and this one against it.
 *
 * @param {{ id: string }} props
 */
export function CompareWith({ id }) {
  const [other, setOther] = useState('')
  const { data } = useRead(
    async (signal) => {
      /** @type {{ evaluations: readonly Evaluation[] }} */
      const { evaluations } = await get('/v1/evals?limit=100', signal)
      return evaluations.filter((each) => each.evaluation_id !== id && each.figures !== null)
    },
    [id],
  )
  if (data === undefined || data.length === 0) return null
  const options = [
    ['', 'Choose an evaluation'],
    ...data.map((each) => [each.evaluation_id, `${each.name}: ${each.target}`]),
  ]
  const choose = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) =>
    setOther(currentTarget.value)
  return html`<${Heading} text="Comparison" />
    <div class="toolbar">
      <${Field} as="select" label="Compare with" name="other" options=${options} chosen=${other} onChange=${choose} />
    </div>
    ${other !== '' && html`<${Compared} key=${other} first=${other} second=${id} />`}`
}

/** @param {{ first: string, second: string }} props */
function Compared({ first, second }) {
  const read = useRead(
    async (signal) => {
      /** @type {Answer} */
      const answer = await call('POST', `/v1/evals/${first}/compare`, { with: second }, { signal })
      return answer
    },
    [first, second],
  )
  return html`<${Reading} of=${read}>
    ${(/** @type {Answer} */ answer) =>
      html`${answer.metrics.length > 0 && html`<${MetricsTable} metrics=${answer.metrics} />`}
      ${
        (answer.metrics.length === 0 || answer.paired > 0) &&
        html`<${Intervals} answer=${answer} /> <${Flips} answer=${answer} />`
      }`}
  <//>`
}

/**
 * Figures of the corpus in both evaluations.
 *
 * @param {{ metrics: Answer['metrics'] }} props
 */
function MetricsTable({ metrics }) {
  return html`<${Table}
    caption="Metrics of both, with the interval of their difference"
    rows=${metrics}
    empty="No such metric is in both evaluations."
    columns=${METRIC_COLUMNS}
  />`
}

/** @type {readonly import('../../parts/table/table.js').Column<Answer['metrics'][number]>[]} */
const METRIC_COLUMNS = [
  {
    title: 'Metric',
    cell: (each) =>
      html`<span class="named"
        >${each.metric}<span class="quiet"
          >${[
            each.task,
            each.filter === 'none' ? '' : each.filter,
            each.slice ?? '',
            directionText(each),
            `${formatNumber(each.n)} rows`,
          ]
            .filter(Boolean)
            .join(' · ')}</span
        ></span
      >`,
    isWide: true,
  },
  { title: 'Here', cell: ({ second }) => formatScore(second), sort: ({ second }) => second, isNumeric: true },
  { title: 'There', cell: ({ first }) => formatScore(first), sort: ({ first }) => first, isNumeric: true },
  {
    title: 'Here less there',
    cell: ({ difference, interval }) =>
      interval === null
        ? formatScore(difference)
        : `${formatScore(difference)}, from ${formatScore(interval.low)} to ${formatScore(interval.high)}`,
    sort: ({ difference }) => difference,
    isNumeric: true,
  },
  {
    title: 'p, adjusted',
    cell: ({ adjusted_p_value: p }) => formatScore(p),
    sort: ({ adjusted_p_value: p }) => p,
    isNumeric: true,
  },
]

/** @param {{ answer: Answer }} props */
function Intervals({ answer: { comparisons, paired } }) {
  const reach = Math.max(
    0.01,
    ...comparisons.flatMap(({ interval }) => [Math.abs(interval.low), Math.abs(interval.high)]),
  )
  return html`<p>${formatNumber(paired)} rows are in both. Differences are this evaluation less the other one.</p>
    <${Table}
      caption="Differences with their intervals"
      rows=${comparisons}
      empty="No row is in both evaluations."
      columns=${[
        {
          title: 'Rows',
          cell: (/** @type {Comparison} */ each) =>
            html`<span class="named">${nameOf(each)}<span class="quiet">${formatNumber(each.n)} rows</span></span>`,
        },
        {
          title: 'Difference',
          cell: (/** @type {Comparison} */ each) => html`<${Interval} comparison=${each} reach=${reach} />`,
          isWide: true,
        },
        {
          title: 'Won, lost',
          cell: (/** @type {Comparison} */ { won, lost }) => `${formatNumber(won)}, ${formatNumber(lost)}`,
          isNumeric: true,
        },
        {
          title: 'p, adjusted',
          cell: (/** @type {Comparison} */ { adjusted_p_value: p }) => formatScore(p),
          sort: (/** @type {Comparison} */ { adjusted_p_value: p }) => p,
          isNumeric: true,
        },
      ]}
    />`
}

/** @param {Comparison} comparison */
function nameOf({ task, slice }) {
  return [task, slice].filter((part) => part !== null).join(' · ') || 'All rows'
}

const WIDTH = 240
const MIDDLE = WIDTH / 2

/**
 * An interval around its estimate, with a line at no difference.
 *
 * @param {{ comparison: Comparison, reach: number }} props
 */
function Interval({ comparison: { difference, interval }, reach }) {
  const at = (/** @type {number} */ value) => MIDDLE + (value / reach) * (MIDDLE - 6)
  const text = `${formatScore(difference)}, from ${formatScore(interval.low)} to ${formatScore(interval.high)}`
  return html`<span class="named">
    <svg viewBox=${`0 0 ${WIDTH} 16`} width=${WIDTH} height="16" role="img" aria-label=${text}>
      <line x1=${MIDDLE} x2=${MIDDLE} y1="0" y2="16" stroke="currentColor" stroke-opacity="0.35" />
      <line x1=${at(interval.low)} x2=${at(interval.high)} y1="8" y2="8" stroke="currentColor" stroke-width="2" />
      <circle cx=${at(difference)} cy="8" r="4" fill="currentColor" />
    </svg>
    <span class="quiet">${text}</span>
  </span>`
}

/** @param {{ answer: Answer }} props */
function Flips({ answer: { flips } }) {
  return html`<${Heading} text="Rows that flipped" />
    <${Table}
      caption="Rows that only one of both has right"
      rows=${flips}
      empty="No row flipped."
      columns=${[
        { title: 'Row here', cell: (/** @type {Flip} */ { second_row: row }) => formatNumber(row), isNumeric: true },
        { title: 'Row there', cell: (/** @type {Flip} */ { first_row: row }) => formatNumber(row), isNumeric: true },
        { title: 'Task', cell: (/** @type {Flip} */ { task }) => task, isWide: true },
        {
          title: 'Slice',
          cell: (/** @type {Flip} */ { slice }) => slice ?? '–',
          sort: (/** @type {Flip} */ { slice }) => slice,
        },
        { title: 'Here', cell: (/** @type {Flip} */ { now }) => now, sort: (/** @type {Flip} */ { now }) => now },
      ]}
    />`
}
