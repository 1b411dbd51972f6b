import { formatNumber } from '../../parts/format.js'
/** @typedef {import('./use-preview.js').Preview} Preview */
/** @typedef {import('./use-preview.js').Mapping} Mapping */

/**
 * Says what becomes of rows whose answer is empty, as the preview counts them; empty without such rows.
 *
 * @param {Pick<Preview, 'columns' | 'output' | 'unlabelled' | 'unanswered'>} table
 * @param {Mapping} mapping
 */
export function emptyAnswersOf({ columns, output, unlabelled, unanswered }, mapping) {
  if (mapping.empty_answers === 'text') {
    const empty = columns.find(({ name }) => name === output.column)?.empty ?? 0
    return empty > 0 ? `${rowsWithout(empty)} learned: an empty answer is the right one there.` : ''
  }
  const { count, lines } = unanswered
  if (count === 0) return ''
  const places = `(lines ${lines.join(', ')}${count > lines.length ? ', …' : ''})`
  if (unlabelled === 0) return `${rowsWithout(count)} left out ${places}.`
  return `${rowsWithout(count)} not learned from ${places}; run the artifact on ${count === 1 ? 'it' : 'them'} afterwards.`
}

/** @param {number} count */
function rowsWithout(count) {
  return `${formatNumber(count)} ${count === 1 ? 'row without an answer is' : 'rows without an answer are'}`
}
