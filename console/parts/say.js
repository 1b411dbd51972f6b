import { signal } from '@preact/signals'

/** Time that a message stays, milliseconds. */
const SAID_MS = 6000

/** The message at the bottom of the page. */
export const said = signal({ text: '', isShown: false })

/** @type {ReturnType<typeof setTimeout> | undefined} */
let saying

/**
 * Shows a message on the page and announces it to screen readers; it disappears by itself.
 *
 * @param {string} text
 */
export function say(text) {
  // Emptied first: the same words a second time would be no change, and nothing would be announced.
  said.value = { text: '', isShown: false }
  requestAnimationFrame(() => {
    said.value = { text, isShown: true }
  })
  clearTimeout(saying)
  saying = setTimeout(() => {
    said.value = { text, isShown: false }
  }, SAID_MS)
}
