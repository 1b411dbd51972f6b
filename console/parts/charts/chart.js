import { element, picture } from '../dom.js'
import { formatNumber, formatShortly } from '../format.js'

/** @typedef {{ label: string, value: number }} Bar */
/** @typedef {{ value: number, words: string }} Line a level to compare with, and what it means */

const HEIGHT = 200
const MIN_WIDTH = 240
const MARGIN = { top: 12, right: 8, bottom: 24, left: 52 }

/**
 * Bars over the days of a month, drawn as wide as there is room, with a dashed line at `even`, unless all bars stay far
 * below it. A table below shows the same figures for screen readers.
 *
 * @param {{ title: string, unit: string, bars: readonly Bar[], even: Line, signal: AbortSignal }} input
 */
export function barChart({ title, unit, bars, even, signal }) {
  const frame = element('div', { class: 'chart' })
  const most = Math.max(0, ...bars.map(({ value }) => value))
  const line = even.value > 0 && even.value <= most * 3 ? even : undefined
  const draw = () =>
    frame.replaceChildren(drawing(title, unit, bars, line?.value, Math.max(MIN_WIDTH, frame.clientWidth)))
  const observer = new ResizeObserver(draw)
  observer.observe(frame)
  signal.addEventListener('abort', () => observer.disconnect())
  return element(
    'figure',
    {},
    element('figcaption', {}, title),
    frame,
    line && element('p', { class: 'legend' }, element('span', { class: 'dashes', 'aria-hidden': 'true' }), line.words),
    asTable(title, unit, bars),
  )
}

/**
 * @param {string} title
 * @param {string} unit
 * @param {readonly Bar[]} bars
 * @param {number | undefined} even
 * @param {number} width
 */
function drawing(title, unit, bars, even, width) {
  const most = Math.max(0, ...bars.map(({ value }) => value))
  const top = niceCeiling(Math.max(most, even ?? 0))
  const room = { x: width - MARGIN.left - MARGIN.right, y: HEIGHT - MARGIN.top - MARGIN.bottom }
  const x = /** @param {number} index */ (index) => MARGIN.left + (index * room.x) / bars.length
  const y = /** @param {number} value */ (value) => MARGIN.top + room.y * (1 - value / top)
  const step = room.x / bars.length
  const every = step < 12 ? 10 : step < 24 ? 5 : 2
  const total = bars.reduce((sum, { value }) => sum + value, 0)
  const label = `${title}: ${formatNumber(total)} ${unit} in all, at most ${formatNumber(most)} on one day`
  return picture(
    'svg',
    { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img', 'aria-label': label },
    ...[0, top / 2, top].flatMap((value) => [
      picture('line', { class: 'grid', x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value) }),
      picture('text', { class: 'axis end', x: MARGIN.left - 8, y: y(value) + 4 }, formatShortly(value)),
    ]),
    ...bars.map(({ value }, index) =>
      picture('rect', {
        class: 'bar',
        x: x(index) + step * 0.15,
        y: y(value),
        width: Math.max(step * 0.7, 1),
        height: Math.max(y(0) - y(value), 0),
        rx: Math.min(2, step * 0.2),
      }),
    ),
    ...bars.flatMap((bar, index) =>
      index === 0 || (index + 1) % every === 0
        ? [picture('text', { class: 'axis middle', x: x(index) + step / 2, y: HEIGHT - 8 }, bar.label)]
        : [],
    ),
    even !== undefined &&
      picture('line', { class: 'even', x1: MARGIN.left, x2: width - MARGIN.right, y1: y(even), y2: y(even) }),
  )
}

/**
 * The next of 2, 4, 6, 10, 20, 40, 60, 100, …, so that half of it is a whole number too.
 *
 * @param {number} value
 */
function niceCeiling(value) {
  for (let power = 1; ; power *= 10) {
    for (const step of [2, 4, 6, 10]) if (value <= step * power) return step * power
  }
}

/**
 * @param {string} title
 * @param {string} unit
 * @param {readonly Bar[]} bars
 */
function asTable(title, unit, bars) {
  const rows = bars
    .filter(({ value }) => value > 0)
    .map(({ label, value }) =>
      element(
        'tr',
        {},
        element('th', { scope: 'row' }, label),
        element('td', { class: 'number' }, formatNumber(value)),
      ),
    )
  return element(
    'details',
    {},
    element('summary', {}, 'The same as a table'),
    element(
      'table',
      { class: 'plain' },
      element('caption', { class: 'unseen' }, title),
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          element('th', { scope: 'col' }, 'Day'),
          element('th', { scope: 'col', class: 'number' }, unit),
        ),
      ),
      element('tbody', {}, ...rows),
    ),
  )
}
