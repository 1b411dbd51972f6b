import { get, withQuery } from '../../api.js'
import { element } from '../../parts/dom.js'
import { createTrouble } from '../../parts/error.js'
import { pagedList } from '../../parts/paged-list.js'
import { jobsTable, refreshRow } from './jobs-table.js'
import { watchJobs } from './watch-jobs.js'

/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/jobs/job.ts').JobSummaryView>} JobSummary */

const STATUSES = ['queued', 'running', 'ready', 'gated', 'failed', 'cancelled']

/** @type {import('../index.js').Page} */
export const jobsPage = {
  title: 'Jobs',
  scope: 'compile:read',
  async load({ argument, signal, session }) {
    const status = STATUSES.includes(argument) ? argument : ''
    const trouble = createTrouble()
    const list = await pagedList({
      read: async (cursor) => {
        /** @type {{ jobs: readonly JobSummary[], next_cursor: string | null }} */
        const page = await get(withQuery('/v1/compile', { limit: 25, status, cursor }), signal)
        return { items: page.jobs, next: page.next_cursor }
      },
      show: (jobs) => {
        const shown = jobsTable(jobs, nothing(status))
        watchJobs({
          jobs,
          signal,
          isShown: () => shown.isConnected,
          onChange: (job) => refreshRow(shown, job),
          onTrouble: (error) => (error === undefined ? trouble.outlet.replaceChildren() : trouble.show(error)),
        })
        return shown
      },
      onError: trouble.show,
    })
    return [head(status, session.can('compile:write')), trouble.outlet, list]
  },
}

/**
 * @param {string} chosen
 * @param {boolean} mayCompile
 */
function head(chosen, mayCompile) {
  const choices = ['', ...STATUSES].map((status) =>
    element(
      'a',
      { href: `#/jobs/${status}`, id: `jobs-${status}`, 'aria-current': status === chosen ? 'true' : undefined },
      status === '' ? 'all' : status,
    ),
  )
  return element(
    'div',
    { class: 'heading' },
    element('nav', { class: 'filter', 'aria-label': 'Show jobs that are' }, ...choices),
    mayCompile && element('a', { class: 'button primary', href: '#/compile' }, 'New compile'),
  )
}

/** @param {string} status */
function nothing(status) {
  if (status !== '') return `No job is ${status}.`
  return element('span', {}, 'No jobs yet. ', element('a', { href: '#/compile' }, 'Compile your first examples'), '.')
}
