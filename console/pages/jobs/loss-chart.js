import { html } from 'htm/preact'
import { LaterChart } from '../../parts/chart/later-chart.js'
import { formatNumber, formatShortly } from '../../parts/format.js'
/** @typedef {import('./live-job.js').LossPoint} LossPoint */

/**
 * The loss of a fit by step, once there are two points to join.
 *
 * @param {{ points: readonly LossPoint[] }} props
 */
export function LossChart({ points }) {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined || points.length < 2) return null
  const validation = points.map(({ validationLoss }) => validationLoss ?? null)
  const hasValidation = validation.some((value) => value !== null)
  const all = points.flatMap(({ loss, validationLoss }) => [loss, validationLoss ?? loss])
  return html`<${LaterChart}
    title="Loss by step"
    label="Loss of the fit: ${formatLoss(first.loss)} at step ${formatNumber(first.step)}, ${formatLoss(last.loss)} at step ${formatNumber(last.step)}"
    x=${points.map(({ step }) => step)}
    series=${[
      { label: 'loss', values: points.map(({ loss }) => loss), form: 'line', colour: '--accent' },
      ...(hasValidation ? [{ label: 'validation loss', values: validation, form: 'dashes', colour: '--warn' }] : []),
    ]}
    range=${{ x: [first.step, last.step], y: [0, Math.max(...all) * 1.05] }}
    formatX=${formatShortly}
    formatY=${formatLoss}
    table=${{
      columns: ['Step', 'Loss', 'Validation loss'],
      rows: points.map(({ step, loss, validationLoss }) => [
        formatNumber(step),
        formatLoss(loss),
        validationLoss === undefined ? '–' : formatLoss(validationLoss),
      ]),
    }}
  >
    ${hasValidation && html`<p class="legend"><span class="dashes" aria-hidden="true"></span>validation loss</p>`}
  <//>`
}

/** @param {number} loss */
function formatLoss(loss) {
  return formatNumber(Number(loss.toPrecision(3)))
}
