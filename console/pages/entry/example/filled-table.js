import { html } from 'htm/preact'
import { useEffect, useRef } from 'preact/hooks'
import { Badge } from '../../../parts/badge.js'
import { formatNumber } from '../../../parts/format.js'
import { useNarrow } from '../../../parts/read/use-narrow.js'
import { Pairs, sharedTitle } from '../../../parts/table/members.js'
import { SHOWN_ROWS } from './cells.js'
/** @typedef {import('./cells.js').Row} Row */

/** Columns of the input that are shown beside the answers. */
const MOST_INPUTS = 4

/**
 * The rows as they came, and their answers as they fill. Unlike the lists of other pages it stays a table on narrow
 * screens: one sees a column being filled.
 *
 * @param {{ table: import('./cells.js').Cells, isWorking: boolean }} props
 */
export function FilledTable({ table: { columns, answerAt, rows, count }, isWorking }) {
  const isNarrow = useNarrow()
  const place = useRef(/** @type {HTMLElement | null} */ (null))
  const firstGap = rows.findIndex(({ cells }) => (cells[answerAt] ?? '').trim() === '')
  // What is being filled may lie below the rows that are in sight.
  useEffect(() => {
    const row = place.current?.querySelectorAll('tbody tr')[firstGap]
    if (isWorking && place.current && row instanceof HTMLElement) {
      place.current.scrollTop = row.offsetTop - place.current.clientHeight / 2
    }
  }, [isWorking, firstGap])
  const inputs = columns.map((_, place) => place).filter((place) => place !== answerAt)
  // On a phone the inputs stand in one column, below each other.
  const most = !isNarrow ? MOST_INPUTS : inputs.length > 1 ? 0 : 1
  const shown = inputs.slice(0, most)
  const others = inputs.slice(most)
  const first = rows.slice(0, SHOWN_ROWS)
  return html`<div
      ref=${place}
      class="scroll filling"
      tabindex="0"
      role="region"
      aria-label="Rows and answers"
      aria-busy=${isWorking}
    >
      <table class="plain">
        <caption class="unseen">
          Your rows
        </caption>
        <thead>
          <tr>
            ${shown.map((place) => html`<th key=${place} scope="col">${columns[place]}</th>`)}
            ${others.length > 0 && html`<th scope="col">${shown.length === 0 ? 'Input' : sharedTitle(others.map(String))}</th>`}
            <th scope="col">${columns[answerAt]}</th>
          </tr>
        </thead>
        <tbody>
          ${first.map(
            (row, at) =>
              html`<tr key=${at}>
                ${shown.map((place) => html`<td key=${place}>${row.cells[place]}</td>`)}
                ${
                  others.length > 0 &&
                  html`<td>
                    <${Pairs}
                      pairs=${others.map((place) => /** @type {const} */ ([columns[place] ?? '', row.cells[place]]))}
                    />
                  </td>`
                }
                <${Answer} row=${row} given=${row.cells[answerAt] ?? ''} isWorking=${isWorking} />
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${
      first.length < count &&
      (!isWorking || first.length === SHOWN_ROWS) &&
      html`<p class="quiet">The first ${formatNumber(first.length)} of ${formatNumber(count)} rows.</p>`
    }`
}

/** @param {{ row: Row, given: string, isWorking: boolean }} props */
function Answer({ row: { filled, why, isUnlike }, given, isWorking }) {
  if (filled !== undefined) {
    return html`<td class="filled">
      ${filled} ${isUnlike && html`<${Badge} status="warned" text="unlike the examples" />`}
    </td>`
  }
  if (why !== undefined) return html`<td class="quiet">${why}</td>`
  if (given.trim() !== '') return html`<td>${given}</td>`
  return html`<td class="blank" aria-label=${isWorking ? 'being filled' : 'empty'}></td>`
}
