/** @typedef {Pick<import('./use-preview.js').Preview['columns'][number], 'name' | 'role'>} PreviewColumn */
/** @typedef {import('./use-preview.js').Mapping} Mapping */

/**
 * Returns the role of a column: the chosen one, else that of the last preview, which may be older than the choice.
 *
 * @param {PreviewColumn} column
 * @param {Mapping} mapping
 */
export function roleOf({ name, role }, { input, output }) {
  if (role === 'id' || role === 'kind' || (input === undefined && output === undefined)) return role
  if (name === output) return 'output'
  if (input === undefined) return role === 'output' ? 'ignored' : role
  return input.includes(name) ? 'input' : 'ignored'
}

/**
 * Returns the input columns and the answer after one column was given another role. There is one answer: a column that
 * becomes it makes an input of the one before.
 *
 * @param {readonly PreviewColumn[]} columns
 * @param {Mapping} mapping what was chosen before
 * @param {{ name: string, role: string }} choice the role is `input`, `output` or `ignored`
 * @returns {Pick<Mapping, 'input' | 'output'>}
 */
export function withRole(columns, mapping, { name, role }) {
  const roleAfter = (/** @type {PreviewColumn} */ column) => {
    if (column.name === name) return role
    const before = roleOf(column, mapping)
    return role === 'output' && before === 'output' ? 'input' : before
  }
  const named = (/** @type {string} */ wanted) =>
    columns.filter((column) => roleAfter(column) === wanted).map((column) => column.name)
  const [output] = named('output')
  const input = named('input')
  return { ...(input.length > 0 && { input }), ...(output !== undefined && { output }) }
}
