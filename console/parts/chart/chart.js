import { html } from 'htm/preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { scheme } from '../../app/theme-button.js'
import { plotOf } from './plot.js'

/**
 * @typedef {object} Series
 * @property {string} label
 * @property {readonly (number | null)[]} values one for each place on the x axis
 * @property {'bars' | 'line' | 'dashes' | 'points'} form
 * @property {string} colour custom property of the style sheet, such as `--accent`
 */
/**
 * @typedef {object} ChartProps
 * @property {string} title
 * @property {string} label what the chart shows, in words, for screen readers
 * @property {readonly number[]} x places on the x axis, rising
 * @property {readonly Series[]} series
 * @property {(value: number) => string} formatX
 * @property {(value: number) => string} formatY
 * @property {{ x: readonly [number, number], y: readonly [number, number] }} range of both axes
 * @property {number} [level] a value of the y axis to compare with, drawn as a dashed line
 * @property {{ x: number, y: number }} [mark] a point to mark
 * @property {{ columns: readonly string[], rows: readonly (readonly string[])[] }} table the same figures
 * @property {import('preact').ComponentChildren} [children] below the drawing: a legend, a slider
 */

/**
 * A chart, drawn as wide as there is room and in the colours of the theme, with the same figures as a table.
 *
 * @param {ChartProps} props
 */
export function Chart(props) {
  const { title, label, table, mark, children } = props
  const frame = useRef(/** @type {HTMLDivElement | null} */ (null))
  const plot = useRef(/** @type {import('./plot.js').Plot | undefined} */ (undefined))
  const marked = useRef(mark)
  marked.current = mark
  // What the drawing depends on; data of a reload are new objects that often hold the same.
  const drawn = JSON.stringify([props.x, props.series, props.range, props.level, scheme.value])
  useEffect(() => {
    const leaving = new AbortController()
    if (frame.current !== null) {
      plotOf(frame.current, props, () => marked.current, leaving.signal).then(
        (made) => {
          plot.current = made
        },
        // The table below says the same.
        () => undefined,
      )
    }
    return () => {
      leaving.abort()
      plot.current = undefined
    }
  }, [drawn])
  useLayoutEffect(() => plot.current?.redraw(false), [mark?.x, mark?.y])
  return html`<figure>
    <figcaption>${title}</figcaption>
    <div class="chart" ref=${frame} role="img" aria-label=${label}></div>
    ${children}
    <details>
      <summary>The same as a table</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="${title}, as a table">
        <table class="plain">
          <caption class="unseen">
            ${title}
          </caption>
          <thead>
            <tr>
              ${table.columns.map((name, at) => html`<th key=${name} scope="col" class=${at > 0 && 'number'}>${name}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${table.rows.map(
              ([first, ...others], at) =>
                html`<tr key=${at}>
                  <th scope="row">${first}</th>
                  ${others.map((text, place) => html`<td key=${place} class="number">${text}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>
  </figure>`
}
