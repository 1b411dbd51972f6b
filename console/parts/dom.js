/** @typedef {string | number | boolean | undefined | ((event: Event) => void)} AttributeValue */
/** @typedef {Node | string | number | undefined | null | false} Child */

const SVG = 'http://www.w3.org/2000/svg'

/**
 * An element with its attributes and children. A function is a listener (`onclick`), `true` an attribute without a
 * value, `false` and `undefined` no attribute. Texts become text nodes, so nothing of what the service answers is ever
 * read as markup.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, AttributeValue>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  fill(made, attributes, children)
  return made
}

/**
 * The same for SVG elements.
 *
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, AttributeValue>} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function picture(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name)
  fill(made, attributes, children)
  return made
}

/**
 * @param {Element} made
 * @param {Record<string, AttributeValue>} attributes
 * @param {readonly Child[]} children
 */
function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name.replace(/^on/, ''), value)
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : String(value))
  }
  for (const child of children)
    if (child !== undefined && child !== null && child !== false)
      made.append(child instanceof Node ? child : String(child))
}

/**
 * The element of the page's frame with that id. Throws when the frame has none, which is a fault of the page.
 *
 * @template {HTMLElement} E
 * @param {string} id
 * @param {new () => E} kind
 * @returns {E}
 */
export function byId(id, kind) {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page has no ${id}`)
}

/** Time that a message stays, milliseconds. */
const SAID_MS = 6000

/** @type {ReturnType<typeof setTimeout> | undefined} */
let saying

/**
 * Shows a message on the page and announces it to screen readers; it disappears by itself.
 *
 * @param {string} text
 */
export function say(text) {
  const status = byId('status', HTMLElement)
  // Emptied first: the same words a second time would be no change, and nothing would be announced.
  status.textContent = ''
  requestAnimationFrame(() => {
    status.textContent = text
    status.classList.add('shown')
  })
  clearTimeout(saying)
  saying = setTimeout(() => status.classList.remove('shown'), SAID_MS)
}
