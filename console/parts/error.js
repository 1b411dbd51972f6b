import { ApiError } from '../api.js'
import { element } from './dom.js'

/**
 * The message of an error: the text of the service, and the request id of its log.
 *
 * @param {unknown} error
 */
export function errorBox(error) {
  const isKnown = error instanceof ApiError
  const missing = isKnown && error.code === 'insufficient_scope' ? error.details['required'] : undefined
  return element(
    'div',
    { class: 'error', role: 'alert' },
    element(
      'p',
      {},
      typeof missing === 'string' ? `What you signed in with lacks the scope ${missing}.` : textOf(error),
    ),
    isKnown && error.requestId !== undefined
      ? element('p', { class: 'quiet' }, `${error.code} · request ${error.requestId}`)
      : undefined,
  )
}

/** @param {unknown} error */
function textOf(error) {
  const text = error instanceof Error ? error.message : String(error)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

/**
 * Creates a place for errors, and a function that runs work and shows its errors there: one at a time, so that a second
 * click does not repeat the work.
 *
 * @returns {{ outlet: HTMLElement, show: (error: unknown) => void, run: (work: () => Promise<unknown>) => void }}
 */
export function createTrouble() {
  const outlet = element('div')
  const show = (/** @type {unknown} */ error) => outlet.replaceChildren(errorBox(error))
  let isWorking = false
  return {
    outlet,
    show,
    run(work) {
      if (isWorking) return
      isWorking = true
      outlet.replaceChildren()
      work()
        .catch(show)
        .finally(() => {
          isWorking = false
        })
    },
  }
}
