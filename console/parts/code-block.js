import { html } from 'htm/preact'

/**
 * Code as it is. It scrolls when it is long, so the keyboard must reach it.
 *
 * @param {{ label: string, text: string }} props
 */
export function CodeBlock({ label, text }) {
  return html`<pre class="code-block" tabindex="0" role="region" aria-label=${label}>${text}</pre>`
}
