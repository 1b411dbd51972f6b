import { textOf } from '../../parts/table/difference.js'
/** @typedef {import('../jobs/results/use-rows.js').Row} Row */
/**
 * Edits of a row; absent members are unchanged.
 *
 * @typedef {{ row: Row, input?: string, output?: string, isRemoved?: boolean }} Edit
 */
/** @typedef {{ input: string, output: string }} Added a row that the job did not have, as typed */
/** @typedef {{ examples: object[], remove: string[] }} Changes as the service takes them */
/**
 * The form of new values.
 *
 * @typedef {{ areInputsTexts: boolean, areOutputsTexts: boolean, fields: readonly import('./input-fields.js').MemberField[] }} Forms
 *   `fields`: members of the inputs, where these are objects
 */

/**
 * Returns the edits and additions as the changes of `POST /v1/compile/{id}/again`. What was a text stays one, any other
 * value is read as JSON. Throws an error that names the row when it is none.
 *
 * @param {Iterable<Edit>} edits
 * @param {readonly Added[]} added
 * @param {Pick<Forms, 'areInputsTexts' | 'areOutputsTexts'>} forms
 * @returns {Changes}
 */
export function changesOf(edits, added, { areInputsTexts, areOutputsTexts }) {
  /** @type {Changes} */
  const changes = { examples: [], remove: [] }
  for (const edit of edits) {
    const { row, isRemoved } = edit
    if (isRemoved) changes.remove.push(row.id)
    else if (isEdited(edit)) {
      const expected = row.side === 'to_label' ? undefined : row.expected
      const isText = expected === undefined ? areOutputsTexts : typeof expected === 'string'
      changes.examples.push({
        id: row.id,
        input: valueOf(edit.input ?? textOf(row.input), typeof row.input === 'string', `the input of ${row.id}`),
        output: valueOf(edit.output ?? textOf(expected), isText, `the answer of ${row.id}`),
        ...(row.side === 'test' && { kind: 'test' }),
      })
    }
  }
  added.forEach(({ input, output }, place) => {
    if (input === '' && output === '') return
    const name = `new row ${place + 1}`
    changes.examples.push({
      input: valueOf(input, areInputsTexts, `the input of ${name}`),
      output: valueOf(output, areOutputsTexts, `the answer of ${name}`),
    })
  })
  return changes
}

/**
 * Whether a row has another input or answer than before. An input to label needs its answer.
 *
 * @param {Edit} edit
 */
export function isEdited({ row, input, output }) {
  if (row.side === 'to_label') return output !== undefined && output !== ''
  return (
    (input !== undefined && input !== textOf(row.input)) || (output !== undefined && output !== textOf(row.expected))
  )
}

/**
 * @param {string} text
 * @param {boolean} isText
 * @param {string} name
 */
function valueOf(text, isText, name) {
  if (isText) return text
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`Write ${name} as JSON, such as 12, true or {"city": "Oslo"}.`, { cause: error })
  }
}
