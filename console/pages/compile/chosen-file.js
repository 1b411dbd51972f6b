import { rawTextIn } from '../../parts/form/text-in.js'

/**
 * Returns the chosen file, or the pasted text as a file: text that begins with a brace is lines of JSON, another text a
 * table.
 *
 * @param {FormData} data
 */
export function chosenFile(data) {
  const chosen = data.get('file')
  if (chosen instanceof File && chosen.name !== '') return chosen
  // Tabs at the end are empty cells of the last row.
  const text = rawTextIn(data, 'examples')
    .replace(/^\s*\n/, '')
    .replace(/[\r\n]+$/, '')
  if (text.trim() === '') throw new Error('Paste examples, or choose a file.')
  if (text.trimStart().startsWith('[')) return new File([asLines(text)], 'pasted.jsonl')
  return new File([text], text.trimStart().startsWith('{') ? 'pasted.jsonl' : 'pasted.csv')
}

/**
 * The same while the form is being filled: undefined as long as there are no rows to read.
 *
 * @param {FormData} data
 */
export function rowsIn(data) {
  try {
    return chosenFile(data)
  } catch {
    return undefined
  }
}

/**
 * A JSON list as lines of JSON.
 *
 * @param {string} text
 */
function asLines(text) {
  try {
    /** @type {readonly unknown[]} */
    const rows = JSON.parse(text)
    return rows.map((row) => JSON.stringify(row)).join('\n')
  } catch (error) {
    throw new Error('The examples begin like a JSON list but are not valid JSON.', { cause: error })
  }
}
