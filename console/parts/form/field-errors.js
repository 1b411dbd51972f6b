import { createContext } from 'preact'
import { ApiError } from '../../api.js'

/** Errors of the fields of the form around, by the field's name in the call. */
export const FieldErrors = createContext(/** @type {ReadonlyMap<string, string>} */ (new Map()))

/**
 * Returns the errors of single fields that an answer of the service names.
 *
 * @param {unknown} error
 * @returns {ReadonlyMap<string, string>}
 */
export function fieldErrorsOf(error) {
  const listed = error instanceof ApiError ? error.details['fields'] : undefined
  if (!Array.isArray(listed)) return new Map()
  return new Map(
    listed.map(({ field, message }) => [String(field).replace(/^(spec|body)\./, ''), sentence(String(message))]),
  )
}

/** @param {string} text */
function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}
