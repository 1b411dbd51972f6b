import { html } from 'htm/preact'
import { get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { ErrorBox } from '../../parts/error.js'
import { usePaged } from '../../parts/read/use-paged.js'
import { JobsTable } from './jobs-table.js'
import { useWatchedJobs } from './watch-jobs.js'

/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/jobs/job.ts').JobSummaryView>} JobSummary */

const STATUSES = ['queued', 'running', 'ready', 'gated', 'failed', 'cancelled']

/** The compile jobs, all or those in one state. */
export function JobsPage() {
  const { argument, signal, session } = usePage()
  const status = STATUSES.includes(argument) ? argument : ''
  const paged = usePaged(
    async (cursor) => {
      /** @type {{ jobs: readonly JobSummary[], next_cursor: string | null }} */
      const page = await get(withQuery('/v1/compile', { limit: 25, status, cursor }), signal)
      return { items: page.jobs, next: page.next_cursor }
    },
    [status],
  )
  const { now, error } = useWatchedJobs(paged.rows)
  return html`<div class="heading">
      <nav class="filter" aria-label="Show jobs that are">
        ${['', ...STATUSES].map(
          (each) =>
            html`<a
              key=${each}
              href="#/jobs/${each}"
              id="jobs-${each}"
              aria-current=${each === status ? 'true' : undefined}
              >${each === '' ? 'all' : each}</a
            >`,
        )}
      </nav>
      ${session.can('compile:write') && html`<a class="button primary" href="#/compile">New compile</a>`}
    </div>
    <${ErrorBox} error=${error} />
    <${JobsTable} paged=${{ ...paged, rows: now }} empty=${nothing(status)} />`
}

/** @param {string} status */
function nothing(status) {
  if (status !== '') return `No job is ${status}.`
  return html`<span>No jobs yet. <a href="#/compile">Compile your first examples</a>.</span>`
}
