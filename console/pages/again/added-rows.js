import { html } from 'htm/preact'
import { RowButton } from '../../parts/buttons/row-button.js'
/** @typedef {import('./changes.js').Added} Added */
/** @typedef {{ currentTarget: HTMLTextAreaElement }} TypeEvent */

/**
 * Rows to add to those of the job.
 *
 * @param {{ added: readonly Added[], change: (added: readonly Added[]) => void }} props
 */
export function AddedRows({ added, change }) {
  const field = (/** @type {keyof Added} */ member, /** @type {number} */ place) =>
    html`<textarea
      rows="1"
      class="cell"
      aria-label=${`${member === 'input' ? 'Input' : 'Answer'} of new row ${place + 1}`}
      placeholder=${member === 'input' ? 'Input' : 'Answer'}
      value=${added[place]?.[member]}
      onInput=${(/** @type {TypeEvent} */ { currentTarget }) =>
        change(added.map((one, at) => (at === place ? { ...one, [member]: currentTarget.value } : one)))}
    ></textarea>`
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
