import { html } from 'htm/preact'

/**
 * A button in a row of a table. Rows have the same buttons; for screen readers, each says of what it is.
 *
 * @param {{ text: string, of: string, onClick: () => void }} props
 */
export function RowButton({ text, of, onClick }) {
  return html`<button type="button" class="small" aria-label="${text} of ${of}" onClick=${onClick}>${text}</button>`
}
