import { errorText } from '../../parts/error.js'

/**
 * A problem of a preview as a sentence that begins with its place. Names of fields of the API are left out: the page has
 * a control for each.
 *
 * @param {import('./use-preview.js').Preview['problems'][number]} problem
 */
export function problemText({ field, message }) {
  const line = /^line\[(\d+)\]$/.exec(field)?.[1]
  const place = line === undefined ? (field.includes('!') ? `${field}: ` : '') : `Line ${line}: `
  const text = message.replaceAll(/ \(`[^`]*`\)/g, '')
  return place === '' ? errorText(text) : `${place}${text}.`
}
