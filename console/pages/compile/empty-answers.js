import { formatNumber } from '../../parts/format.js'
/** @typedef {import('./use-preview.js').Preview} Preview */
/** @typedef {import('./use-preview.js').Mapping} Mapping */

/**
 * Says what becomes of rows whose answer is empty, as the preview counts them; empty without such rows.
 *
 * @param {Pick<Preview, 'columns' | 'output' | 'unlabelled'>} table
 * @param {Mapping} mapping
 */
export function emptyAnswersOf({ columns, output, unlabelled }, mapping) {
  const empty = columns.find(({ name }) => name === output.column)?.empty ?? 0
  const others = Math.max(empty - unlabelled, 0)
  const sentences = [
    unlabelled > 0 &&
      `${rowsWithout(unlabelled)} not learned from; run the artifact on ${unlabelled === 1 ? 'it' : 'them'} afterwards.`,
    others > 0 &&
      (mapping.empty_answers === 'skip'
        ? `${rowsWithout(others)} left out.`
        : `${rowsWithout(others)} learned: an empty answer is the right one there.`),
  ]
  return sentences.filter(Boolean).join(' ')
}

/** @param {number} count */
function rowsWithout(count) {
  return `${formatNumber(count)} ${count === 1 ? 'row without an answer is' : 'rows without an answer are'}`
}
