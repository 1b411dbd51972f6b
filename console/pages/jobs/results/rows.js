import { html } from 'htm/preact'
import { useId } from 'preact/hooks'
import { ApiError } from '../../../api.js'
import { formatNumber } from '../../../parts/format.js'
import { Segments } from '../../../parts/buttons/segments.js'
import { Table } from '../../../parts/table/table.js'
import { rowColumns, SIDES } from './row-cells.js'
import { useRows } from './use-rows.js'
/** @typedef {import('../job.js').Job} Job */
/** @typedef {import('./choice.js').Choice} Choice */

const RESULTS = /** @type {const} */ ([
  ['', 'All'],
  ['wrong', 'Wrong'],
  ['abstained', 'No answer'],
])

/**
 * The rows of a job that has ended, each with its result.
 *
 * @param {{ job: Pick<Job, 'id' | 'evals_summary'>, title?: string, choice: Choice, choose: (choice: Choice) => void }} props
 */
export function JobRows({ job, title = 'Rows', choice, choose }) {
  const paged = useRows(job.id, { only: choice.only || undefined, side: choice.side || undefined })
  const select = useId()
  const isExpired = paged.error instanceof ApiError && paged.error.code === 'rows_expired'
  return html`<section aria-labelledby="rows">
    <h2 id="rows" tabindex="-1">${title}</h2>
    ${
      isExpired
        ? html`<p class="empty">The rows of this job are no longer kept.</p>`
        : html`${job.evals_summary && html`<p>${summaryOf(job.evals_summary)}</p>`}
            <div class="toolbar">
              <${Segments}
                label="Results"
                options=${RESULTS}
                chosen=${choice.only}
                choose=${(/** @type {Choice['only']} */ only) => choose({ ...choice, only })}
              />
              <div class="row">
                <label for=${select}>Side</label>
                <select
                  id=${select}
                  onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) =>
                    choose({ ...choice, side: currentTarget.value })}
                >
                  ${[['', 'all'], ...Object.entries(SIDES)].map(
                    ([value, text]) =>
                      html`<option key=${value} value=${value} selected=${value === choice.side}>${text}</option>`,
                  )}
                </select>
              </div>
            </div>
            <${Table}
              caption="Rows with their results"
              paged=${paged}
              empty=${emptyText(choice)}
              keyOf=${(/** @type {import('./use-rows.js').Row} */ { id }) => id}
              columns=${rowColumns(paged.rows ?? [])}
            />`
    }
  </section>`
}

/** @param {NonNullable<Job['evals_summary']>} evals */
function summaryOf({ total, failing }) {
  if (failing === 0) return `All ${formatNumber(total)} scored rows are right.`
  return `${formatNumber(failing)} of ${formatNumber(total)} scored rows ${failing === 1 ? 'is' : 'are'} wrong.`
}

/** @param {Choice} choice */
function emptyText({ only, side }) {
  if (only === '' && side === '') return 'This job ended before its rows were scored.'
  const result = only === 'wrong' ? 'wrong ' : only === 'abstained' ? 'unanswered ' : ''
  const place = side === '' ? 'row' : `row ${SIDE_WORDS[side] ?? ''}`
  return `No ${result}${place}.`
}

/** @type {Readonly<Record<string, string>>} */
const SIDE_WORDS = {
  held_out: 'that was held out',
  test: 'marked as a test',
  learned: 'that was only learned from',
  to_label: 'to label',
}
