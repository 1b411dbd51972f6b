/** @typedef {import('../job.js').Job} Job */
/** @typedef {{ only: '' | 'wrong' | 'abstained', side: string }} Choice what the table of rows shows; empty for all */

/**
 * Returns what the table of a job shows at first: the rows that count against it, where there are some.
 *
 * @param {Job} job
 * @returns {Choice}
 */
export function firstChoice({ status, failing_rows: failing = [] }) {
  return { only: status === 'gated' && failing.length > 0 ? 'wrong' : '', side: '' }
}

/** Moves the reader to the table of rows. */
export function showRows() {
  document.getElementById('rows')?.focus()
}
