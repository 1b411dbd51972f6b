import { element } from './dom.js'
import { formatWord } from './format.js'

/**
 * A state as a coloured word.
 *
 * @param {string} status
 * @param {string} [text] in place of the status itself
 */
export function badge(status, text = formatWord(status)) {
  return element('span', { class: 'badge', 'data-status': status }, text)
}
