import { html } from 'htm/preact'
import { loadPart } from './load-part.js'
import { Reading } from './reading.js'
import { useRead } from './use-read.js'

/**
 * Returns a component whose modules are loaded when it is first shown, for parts that most visits to a page do without.
 *
 * @template {object} Props
 * @param {() => Promise<import('preact').ComponentType<Props>>} load
 * @returns {import('preact').FunctionComponent<Props>}
 */
export function later(load) {
  return function Later(props) {
    const read = useRead(async () => ({ View: await loadPart(load) }), [])
    return html`<${Reading} of=${read}>
      ${(/** @type {{ View: import('preact').ComponentType<Props> }} */ { View }) => html`<${View} ...${props} />`}
    <//>`
  }
}
