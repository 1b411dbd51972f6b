import { html } from 'htm/preact'
import { Choice, Field } from '../../parts/form/field.js'
import { formatNumber } from '../../parts/format.js'
/** @typedef {import('./use-preview.js').Mapping} Mapping */
/** @typedef {{ currentTarget: HTMLSelectElement }} SelectEvent */

const DELIMITERS = /** @type {const} */ ([
  [',', 'comma'],
  [';', 'semicolon'],
  ['\t', 'tab'],
  ['|', 'bar'],
])

/**
 * Controls of what was guessed about a file: its sheet, its delimiter, its first row, rows of another length, and a total. A
 * choice stands while the rows are read again.
 *
 * @param {{ table: import('./use-preview.js').Preview, mapping: Mapping, change: (mapping: Mapping) => void }} props
 */
export function ReadAs({ table, mapping, change }) {
  const { sheets, sheet, delimiter, encoding, header, format } = table
  const isTable = format === 'csv' || format === 'sheet'
  const known = DELIMITERS.map(([value, label]) => /** @type {const} */ ([value, label]))
  // A file of one column has no delimiter, until one is chosen.
  const [shown, name] = delimiter === null ? ['', 'None'] : [delimiter.character, delimiter.name]
  const offered = known.some(([value]) => value === shown) ? known : [...known, /** @type {const} */ ([shown, name])]
  // Other columns may be there then, so the roles are guessed again.
  const anew = (/** @type {Mapping} */ part) => {
    const { input: _input, output: _output, ...rest } = mapping
    change({ ...rest, ...part })
  }
  return html`<div class="columns">
      ${
        sheets !== null &&
        sheets.length > 1 &&
        html`<${Field}
          as="select"
          label="Sheet"
          name="sheet"
          options=${sheets.map((name) => [name, name])}
          chosen=${mapping.sheet ?? sheet?.name}
          onChange=${(/** @type {SelectEvent} */ { currentTarget }) => anew({ sheet: currentTarget.value })}
        />`
      }
      ${
        (delimiter !== null || format === 'csv') &&
        html`<${Field}
          as="select"
          label="Delimiter"
          name="delimiter"
          options=${offered}
          chosen=${mapping.delimiter ?? shown}
          onChange=${(/** @type {SelectEvent} */ { currentTarget }) => anew({ delimiter: currentTarget.value })}
        />`
      }
    </div>
    ${
      isTable &&
      html`<${Choice}
        label="The first row holds the names of the columns"
        name="header"
        checked=${mapping.header ?? header.present}
        onChange=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
          anew({ header: currentTarget.checked })}
      />`
    }
    ${
      table.ragged_rows.count > 0 &&
      html`<${Choice}
        label=${raggedText(table.ragged_rows.count)}
        name="ragged"
        checked=${mapping.ragged === 'skip'}
        onChange=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
          change({ ...mapping, ragged: currentTarget.checked ? 'skip' : 'refuse' })}
      />`
    }
    ${
      table.total_rows.count > 0 &&
      html`<${Choice}
        label="Leave out line ${table.total_rows.lines[0]}, which looks like the total of the rows above"
        name="totals"
        checked=${mapping.totals === 'skip'}
        onChange=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
          change({ ...mapping, totals: currentTarget.checked ? 'skip' : 'keep' })}
      />`
    }
    <p class="quiet">${[encoding?.name, sheet?.name, delimiter?.name].filter(Boolean).join(' · ')}</p>`
}

/** @param {number} count */
function raggedText(count) {
  return count === 1
    ? 'Leave out the row with another number of cells'
    : `Leave out ${formatNumber(count)} rows with another number of cells`
}
