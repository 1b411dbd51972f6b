import { html } from 'htm/preact'
import { Badge } from '../../parts/badge.js'
import { formatBytes, formatInstant, formatPercent, formatScore } from '../../parts/format.js'
import { Table } from '../../parts/table/table.js'
import { isUnderWay } from './under-way.js'
/** @typedef {import('./jobs.js').JobSummary} JobSummary */

/** @type {readonly import('../../parts/table/table.js').Column<JobSummary>[]} */
const COLUMNS = [
  {
    title: 'Task',
    cell: ({ id, task }) =>
      html`<span class="named"
        ><a class="task" href="#/job/${id}">${task}</a><code class="quiet id">${id}</code></span
      >`,
    isWide: true,
  },
  { title: 'Status', cell: ({ status }) => html`<${Badge} status=${status} />` },
  { title: 'Progress', cell: (job) => html`<${Progress} job=${job} />` },
  {
    title: 'K',
    cell: ({ k_score: score }) => formatScore(score),
    sort: ({ k_score: score }) => score,
    isNumeric: true,
  },
  {
    title: 'Size',
    cell: ({ size_mb: size }) => (size === undefined ? '–' : formatBytes(size * 1e6)),
    sort: ({ size_mb: size }) => size,
    isNumeric: true,
  },
  {
    title: 'Submitted',
    cell: ({ created_at: at }) => html`<time datetime=${at}>${formatInstant(at)}</time>`,
    sort: ({ created_at: at }) => at,
  },
]

/**
 * @param {{ paged: import('../../parts/read/use-paged.js').Paged<JobSummary>,
 *   empty: import('preact').ComponentChildren }} props
 */
export function JobsTable({ paged, empty }) {
  return html`<${Table}
    caption="Compile jobs, newest first"
    paged=${paged}
    empty=${empty}
    keyOf=${(/** @type {JobSummary} */ { id }) => id}
    filter=${(/** @type {JobSummary} */ { task, id }) => `${task} ${id}`}
    columns=${COLUMNS}
  />`
}

/** @param {{ job: JobSummary }} props */
function Progress({ job }) {
  const { id, task, stage_label: stage, progress } = job
  return html`<span class="running" data-job=${id}>
    <progress max="100" value=${progress} aria-label="Progress of ${task}"></progress>
    <span class="quiet">${isUnderWay(job) ? `${stage}, ${formatPercent(progress / 100)}` : ''}</span>
  </span>`
}
