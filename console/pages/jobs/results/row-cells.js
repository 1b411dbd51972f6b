import { html } from 'htm/preact'
import { Badge } from '../../../parts/badge.js'
import { comparableTexts, differenceOf, Marked } from '../../../parts/table/difference.js'
import { foldNames, memberNames, Pairs, sharedTitle, ValueText } from '../../../parts/table/members.js'
import { failedInWords } from '../../../parts/evidence/check-words.js'
import { formatPercent } from '../../../parts/format.js'
/** @typedef {import('./use-rows.js').Row} Row */

/** @type {Readonly<Record<NonNullable<Row['result']>, string>>} */
const RESULTS = {
  right: 'right',
  wrong: 'wrong',
  abstained: 'no answer',
  recipe_failed: 'recipe failed',
  out_of_budget: 'not finished',
  no_candidate: 'no recipe',
}

/** @type {Readonly<Record<Row['side'], string>>} */
export const SIDES = { held_out: 'held out', test: 'test', learned: 'learned from', to_label: 'to label' }

/** @typedef {import('../../../parts/table/table.js').Column<Row>} RowColumn */

/**
 * Returns the columns of rows. Inputs of several members have a column for each of the first ones.
 *
 * @param {readonly Row[]} rows
 * @returns {readonly RowColumn[]}
 */
export function rowColumns(rows) {
  return [
    { title: 'Row', cell: ({ id }) => html`<code class="id">${id}</code>` },
    { title: 'Result', cell: (row) => html`<${Result} row=${row} />`, sort: ({ result }) => result },
    ...inputColumns(memberNames(rows.flatMap(({ input }) => (input === undefined ? [] : [input])))),
    { title: 'Expected', cell: (row) => html`<${Expected} row=${row} />`, isWide: true },
    { title: 'Got', cell: (row) => html`<${Got} row=${row} />`, isWide: true },
    { title: 'Check', cell: (row) => notesOf(row) },
    { title: 'Side', cell: ({ side }) => html`<span class="quiet">${SIDES[side]}</span>`, sort: ({ side }) => side },
  ]
}

/**
 * @param {readonly string[]} names members of every input; empty where inputs are single values
 * @returns {readonly RowColumn[]}
 */
function inputColumns(names) {
  const { own, shared } = foldNames(names)
  if (own.length === 0) {
    return [{ title: 'Input', cell: (row) => html`<${Value} row=${row} value=${row.input} />`, isWide: true }]
  }
  const memberOf = (/** @type {Row} */ { input }, /** @type {string} */ name) =>
    /** @type {Readonly<Record<string, unknown>> | undefined} */ (input)?.[name]
  /** @type {readonly RowColumn[]} */
  const columns = own.map((name) => ({
    title: `Input: ${name}`,
    cell: (row) => html`<${Value} row=${row} value=${memberOf(row, name)} />`,
  }))
  if (shared.length === 0) return columns
  const cell = (/** @type {Row} */ row) =>
    html`<${Pairs} pairs=${shared.map((name) => /** @type {const} */ ([name, memberOf(row, name)]))} />`
  return [...columns, { title: `Input: ${sharedTitle(shared)}`, cell, isWide: true }]
}

/**
 * The result of a row as a coloured word; nothing for a row that was not scored.
 *
 * @param {{ row: Row }} props
 */
export function Result({ row: { result } }) {
  if (result === null) return html`<span class="quiet">not scored</span>`
  return html`<${Badge} status=${result === 'right' ? 'ready' : 'failed'} text=${RESULTS[result]} />`
}

/** @param {{ row: Row, value: unknown }} props */
function Value({ row, value }) {
  if (row.digests !== undefined) return html`<span class="quiet" title=${row.digests.row}>digest only</span>`
  return value === undefined ? html`<span class="quiet">–</span>` : html`<${ValueText} value=${value} />`
}

/** @param {{ row: Row }} props */
function Expected({ row }) {
  const difference = markedDifference(row)
  return difference
    ? html`<${Marked} difference=${difference} side="expected" />`
    : html`<${Value} row=${row} value=${row.expected} />`
}

/** @param {{ row: Row }} props */
function Got({ row }) {
  const difference = markedDifference(row)
  if (difference) return html`<${Marked} difference=${difference} side="got" />`
  return html`<${Value} row=${row} value=${row.result === 'right' ? row.got : undefined} />`
}

/** @param {Row} row */
function markedDifference({ result, digests, expected, got }) {
  if (result !== 'wrong' || digests !== undefined) return undefined
  return differenceOf(...comparableTexts(expected, got))
}

/**
 * The failed checks, the wrong parts and the confidence of a row; undefined for a row without such.
 *
 * @param {Row} row
 */
function notesOf({ failed_checks: checks, unlike_examples: isUnlike, confidence, paths = [], result }) {
  const wrong = paths.filter((one) => one.result !== null && one.result !== 'right')
  const notes = [
    ...(result === 'right' ? [] : wrong.map(({ path }) => `wrong at ${path || 'the output'}`)),
    ...(checks.length === 0 ? [] : [failedInWords(checks.map(({ kind: name, path }) => ({ name, path })))]),
    ...(isUnlike ? ['unlike the other inputs'] : []),
    ...(confidence === undefined || result === null ? [] : [`confidence ${formatPercent(confidence)}`]),
  ]
  return notes.length === 0 ? undefined : html`<span class="payload">${notes.join(', ')}</span>`
}
