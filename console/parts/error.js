import { html } from 'htm/preact'
import { useRef, useState } from 'preact/hooks'
import { ApiError } from '../api.js'
import { isWorkspace } from '../app/state.js'
import { formatInstant } from './format.js'

/**
 * The message of an error: the text of the service, and the request id of its log.
 *
 * @param {{ error: unknown }} props nothing is shown for undefined
 */
export function ErrorBox({ error }) {
  if (error === undefined) return null
  const isKnown = error instanceof ApiError
  const missing = isKnown && error.code === 'insufficient_scope' ? error.details['required'] : undefined
  const text = typeof missing === 'string' ? `What you signed in with lacks the scope ${missing}.` : errorText(error)
  return html`<div class="error" role="alert">
    <p>${text}</p>
    ${isKnown && error.code === 'quota_exhausted' && html`<${QuotaAdvice} end=${error.details['resets_at']} />`}
    ${isKnown && error.requestId !== undefined && html`<p class="quiet">${error.code} · request ${error.requestId}</p>`}
  </div>`
}

/**
 * When the quota resets in the reader's own time, and where to get more before.
 *
 * @param {{ end: unknown }} props the instant of the reset, as the service writes it
 */
export function QuotaAdvice({ end }) {
  return html`<p>
    ${typeof end === 'string' && `Your quota resets on ${formatInstant(end)}. `}
    ${
      isWorkspace.value
        ? html`<a href="#/account">Make this workspace an account</a> to get more units now.`
        : html`<a href="#/billing">Compare the plans</a> to get more units now.`
    }
  </p>`
}

/**
 * The message of an error as a sentence.
 *
 * @param {unknown} error
 */
export function errorText(error) {
  const text = error instanceof Error ? error.message : String(error)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

/**
 * Runs actions of a page one at a time, so that a second click does not repeat the work, and keeps the error of the
 * last one for an `ErrorBox`.
 */
export function useActions() {
  const [error, setError] = useState(/** @type {unknown} */ (undefined))
  const isWorking = useRef(false)
  return {
    error,
    show: setError,
    run: (/** @type {() => Promise<unknown>} */ work) => {
      if (isWorking.current) return
      isWorking.current = true
      setError(undefined)
      work()
        .catch(setError)
        .finally(() => {
          isWorking.current = false
        })
    },
  }
}
