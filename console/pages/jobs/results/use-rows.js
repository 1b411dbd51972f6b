import { get, withQuery } from '../../../api.js'
import { usePaged } from '../../../parts/read/use-paged.js'

/** @typedef {import('zod').output<typeof import('../../../../core/compile/wire/jobs/explain/rows.ts').RowView>} Row */
/** @typedef {import('zod').output<typeof import('../../../../core/compile/wire/jobs/explain/rows.ts').RowsAnswer>} RowsAnswer */
/** @typedef {{ only?: 'wrong' | 'abstained' | undefined, side?: string | undefined }} RowFilter */

/** Rows of one page. */
const PAGE_ROWS = 25

/**
 * The rows of a job with their results, by pages.
 *
 * @param {string} jobId
 * @param {RowFilter} filter
 * @returns {import('../../../parts/read/use-paged.js').Paged<Row>}
 */
export function useRows(jobId, { only, side }) {
  return usePaged(
    async (cursor, signal) => await readRows(jobId, { only, side, limit: PAGE_ROWS, cursor }, signal),
    [jobId, only, side],
  )
}

/**
 * Reads a page of rows. The service may answer an empty page before the last one when few rows pass the filter; the
 * next one is read then.
 *
 * @param {string} jobId
 * @param {RowFilter & { limit: number, cursor?: string | undefined }} query
 * @param {AbortSignal} [signal]
 * @returns {Promise<import('../../../parts/read/use-paged.js').ListPage<Row>>}
 */
async function readRows(jobId, { cursor: first, ...query }, signal) {
  for (let cursor = first; ;) {
    const path = withQuery(`/v1/compile/${encodeURIComponent(jobId)}/rows`, { ...query, cursor })
    /** @type {RowsAnswer} */
    const { rows, next_cursor: next } = await get(path, signal)
    if (rows.length > 0 || next === null) return { items: rows, next }
    cursor = next
  }
}
