import { get, withQuery } from '../api.js'
import { errorBox } from '../parts/dialog.js'
import { element } from '../parts/dom.js'
import { formatInstant, formatPercent, formatScore, formatWord } from '../parts/format.js'
import { pagedList, table } from '../parts/table.js'

/**
 * @typedef {object} JobSummary
 * @property {string} id
 * @property {string} status
 * @property {string} stage
 * @property {number} progress
 * @property {number} [k_score]
 * @property {number} [size_mb]
 * @property {string} created_at
 */

const STATUSES = ['queued', 'running', 'ready', 'gated', 'failed', 'cancelled']
/** How often jobs that are under way are looked at, milliseconds. */
const LOOK_AGAIN_MS = 2000

/** @type {import('../main.js').Page} */
export const jobsPage = {
  title: 'Jobs',
  async load({ argument, signal }) {
    const status = STATUSES.includes(argument) ? argument : ''
    const trouble = element('div')
    const list = await pagedList({
      read: async (cursor) => {
        /** @type {{ jobs: readonly JobSummary[], next_cursor: string | null }} */
        const page = await get(withQuery('/v1/compile', { limit: 25, status, cursor }), signal)
        return { items: page.jobs, next: page.next_cursor }
      },
      show: (jobs) => {
        const shown = jobsTable(jobs)
        watchJobs(shown, jobs, signal)
        return shown
      },
      onError: (error) => trouble.replaceChildren(errorBox(error)),
    })
    return [filter(status), trouble, list]
  },
}

/** @param {string} chosen */
function filter(chosen) {
  const choices = ['', ...STATUSES].map((status) =>
    element(
      'a',
      { href: `#/jobs/${status}`, 'aria-current': status === chosen ? 'true' : undefined },
      status === '' ? 'All' : status,
    ),
  )
  return element('nav', { class: 'filter', 'aria-label': 'Show jobs that are' }, ...choices)
}

/** @param {readonly JobSummary[]} jobs */
function jobsTable(jobs) {
  return table({
    caption: 'Compile jobs, newest first',
    rows: jobs,
    empty: 'No jobs here. Send examples to POST /v1/compile, or run svc compile.',
    columns: [
      { title: 'Job', cell: ({ id }) => element('a', { class: 'id', href: `#/job/${id}` }, id) },
      { title: 'Status', cell: ({ status }) => badge(status) },
      { title: 'Progress', cell: (job) => progress(job) },
      { title: 'K', cell: ({ k_score }) => formatScore(k_score), isNumeric: true },
      {
        title: 'Size',
        cell: ({ size_mb }) => (size_mb === undefined ? '–' : `${(size_mb * 1000).toFixed(1)} kB`),
        isNumeric: true,
      },
      { title: 'Accepted', cell: ({ created_at }) => formatInstant(created_at) },
    ],
  })
}

/** @param {string} status */
export function badge(status) {
  return element('span', { class: 'badge', 'data-status': status }, formatWord(status))
}

/** @param {JobSummary} job */
function progress(job) {
  const bar = element('progress', { max: 100, value: job.progress, 'aria-label': `Progress of ${job.id}` })
  const state = element('span', { class: 'quiet' }, isUnderWay(job) ? progressText(job) : '')
  return element('span', { class: 'running', 'data-job': job.id }, bar, state)
}

/** @param {JobSummary} job */
function progressText({ stage, progress: done }) {
  return `${stage}, ${formatPercent(done / 100)}`
}

/** @param {JobSummary} job */
function isUnderWay({ status }) {
  return status === 'queued' || status === 'running'
}

/**
 * Keeps the rows of unfinished jobs moving for as long as the page is shown and somebody can see it.
 *
 * @param {HTMLElement} shown
 * @param {readonly JobSummary[]} jobs
 * @param {AbortSignal} signal
 */
function watchJobs(shown, jobs, signal) {
  let open = jobs.filter(isUnderWay)
  const look = async () => {
    if (signal.aborted || !shown.isConnected) return
    if (!document.hidden) {
      /** @type {{ jobs: readonly JobSummary[] }} */
      const { jobs: now } = await get(withQuery('/v1/compile', { limit: Math.max(25, jobs.length) }), signal)
      for (const job of now) if (open.some(({ id }) => id === job.id)) refresh(shown, job)
      open = open.filter(({ id }) => now.some((job) => job.id === id && isUnderWay(job)))
    }
    plan()
  }
  const plan = () => {
    if (open.length > 0) setTimeout(() => void look().catch(plan), LOOK_AGAIN_MS)
  }
  plan()
}

/**
 * Changes a row where it stands, so that neither focus nor place is lost.
 *
 * @param {HTMLElement} shown
 * @param {JobSummary} job
 */
function refresh(shown, job) {
  const row = shown.querySelector(`[data-job="${job.id}"]`)?.closest('tr')
  const fresh = jobsTable([job]).querySelector('tbody tr')
  if (!row || !fresh) return
  for (const [index, made] of [...fresh.children].entries()) {
    // The first cell is the link, which may hold the focus.
    if (index > 0) row.children[index]?.replaceChildren(...made.childNodes)
  }
}
