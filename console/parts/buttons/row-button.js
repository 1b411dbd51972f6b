import { element } from '../dom.js'

/**
 * A button in a row of a table. Rows have the same buttons; for who listens, each says of what it is.
 *
 * @param {string} text
 * @param {string} of
 * @param {() => void} onclick
 */
export function rowButton(text, of, onclick) {
  return element('button', { type: 'button', class: 'small', 'aria-label': `${text} of ${of}`, onclick }, text)
}
