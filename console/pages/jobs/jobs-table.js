import { badge } from '../../parts/badge.js'
import { element } from '../../parts/dom.js'
import { formatBytes, formatInstant, formatPercent, formatScore } from '../../parts/format.js'
import { table } from '../../parts/table.js'
/** @typedef {import('./jobs.js').JobSummary} JobSummary */

/**
 * @param {readonly JobSummary[]} jobs
 * @param {import('../../parts/dom.js').Child} empty
 */
export function jobsTable(jobs, empty) {
  return table({
    caption: 'Compile jobs, newest first',
    rows: jobs,
    empty,
    columns: [
      { title: 'Task', cell: (job) => nameOf(job), isWide: true },
      { title: 'Status', cell: ({ status }) => badge(status) },
      { title: 'Progress', cell: (job) => progress(job) },
      { title: 'K', cell: ({ k_score }) => formatScore(k_score), isNumeric: true },
      {
        title: 'Size',
        cell: ({ size_mb: size }) => (size === undefined ? '–' : formatBytes(size * 1e6)),
        isNumeric: true,
      },
      {
        title: 'Accepted',
        cell: ({ created_at }) => element('time', { datetime: created_at }, formatInstant(created_at)),
      },
    ],
  })
}

/** @param {JobSummary} job */
function nameOf({ id, task }) {
  return element(
    'span',
    { class: 'named' },
    element('a', { class: 'task', href: `#/job/${id}` }, task),
    element('code', { class: 'quiet id' }, id),
  )
}

/** @param {JobSummary} job */
function progress(job) {
  const bar = element('progress', { max: 100, value: job.progress, 'aria-label': `Progress of ${job.task}` })
  const state = element('span', { class: 'quiet' }, isUnderWay(job) ? progressText(job) : '')
  return element('span', { class: 'running', 'data-job': job.id }, bar, state)
}

/** @param {JobSummary} job */
function progressText({ stage, progress: done }) {
  return `${stage}, ${formatPercent(done / 100)}`
}

/** @param {{ status: string }} job */
export function isUnderWay({ status }) {
  return status === 'queued' || status === 'running'
}

/**
 * Updates a row in place, so that focus and scroll position stay.
 *
 * @param {HTMLElement} shown
 * @param {JobSummary} job
 */
export function refreshRow(shown, job) {
  const row = shown.querySelector(`[data-job="${CSS.escape(job.id)}"]`)?.closest('tr')
  const fresh = jobsTable([job], '').querySelector('tbody tr')
  if (!row || !fresh) return
  for (const [index, made] of [...fresh.children].entries()) {
    // The first cell is the link, which may hold the focus.
    if (index > 0) row.children[index]?.replaceChildren(...made.childNodes)
  }
}
