import { html } from 'htm/preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { reload } from '../../app/state.js'
import { ErrorBox } from '../error.js'
import { formatNumber } from '../format.js'
import { HeadCell } from './head-cell.js'
import { arrange } from './arrange.js'

/** @typedef {import('preact').ComponentChildren} Children */
/**
 * @template T
 * @typedef {object} Column
 * @property {string} title empty for what one can do with a row
 * @property {(row: T) => Children} cell
 * @property {(row: T) => string | number | null | undefined} [sort] makes the column sortable by this value
 * @property {boolean} [isNumeric] numbers stand to the right
 * @property {boolean} [isWide] takes what room the others leave
 */
/**
 * @template T
 * @typedef {object} TableProps
 * @property {string} caption
 * @property {readonly Column<T>[]} columns
 * @property {readonly T[]} [rows] of a list that is at hand
 * @property {import('../read/use-paged.js').Paged<T>} [paged] in place of `rows`: a list that is read by pages
 * @property {Children} empty shown in place of a table without rows
 * @property {(row: T) => string} [keyOf] names a row, so that it keeps its elements when others come or go
 * @property {(row: T) => string} [filter] text of a row; makes the table searchable, once it has more than a few rows
 */

/** Rows from which on a table that can be searched has a field for it. */
const WORTH_SEARCHING = 8

/**
 * A table with its states: being read, refused, empty, filtered to nothing, with more to read. Narrow screens show each
 * row as a card: the roles are written out because a changed `display` would take the table's meaning away, and each
 * cell carries its column's title.
 *
 * @template T
 * @param {TableProps<T>} props
 */
export function Table({ caption, columns, rows: given, paged, empty, keyOf, filter }) {
  const [sorted, setSorted] = useState(/** @type {import('./arrange.js').Order | undefined} */ (undefined))
  const [sought, setSought] = useState('')
  const outlet = useMoreFocus(paged?.hasMore === true)
  const rows = paged?.rows ?? given
  if (rows === undefined) {
    if (paged?.error === undefined) return html`<p class="empty">Reading …</p>`
    return html`<${ErrorBox} error=${paged.error} /><button type="button" onClick=${reload}>Try again</button>`
  }
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`
  const shown = arrange({ rows, columns, order: sorted, filter, sought })
  const isSearchable = filter !== undefined && (rows.length >= WORTH_SEARCHING || sought !== '')
  return html`<div tabindex="-1" class="listing" ref=${outlet}>
    ${isSearchable && html`<${Search} ...${{ caption, sought, setSought, shown: shown.length, of: rows.length, isWhole: !paged?.hasMore }} />`}
    ${
      shown.length === 0
        ? html`<p class="empty">No row contains “${sought}”.</p>`
        : html`<table role="table">
            <caption class="unseen">
              ${caption}
            </caption>
            <thead role="rowgroup">
              <tr role="row">
                ${columns.map((column, place) => html`<${HeadCell} key=${place} ...${{ column, place, sorted, setSorted }} />`)}
              </tr>
            </thead>
            <tbody role="rowgroup">
              ${shown.map((row, at) => html`<${TableRow} key=${keyOf?.(row) ?? at} row=${row} columns=${columns} />`)}
            </tbody>
          </table>`
    }
    ${paged && html`<${More} paged=${paged} />`}
  </div>`
}

/**
 * @template T
 * @param {{ row: T, columns: readonly Column<T>[] }} props
 */
function TableRow({ row, columns }) {
  return html`<tr role="row">
    ${columns.map(
      (column, place) =>
        html`<td key=${place} role="cell" data-title=${column.title} class=${classOf(column)}>${column.cell(row)}</td>`,
    )}
  </tr>`
}

/** @param {{ isNumeric?: boolean, isWide?: boolean }} column */
function classOf({ isNumeric, isWide }) {
  if (isNumeric) return 'number'
  return isWide ? 'wide' : undefined
}

/**
 * @param {{ caption: string, sought: string, setSought: (text: string) => void, shown: number, of: number,
 *   isWhole: boolean }} props
 */
function Search({ caption, sought, setSought, shown, of, isWhole }) {
  const among = isWhole ? `${formatNumber(of)} rows` : `the ${formatNumber(of)} rows read so far`
  return html`<div class="search">
    <input
      type="search"
      placeholder="Filter"
      aria-label=${`Filter: ${caption}`}
      value=${sought}
      onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) => setSought(currentTarget.value)}
    />
    <span class="quiet" role="status">${sought === '' ? '' : `${formatNumber(shown)} of ${among}`}</span>
  </div>`
}

/** @param {{ paged: import('../read/use-paged.js').Paged<unknown> }} props */
function More({ paged }) {
  return html`<${ErrorBox} error=${paged.error} /> ${
      paged.hasMore &&
      html`<button type="button" class="more" aria-disabled=${paged.isReadingMore} onClick=${() => void paged.more()}>
        Show more
      </button>`
    }`
}

/**
 * Keeps the focus in the list when its last page takes the button away that had it.
 *
 * @param {boolean} hasMore
 */
function useMoreFocus(hasMore) {
  const outlet = useRef(/** @type {HTMLElement | null} */ (null))
  const had = useRef(hasMore)
  useLayoutEffect(() => {
    if (had.current && !hasMore && document.activeElement === document.body) outlet.current?.focus()
    had.current = hasMore
  }, [hasMore])
  return outlet
}
