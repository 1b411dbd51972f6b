import { html } from 'htm/preact'
import { Choice, Field } from '../../parts/form/field.js'
/** @typedef {import('./use-preview.js').Mapping} Mapping */
/** @typedef {{ currentTarget: HTMLSelectElement }} SelectEvent */

const DELIMITERS = /** @type {const} */ ([
  [',', 'comma'],
  [';', 'semicolon'],
  ['\t', 'tab'],
  ['|', 'bar'],
])

/**
 * Controls of what was guessed about a file: its sheet, its delimiter, its first row.
 *
 * @param {{ table: import('./use-preview.js').Preview, mapping: Mapping, change: (mapping: Mapping) => void }} props
 */
export function ReadAs({ table, mapping, change }) {
  const { sheets, sheet, delimiter, encoding, header, format } = table
  const isTable = format === 'csv' || format === 'sheet'
  const known = DELIMITERS.map(([value, label]) => /** @type {const} */ ([value, label]))
  const offered =
    delimiter === null || known.some(([value]) => value === delimiter.character)
      ? known
      : [...known, /** @type {const} */ ([delimiter.character, delimiter.name])]
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
          chosen=${sheet?.name}
          onChange=${(/** @type {SelectEvent} */ { currentTarget }) => anew({ sheet: currentTarget.value })}
        />`
      }
      ${
        delimiter !== null &&
        html`<${Field}
          as="select"
          label="Delimiter"
          name="delimiter"
          options=${offered}
          chosen=${delimiter.character}
          onChange=${(/** @type {SelectEvent} */ { currentTarget }) => anew({ delimiter: currentTarget.value })}
        />`
      }
    </div>
    ${
      isTable &&
      html`<${Choice}
        label="The first row holds the names of the columns"
        name="header"
        checked=${header.present}
        onChange=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
          anew({ header: currentTarget.checked })}
      />`
    }
    <p class="quiet">${[encoding?.name, sheet?.name, delimiter?.name].filter(Boolean).join(' · ')}</p>`
}
