import { html } from 'htm/preact'
import { useMemo, useState } from 'preact/hooks'
import { formatNumber, formatPercent } from '../format.js'
import { Chart } from './chart.js'

/** @typedef {{ threshold: number, answered: number, wrong: number }} Point */
/** @typedef {{ n: number, max_error: number, threshold: number | null, curve: readonly Point[] }} Calibration */

/**
 * The risk-coverage curve of a certificate: the share of wrong answers among those given, over the share of rows that
 * get an answer. A slider moves a mark along it; a sentence says what the mark stands for.
 *
 * @param {{ calibration: Calibration }} props
 */
export function RiskCurve({ calibration: { n, curve, threshold, max_error: maxError } }) {
  const points = useMemo(() => distinctPoints(curve), [curve])
  const start = Math.max(
    0,
    points.findLastIndex((point) => threshold !== null && point.threshold >= threshold),
  )
  const [place, setPlace] = useState(start)
  const point = points[Math.min(place, points.length - 1)]
  if (point === undefined || n === 0) return html`<p class="quiet">No row got an answer.</p>`
  const most = Math.max(maxError * 1.5, ...points.map(riskOf))
  const move = (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
    setPlace(Number(currentTarget.value))
  const words = `From a confidence of ${formatConfidence(point)} on: ${formatPercent(point.answered / n)} of the rows get an answer, ${formatNumber(point.wrong)} of ${formatNumber(point.answered)} wrong (${formatPercent(riskOf(point))}).`
  return html`<div class="risk-curve">
    <${Chart}
      title="Share of wrong answers, by share of rows answered"
      label="Share of wrong answers over the share of answered rows; the limit is ${formatPercent(maxError)}"
      x=${points.map(({ answered }) => answered / n)}
      series=${[{ label: 'wrong', values: points.map(riskOf), form: 'line', colour: '--accent' }]}
      level=${maxError}
      range=${{ x: [0, 1], y: [0, most] }}
      formatX=${formatPercent}
      formatY=${formatPercent}
      mark=${{ x: point.answered / n, y: riskOf(point) }}
      table=${{
        columns: ['Confidence from', 'Answered', 'Wrong', 'Share wrong'],
        rows: points.map((one) => [
          formatConfidence(one),
          formatPercent(one.answered / n),
          formatNumber(one.wrong),
          formatPercent(riskOf(one)),
        ]),
      }}
    >
      <p class="legend"><span class="dashes" aria-hidden="true"></span>${formatPercent(maxError)}: the limit</p>
      ${
        points.length > 1 &&
        html`<label class="slider">
          Threshold of confidence
          <input
            type="range"
            min="0"
            max=${points.length - 1}
            value=${place}
            aria-valuetext=${formatConfidence(point)}
            onInput=${move}
          />
        </label>`
      }
      <p class="words" aria-live="polite">${words}</p>
    <//>
  </div>`
}

/** @param {Point} point */
function formatConfidence({ threshold }) {
  return formatNumber(Number(threshold.toPrecision(4)))
}

/** @param {Point} point */
function riskOf({ answered, wrong }) {
  return answered === 0 ? 0 : wrong / answered
}

/**
 * The points that answer more rows than the one before, each with its lowest threshold.
 *
 * @param {readonly Point[]} curve
 */
function distinctPoints(curve) {
  return curve.filter((point, i) => point.answered > 0 && curve[i + 1]?.answered !== point.answered)
}
