import { html } from 'htm/preact'
import { Badge } from '../../../parts/badge.js'
import { formatPercent, formatWord } from '../../../parts/format.js'
import { Table } from '../../../parts/table/table.js'
/** @typedef {import('./csv.js').Answer} Answer */

/** Columns of the input that get one of the table's own; further ones stand in one cell. */
const MOST_COLUMNS = 3

/**
 * The first answers of a file.
 *
 * @param {{ columns: readonly string[], answers: readonly Answer[] }} props
 */
export function AnswersTable({ columns, answers }) {
  return html`<${Table}
    caption="The first answers"
    rows=${answers}
    empty="The file has no rows."
    keyOf=${(/** @type {Answer} */ { row }) => row}
    columns=${[
      { title: 'Row', cell: (/** @type {Answer} */ { row }) => row, isNumeric: true },
      ...givenOf(columns),
      { title: 'Output', cell: (/** @type {Answer} */ answer) => html`<${Output} answer=${answer} />`, isWide: true },
      { title: 'Note', cell: (/** @type {Answer} */ answer) => html`<${Notes} answer=${answer} />` },
    ]}
  />`
}

/**
 * @param {readonly string[]} columns
 * @returns {readonly import('../../../parts/table/table.js').Column<Answer>[]}
 */
function givenOf(columns) {
  if (columns.length <= MOST_COLUMNS) {
    return columns.map((title, place) => ({
      title,
      cell: ({ given }) => html`<span class="value">${given[place]}</span>`,
    }))
  }
  const cell = (/** @type {Answer} */ { given }) =>
    html`<span class="value clamped" title=${given.join(' · ')}>${given.join(' · ')}</span>`
  return [{ title: `${columns[0]} and ${columns.length - 1} more`, cell }]
}

/** @param {{ answer: Answer }} props */
function Output({ answer: { output, hasAbstained, errorCode } }) {
  if (errorCode !== '') return html`<span class="quiet">–</span>`
  if (hasAbstained) return html`<span class="quiet">no answer</span>`
  return html`<span class="value">${output}</span>`
}

/** @param {{ answer: Answer }} props */
function Notes({ answer: { confidence, isUnlike, failedChecks, errorCode, error } }) {
  if (errorCode !== '') return html`<span class="payload bad" title=${errorCode}>${error}</span>`
  const words = [
    failedChecks !== '' && `fails ${checkWords(failedChecks)}`,
    confidence !== '' && `confidence ${formatPercent(Number(confidence))}`,
  ]
  return html`${isUnlike && html`<${Badge} status="warned" text="unlike the examples" />`}
    <span class="payload">${words.filter(Boolean).join(', ')}</span>`
}

/**
 * The kinds of the checks that an answer failed.
 *
 * @param {string} ids each as `kind:place`, with spaces between them
 */
function checkWords(ids) {
  const kinds = ids.split(' ').map((id) => formatWord(id.replace(/:.*$/, '')))
  return [...new Set(kinds)].join(', ')
}
