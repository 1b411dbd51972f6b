import { element, say } from '../dom.js'

/**
 * A button that copies a text.
 *
 * @param {string} text
 * @param {string} label
 */
export function copyButton(text, label) {
  const copy = async () => {
    try {
      // Over plain http, but for this machine, browsers give pages no clipboard at all.
      await navigator.clipboard.writeText(text)
      say('Copied.')
    } catch {
      say('The browser does not let this page copy; select the text instead.')
    }
  }
  return element('button', { type: 'button', onclick: () => void copy() }, label)
}
