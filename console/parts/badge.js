import { html } from 'htm/preact'
import { formatWord } from './format.js'

/**
 * A state as a coloured word.
 *
 * @param {{ status: string, text?: string }} props `text` in place of the status itself
 */
export function Badge({ status, text = formatWord(status) }) {
  return html`<span class="badge" data-status=${status}>${text}</span>`
}
