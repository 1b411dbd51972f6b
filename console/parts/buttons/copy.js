import { html } from 'htm/preact'
import { say } from '../say.js'

/**
 * A button that copies a text.
 *
 * @param {{ text: string, label: string }} props
 */
export function CopyButton({ text, label }) {
  const copy = async () => {
    try {
      // Over plain http, but for this machine, browsers give pages no clipboard at all.
      await navigator.clipboard.writeText(text)
      say('Copied.')
    } catch {
      say('The browser does not let this page copy; select the text instead.')
    }
  }
  return html`<button type="button" onClick=${() => void copy()}>${label}</button>`
}
