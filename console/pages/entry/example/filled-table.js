import { html } from 'htm/preact'
import { Badge } from '../../../parts/badge.js'
import { formatNumber } from '../../../parts/format.js'
import { SHOWN_ROWS } from './cells.js'
/** @typedef {import('./cells.js').Row} Row */

/** Columns of the input that are shown beside the answers. */
const MOST_INPUTS = 4

/**
 * The rows as they came, and their answers as they fill. Unlike the lists of other pages it stays a table on narrow
 * screens, where it scrolls: one sees a column being filled.
 *
 * @param {{ table: import('./cells.js').Cells, isWorking: boolean }} props
 */
export function FilledTable({ table: { columns, answerAt, rows, count }, isWorking }) {
  const inputs = columns.map((_, place) => place).filter((place) => place !== answerAt)
  const shown = inputs.slice(0, MOST_INPUTS)
  const more = inputs.length - shown.length
  return html`<div
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
            ${more > 0 && html`<th scope="col" class="quiet">and ${formatNumber(more)} more</th>`}
            <th scope="col">${columns[answerAt]}</th>
          </tr>
        </thead>
        <tbody>
          ${rows.slice(0, SHOWN_ROWS).map(
            (row, at) =>
              html`<tr key=${at}>
                ${shown.map((place) => html`<td key=${place}>${row.cells[place]}</td>`)} ${more > 0 && html`<td></td>`}
                <${Answer} row=${row} given=${row.cells[answerAt] ?? ''} isWorking=${isWorking} />
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${count > SHOWN_ROWS && html`<p class="quiet">The first ${formatNumber(SHOWN_ROWS)} of ${formatNumber(count)} rows.</p>`}`
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
