import { html } from 'htm/preact'
import { formatNumber } from '../../parts/format.js'
import { Table } from '../../parts/table/table.js'
import { roleOf, withRole } from './roles.js'
/** @typedef {import('./use-preview.js').Preview['columns'][number]} PreviewColumn */

const ROLES = /** @type {const} */ ([
  ['input', 'input'],
  ['output', 'answer'],
  ['ignored', 'left out'],
])

/**
 * The columns of the rows, each with a choice of what it is.
 *
 * @param {{ table: import('./use-preview.js').Preview, mapping: import('./use-preview.js').Mapping,
 *   change: (mapping: import('./use-preview.js').Mapping) => void }} props
 */
export function ColumnsTable({ table, mapping, change }) {
  const choose = (/** @type {string} */ name, /** @type {string} */ role) => {
    const { input: _input, output: _output, ...rest } = mapping
    change({ ...rest, ...withRole(table.columns, mapping, { name, role }) })
  }
  const roleChoice = (/** @type {PreviewColumn} */ column) => {
    const { name } = column
    const role = roleOf(column, mapping)
    // Members of this name say which row it is and what it is for; they cannot be chosen.
    if (role === 'id' || role === 'kind') return role
    return html`<select
      aria-label="Role of ${name}"
      onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) => choose(name, currentTarget.value)}
    >
      ${ROLES.map(([value, label]) => html`<option key=${value} value=${value} selected=${value === role}>${label}</option>`)}
    </select>`
  }
  return html`<${Table}
    caption="Columns"
    rows=${table.columns}
    empty="No columns."
    keyOf=${(/** @type {PreviewColumn} */ { name }) => name}
    columns=${[
      { title: 'Column', cell: (/** @type {PreviewColumn} */ { name }) => html`<code>${name}</code>` },
      { title: 'Role', cell: roleChoice },
      {
        title: 'Type',
        cell: (/** @type {PreviewColumn} */ { type, type_reason: reason }) =>
          html`<span title=${reason}>${type}</span>`,
      },
      {
        title: 'Empty',
        cell: (/** @type {PreviewColumn} */ { empty }) => formatNumber(empty),
        isNumeric: true,
      },
      {
        title: 'Samples',
        cell: (/** @type {PreviewColumn} */ { samples }) =>
          html`<span class="payload">${samples.map(sampleOf).join(' · ')}</span>`,
        isWide: true,
      },
    ]}
  />`
}

/** @param {unknown} value */
function sampleOf(value) {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
