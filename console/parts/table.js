import { element } from './dom.js'
/** @typedef {import('./dom.js').Child} Child */

/**
 * @template T
 * @typedef {object} Column
 * @property {string} title empty for what one can do with a row
 * @property {(row: T) => Child} cell
 * @property {boolean} [isNumeric] numbers stand to the right
 * @property {boolean} [isWide] takes what room the others leave
 */

/**
 * A table, or a text when it is empty. Narrow screens show each row as a card: the roles are written
 * out because a changed `display` would take the table's meaning away, and each cell carries its column's title.
 *
 * @template T
 * @param {{ caption: string, columns: readonly Column<T>[], rows: readonly T[], empty: Child }} input
 * @returns {HTMLElement}
 */
export function table({ caption, columns, rows, empty }) {
  if (rows.length === 0) return element('p', { class: 'empty' }, empty)
  const head = columns.map((column) =>
    element('th', { role: 'columnheader', scope: 'col', class: classOf(column) }, titleOf(column)),
  )
  return element(
    'table',
    { role: 'table' },
    element('caption', { class: 'unseen' }, caption),
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...head)),
    element('tbody', { role: 'rowgroup' }, ...rows.map((row) => tableRow(columns, row))),
  )
}

/**
 * One row of such a table.
 *
 * @template T
 * @param {readonly Column<T>[]} columns
 * @param {T} row
 */
function tableRow(columns, row) {
  const cells = columns.map((column) =>
    element('td', { role: 'cell', 'data-title': column.title, class: classOf(column) }, column.cell(row)),
  )
  return element('tr', { role: 'row' }, ...cells)
}

/** @param {{ title: string }} column */
function titleOf({ title }) {
  return title === '' ? element('span', { class: 'unseen' }, 'Actions') : title
}

/** @param {{ isNumeric?: boolean, isWide?: boolean }} column */
function classOf({ isNumeric, isWide }) {
  if (isNumeric) return 'number'
  return isWide ? 'wide' : undefined
}

/**
 * Pairs of a name and a value, for the facts about one thing; those that do not hold are left out.
 *
 * @param {readonly (readonly [string, Child] | false | undefined)[]} facts
 */
export function factList(facts) {
  const given = facts.filter((fact) => fact !== undefined && fact !== false)
  return element(
    'dl',
    { class: 'facts' },
    ...given.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
  )
}

/**
 * The heading of a part of a page, with its actions.
 *
 * @param {string} text
 * @param {Child} [action]
 */
export function heading(text, action) {
  return element('div', { class: 'heading' }, element('h2', {}, text), action)
}
