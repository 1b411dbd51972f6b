import { html } from 'htm/preact'
import { useEffect, useState } from 'preact/hooks'
import { get } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Chart } from '../../parts/chart/chart.js'
import { Facts } from '../../parts/facts.js'
import { formatInstant, formatNumber, formatPercent, formatScore, formatState } from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { decisionOf, modeOf, sidesOf } from './gates.js'
/** @typedef {import('./gates.js').Gate} Gate */
/** @typedef {{ rows: number, evidence: number, against: number }} Point */

/** Time between two looks at a gate that is under way, milliseconds. */
const LOOK_MS = 2000

/** One gate: its registration, its decision, and the evidence as it grows to its bound. */
export function GatePage() {
  const { argument } = usePage()
  const [looks, setLooks] = useState(0)
  const read = useRead(
    async (signal) => {
      /** @type {Gate} */
      const gate = await get(`/v1/eval/gates/${encodeURIComponent(argument)}`, signal)
      return gate
    },
    [argument, looks],
  )
  const isUnderWay = read.data !== undefined && read.data.finished_at === null
  useEffect(() => {
    if (!isUnderWay) return undefined
    const timer = setTimeout(() => setLooks((count) => count + 1), LOOK_MS)
    return () => clearTimeout(timer)
  }, [isUnderWay, looks])
  return html`<${Reading} of=${read}>${(/** @type {Gate} */ gate) => html`<${Shown} gate=${gate} />`}<//>`
}

/** @param {{ gate: Gate }} props */
function Shown({ gate }) {
  const { registration, outcome } = gate
  const [candidate, baseline] = sidesOf(gate)
  const page = gate.mode === 'evaluations' ? 'evaluation' : 'artifact'
  const corpus = textIn(objectIn(registration, 'data'), 'corpus_id')
  const thresholds = objectIn(registration, 'thresholds')
  return html`<${Facts}
      facts=${[
        ['Candidate', html`<a href=${`#/${page}/${candidate}`}>${candidate}</a>`],
        ['Baseline', html`<a href=${`#/${page}/${baseline}`}>${baseline}</a>`],
        ['On', corpus === null ? modeOf(gate) : html`the holdout <a href="#/holdouts">${corpus}</a>`],
        ['State', formatState(gate.state, gate.error_code)],
        ['Decision', decisionOf(gate)],
        ['Rows', formatNumber(gate.rows)],
        ['Attempt', numberText(registration, 'attempt', formatNumber)],
        ['Level of the test', numberText(registration, 'level', formatScore)],
        ['Least gain', numberText(thresholds, 'min_kscore_delta', formatPercent)],
        ['Least accuracy', numberText(thresholds, 'min_kscore_abs', formatPercent)],
        outcome !== null && [
          'Won and lost',
          `${numberText(outcome, 'won', formatNumber)} and ${numberText(outcome, 'lost', formatNumber)}`,
        ],
        outcome !== null && ['Difference', numberText(outcome, 'mean_difference', formatPercent)],
        ['Test', textIn(registration, 'test') ?? '–'],
        ['Registration', html`<code class="long">${gate.registration_hash}</code>`],
        ['Registered', formatInstant(gate.created_at)],
        gate.finished_at !== null && ['Decided', formatInstant(gate.finished_at)],
      ]}
    />
    ${gate.mode === 'sealed' && html`<p class="quiet">A gate on a sealed holdout answers its decision and no figure: each would reveal something about the rows.</p>`}
    ${gate.mode === 'sequential' && html`<${Evidence} gate=${gate} />`}`
}

/**
 * The capital of both bets by row, on a scale of powers of ten, and the bound at which the candidate is promoted.
 *
 * @param {{ gate: Gate }} props
 */
function Evidence({ gate: { registration, outcome, rows } }) {
  const path = pathOf(outcome)
  const alpha = numberIn(registration, 'alpha')
  if (path.length === 0 || alpha === null) {
    return html`<p class="quiet" role="status">No row is scored yet.</p>`
  }
  const bound = 1 / alpha
  const series = [
    { label: 'for a gain', values: path.map(({ evidence }) => log(evidence)), form: 'line', colour: '--accent' },
    {
      label: 'against the planned gain',
      values: path.map(({ against }) => log(against)),
      form: 'dashes',
      colour: '--quiet',
    },
  ]
  const all = series.flatMap(({ values }) => values)
  const last = path.at(-1)
  return html`<${Chart}
    title="Evidence by row"
    label="Evidence for a gain: ${formatTimes(last?.evidence ?? 1)} after ${formatNumber(last?.rows ?? 0)} of ${formatNumber(rows)} rows; it promotes at ${formatTimes(bound)}"
    x=${path.map((point) => point.rows)}
    series=${series}
    range=${{ x: [0, Math.max(1, last?.rows ?? 1)], y: [Math.min(0, ...all) - 0.1, Math.max(log(bound), ...all) + 0.1] }}
    level=${log(bound)}
    formatX=${formatNumber}
    formatY=${(/** @type {number} */ power) => formatTimes(10 ** power)}
    table=${{
      columns: ['Rows', 'For a gain', 'Against the planned gain'],
      rows: path.map((point) => [formatNumber(point.rows), formatTimes(point.evidence), formatTimes(point.against)]),
    }}
  >
    <p class="legend">
      <span class="dashes" aria-hidden="true"></span>against the planned gain; promoted at ${formatTimes(bound)}
    </p>
  <//>`
}

/** No capital below it is drawn apart: the logarithm of 0 has no place in a drawing. */
const LEAST = 1e-6

/** @param {number} capital */
function log(capital) {
  return Math.log10(Math.max(LEAST, capital))
}

/** @param {number} capital */
function formatTimes(capital) {
  return formatNumber(Number(capital.toPrecision(3)))
}

/**
 * @param {Gate['outcome']} outcome
 * @returns {readonly Point[]}
 */
function pathOf(outcome) {
  const path = outcome?.['path']
  return Array.isArray(path) ? /** @type {readonly Point[]} */ (/** @type {unknown} */ (path)) : []
}

/** @typedef {Record<string, unknown>} Document */

/**
 * @param {Document} document
 * @param {string} name
 * @returns {Document}
 */
function objectIn(document, name) {
  const value = document[name]
  return typeof value === 'object' && value !== null ? /** @type {Document} */ (value) : {}
}

/**
 * @param {Document} document
 * @param {string} name
 */
function textIn(document, name) {
  const value = document[name]
  return typeof value === 'string' ? value : null
}

/**
 * @param {Document} document
 * @param {string} name
 */
function numberIn(document, name) {
  const value = document[name]
  return typeof value === 'number' ? value : null
}

/**
 * @param {Document} document
 * @param {string} name
 * @param {(value: number) => string} format
 */
function numberText(document, name, format) {
  const value = numberIn(document, name)
  return value === null ? '–' : format(value)
}
