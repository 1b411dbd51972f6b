import { element, picture } from '../dom.js'
import { formatNumber, formatPercent } from '../format.js'

/** @typedef {{ threshold: number, answered: number, wrong: number }} Point */
/** @typedef {{ n: number, max_error: number, threshold: number | null, curve: readonly Point[] }} Calibration */

const WIDTH = 480
const HEIGHT = 180
const MARGIN = { top: 12, right: 8, bottom: 28, left: 52 }
const ROOM = { x: WIDTH - MARGIN.left - MARGIN.right, y: HEIGHT - MARGIN.top - MARGIN.bottom }

/**
 * The risk-coverage curve of a certificate: the share of wrong answers among those given, over the share of rows that
 * get an answer. A slider moves a mark along it; a sentence says what the mark stands for.
 *
 * @param {Calibration} calibration
 */
export function riskCurve(calibration) {
  const { n, curve, threshold, max_error: maxError } = calibration
  const points = distinctPoints(curve)
  if (points.length === 0 || n === 0) return element('p', { class: 'quiet' }, 'No row got an answer.')
  const most = Math.max(maxError * 1.5, ...points.map(riskOf))
  const x = /** @param {Point} point */ ({ answered }) => MARGIN.left + (ROOM.x * answered) / n
  const y = /** @param {number} risk */ (risk) => MARGIN.top + ROOM.y * (1 - risk / most)
  const mark = picture('circle', { class: 'mark', r: 5 })
  const words = element('p', { class: 'legend', 'aria-live': 'polite' })
  const show = /** @param {number} place */ (place) => {
    const point = points[place]
    if (point === undefined) return
    mark.setAttribute('cx', String(x(point)))
    mark.setAttribute('cy', String(y(riskOf(point))))
    words.textContent = `From a confidence of ${point.threshold} on: ${formatPercent(point.answered / n)} of the rows get an answer, ${formatNumber(point.wrong)} of ${formatNumber(point.answered)} wrong (${formatPercent(riskOf(point))}).`
  }
  const start = Math.max(
    0,
    points.findLastIndex((point) => threshold !== null && point.threshold >= threshold),
  )
  const slider = element('input', {
    type: 'range',
    min: 0,
    max: points.length - 1,
    value: start,
    'aria-label': 'Threshold of confidence',
    oninput: () => show(Number(slider.value)),
  })
  show(start)
  return element(
    'figure',
    { class: 'risk-curve' },
    element('figcaption', {}, 'Wrong answers by coverage'),
    picture(
      'svg',
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        role: 'img',
        'aria-label': `Share of wrong answers over the share of answered rows; the limit is ${formatPercent(maxError)}`,
      },
      ...[0, most / 2, most].flatMap((risk) => [
        picture('line', { class: 'grid', x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: y(risk), y2: y(risk) }),
        picture('text', { class: 'axis end', x: MARGIN.left - 8, y: y(risk) + 4 }, formatPercent(risk)),
      ]),
      ...[0, 0.5, 1].map((share) =>
        picture('text', { class: 'axis middle', x: MARGIN.left + ROOM.x * share, y: HEIGHT - 8 }, formatPercent(share)),
      ),
      picture('line', { class: 'even', x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: y(maxError), y2: y(maxError) }),
      picture('polyline', {
        class: 'curve',
        points: points.map((point) => `${x(point)},${y(riskOf(point))}`).join(' '),
      }),
      mark,
    ),
    slider,
    words,
  )
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
