import { html } from 'htm/preact'
import { RowButton } from '../../parts/buttons/row-button.js'
import { InputFields } from './input-fields.js'
/** @typedef {import('./changes.js').Added} Added */

/**
 * Rows to add to those of the job.
 *
 * @param {{ added: readonly Added[], fields: readonly import('./input-fields.js').MemberField[], change: (added: readonly Added[]) => void }} props
 *   `fields`: members of the inputs
 */
export function AddedRows({ added, fields, change }) {
  const field = (/** @type {keyof Added} */ member, /** @type {number} */ place) =>
    html`<${InputFields}
      text=${added[place]?.[member] ?? ''}
      fields=${member === 'input' ? fields : []}
      label=${`${member === 'input' ? 'Input' : 'Answer'} of new row ${place + 1}`}
      placeholder=${member === 'input' ? 'Input' : 'Answer'}
      change=${(/** @type {string} */ text) =>
        change(added.map((one, at) => (at === place ? { ...one, [member]: text } : one)))}
    />`
  return html`<div class="added">
    ${added.map(
      (_, place) =>
        html`<div class="added-row" key=${place}>
          ${field('input', place)}${field('output', place)}
          <${RowButton}
            text="Remove"
            of=${`new row ${place + 1}`}
            onClick=${() => change(added.filter((_, at) => at !== place))}
          />
        </div>`,
    )}
    <button type="button" onClick=${() => change([...added, { input: '', output: '' }])}>Add a row</button>
  </div>`
}
