import { html } from 'htm/preact'
import { formatScore } from '../format.js'

/** @typedef {{ low: number, high: number }} Interval */

const WIDTH = 120
const HEIGHT = 14

/**
 * A K-score in its place between 0 and 1, with the interval in which the true one lies as a band, and the same in
 * words beside it.
 *
 * @param {{ score: number | undefined, interval: Interval | undefined }} props
 */
export function Score({ score, interval }) {
  if (score === undefined) return html`<span class="quiet">–</span>`
  const range = interval === undefined ? '' : `${formatScore(interval.low)} to ${formatScore(interval.high)}`
  const label = `K ${formatScore(score)}${range && `, 95% interval ${range}`}`
  return html`<span class="score">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width=${WIDTH} height=${HEIGHT} role="img" aria-label=${label}>
      <rect class="track" x="0" y="5" width=${WIDTH} height="4" rx="2" />
      ${
        interval &&
        html`<rect
          class="band"
          x=${interval.low * WIDTH}
          y="3"
          width=${Math.max((interval.high - interval.low) * WIDTH, 2)}
          height="8"
          rx="2"
        />`
      }
      <rect class="tick" x=${Math.min(score * WIDTH, WIDTH - 3) - 0.5} y="0" width="3" height=${HEIGHT} rx="1" />
    </svg>
    <span class="figure" aria-hidden="true">${formatScore(score)}</span>
    ${range !== '' && html`<span class="quiet range" aria-hidden="true">${range.replace(' to ', '–')}</span>`}
  </span>`
}
