import { element } from './dom.js'
/** @typedef {import('./dom.js').Child} Child */

/**
 * @template T
 * @typedef {object} Column
 * @property {string} title
 * @property {(row: T) => Child} cell
 * @property {boolean} [isNumeric] numbers stand to the right
 */

/**
 * A table, or what to say when there is nothing in it. Narrow screens show each row as a card: the roles are written
 * out because a changed `display` would take the table's meaning away, and each cell carries its column's title.
 *
 * @template T
 * @param {{ caption: string, columns: readonly Column<T>[], rows: readonly T[], empty: Child }} input
 * @returns {HTMLElement}
 */
export function table({ caption, columns, rows, empty }) {
  if (rows.length === 0) return element('p', { class: 'empty' }, empty)
  const head = columns.map(({ title, isNumeric }) =>
    element('th', { role: 'columnheader', scope: 'col', class: isNumeric ? 'number' : undefined }, title),
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
  const cells = columns.map(({ title, cell, isNumeric }) =>
    element('td', { role: 'cell', 'data-title': title, class: isNumeric ? 'number' : undefined }, cell(row)),
  )
  return element('tr', { role: 'row' }, ...cells)
}

/**
 * Pairs of a name and a value, for the facts about one thing.
 *
 * @param {readonly (readonly [string, Child])[]} facts
 */
export function factList(facts) {
  return element(
    'dl',
    { class: 'facts' },
    ...facts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
  )
}

/**
 * A list that grows by pages: a table, and below it a button as long as there is more.
 *
 * @template T
 * @param {{ read: (cursor: string | undefined) => Promise<{ items: readonly T[], next: string | null }>,
 *   show: (items: readonly T[]) => HTMLElement, onError: (error: unknown) => void }} input
 */
export async function pagedList({ read, show, onError }) {
  const outlet = element('div')
  const more = element('button', { type: 'button', class: 'more' }, 'Show more')
  /** @type {T[]} */
  const items = []
  /** @type {string | null} */
  let next = null
  const grow = async () => {
    const page = await read(next ?? undefined)
    items.push(...page.items)
    next = page.next
    outlet.replaceChildren(show(items))
    if (next !== null) outlet.append(more)
  }
  more.addEventListener('click', () => {
    more.disabled = true
    grow()
      .catch(onError)
      .finally(() => {
        more.disabled = false
        if (more.isConnected) more.focus()
      })
  })
  await grow()
  return outlet
}
