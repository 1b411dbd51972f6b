import { html } from 'htm/preact'
import { Badge } from '../../../parts/badge.js'
import { failedInWords } from '../../../parts/evidence/check-words.js'
import { formatPercent } from '../../../parts/format.js'
import { foldNames, Pairs, sharedTitle } from '../../../parts/table/members.js'
import { Table } from '../../../parts/table/table.js'
/** @typedef {import('./csv.js').Answer} Answer */

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
  const { own, shared } = foldNames(columns)
  /** @type {readonly import('../../../parts/table/table.js').Column<Answer>[]} */
  const shown = own.map((title, place) => ({
    title,
    cell: ({ given }) => html`<span class="value">${given[place]}</span>`,
  }))
  if (shared.length === 0) return shown
  const cell = (/** @type {Answer} */ { given }) =>
    html`<${Pairs} pairs=${shared.map((name, at) => /** @type {const} */ ([name, given[own.length + at]]))} />`
  return [...shown, { title: sharedTitle(shared), cell, isWide: true }]
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
    // Each as `name:place`, with spaces between them.
    failedChecks !== '' && failedInWords(failedChecks.split(' ').map((id) => ({ name: id.replace(/:.*$/, '') }))),
    confidence !== '' && `confidence ${formatPercent(Number(confidence))}`,
  ]
  return html`${isUnlike && html`<${Badge} status="warned" text="unlike the examples" />`}
    <span class="payload">${words.filter(Boolean).join(', ')}</span>`
}
