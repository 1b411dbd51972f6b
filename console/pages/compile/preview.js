import { html } from 'htm/preact'
import { errorText } from '../../parts/error.js'
import { formatNumber } from '../../parts/format.js'
import { emptyAnswersOf } from './empty-answers.js'
import { lineOf } from '../../parts/table/members.js'
import { ColumnsTable } from './columns-table.js'
import { problemText } from './problem-text.js'
import { ReadAs } from './read-as.js'
/** @typedef {import('./use-preview.js').Mapping} Mapping */
/** @typedef {import('./use-preview.js').Preview} Table */

/**
 * Preview of the rows: columns, findings, and controls to correct the reading.
 *
 * @param {{ previewed: import('./use-preview.js').Previewed, mapping: Mapping, change: (mapping: Mapping) => void }} props
 */
export function Preview({ previewed: { table, error, isReading }, mapping, change }) {
  if (table === undefined && error === undefined && !isReading) return null
  return html`<section class="preview" aria-labelledby="preview" aria-busy=${isReading}>
    <h2 id="preview">How the rows are read</h2>
    <div role="status">
      ${error !== undefined && html`<p class="notice">${errorText(error)}</p>`}
      ${table && html`<p>${summaryOf(table, mapping)}</p>`}
      ${table?.problems.map((problem, i) => html`<p key=${i} class="notice">${problemText(problem)}</p>`)}
    </div>
    ${
      table &&
      html`<${ReadAs} ...${{ table, mapping, change }} />
        <${ColumnsTable} ...${{ table, mapping, change }} />
        <${Contradictions} table=${table} />
        <${FirstRows} table=${table} />`
    }
  </section>`
}

/**
 * @param {Table} table
 * @param {Mapping} mapping
 */
function summaryOf(table, mapping) {
  const counted = [
    `${formatNumber(table.rows)} rows`,
    table.duplicates.count > 0 && `${formatNumber(table.duplicates.count)} duplicates`,
    table.contradictions.count > 0 && `${formatNumber(table.contradictions.count)} contradictions`,
    table.ragged_rows.count > 0 &&
      `${formatNumber(table.ragged_rows.count)} rows of another length (lines ${table.ragged_rows.lines.join(', ')})`,
    table.blank_rows > 0 && `${formatNumber(table.blank_rows)} blank rows`,
  ]
  const leftOut = [
    table.title_rows.count > 0 && `${lines(table.title_rows)} above the table`,
    table.repeated_headers.count > 0 && `the header again in ${lines(table.repeated_headers)}`,
    table.total_rows.count > 0 && mapping.totals === 'skip' && `the total in ${lines(table.total_rows)}`,
  ].filter(Boolean)
  return [
    `${counted.filter(Boolean).join(', ')}.`,
    leftOut.length > 0 && `Left out: ${leftOut.join(', ')}.`,
    emptyAnswersOf(table, mapping),
  ]
    .filter(Boolean)
    .join(' ')
}

/** @param {{ count: number, lines: number[] }} placed */
function lines({ count, lines: places }) {
  return `${count === 1 ? 'line' : 'lines'} ${places.join(', ')}${count > places.length ? ', …' : ''}`
}

/** @param {{ table: Table }} props */
function Contradictions({ table: { contradictions } }) {
  if (contradictions.shown.length === 0) return null
  return html`<details>
    <summary>Rows that contradict each other</summary>
    <ul>
      ${contradictions.shown.map(
        ({ input, answers }, i) =>
          html`<li key=${i}>
            <code>${lineOf(input)}</code>:
            ${answers.map(({ line, output }) => `${lineOf(output)} (line ${line})`).join(', ')}
          </li>`,
      )}
    </ul>
  </details>`
}

/** @param {{ table: Table }} props */
function FirstRows({ table: { examples } }) {
  if (examples.length === 0) return null
  return html`<details>
    <summary>The first examples</summary>
    <ol class="examples">
      ${examples.map(({ input, output }, i) => html`<li key=${i}><code>${lineOf(input)}</code> → <code>${lineOf(output)}</code></li>`)}
    </ol>
  </details>`
}
