/**
 * The text of a field as it was typed; empty when there is none.
 *
 * @param {FormData} data
 * @param {string} name
 */
export function rawTextIn(data, name) {
  const value = data.get(name)
  return typeof value === 'string' ? value : ''
}

/**
 * The trimmed text of a field.
 *
 * @param {FormData} data
 * @param {string} name
 */
export function textIn(data, name) {
  return rawTextIn(data, name).trim()
}
