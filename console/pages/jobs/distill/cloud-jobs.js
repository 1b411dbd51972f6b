import { html } from 'htm/preact'
import { get, withQuery } from '../../../api.js'
import { usePage } from '../../../app/use-page.js'
import { Badge } from '../../../parts/badge.js'
import { formatInstant, formatState } from '../../../parts/format.js'
import { usePaged } from '../../../parts/read/use-paged.js'
import { Table } from '../../../parts/table/table.js'
/** @typedef {import('zod').output<typeof import('../../../../core/learn/wire/cloud/jobs.ts').CloudJobView>} Job */

/** Cloud jobs, newest first. */
export function CloudJobsPage() {
  const { signal } = usePage()
  const jobs = usePaged(async (cursor) => {
    /** @type {{ jobs: readonly Job[], next_cursor: string | null }} */
    const page = await get(withQuery('/v1/cloud/distill', { limit: 50, cursor }), signal)
    return { items: page.jobs, next: page.next_cursor }
  }, [])
  return html`<${Table}
    caption="Cloud jobs, newest first"
    paged=${jobs}
    empty=${html`No jobs yet. <code>svc cloud distill submit --namespace NAME</code> submits one;
      <a href="/docs/learn/cloud">the guide</a> says more.`}
    keyOf=${(/** @type {Job} */ { job_id: id }) => id}
    filter=${(/** @type {Job} */ { job_id: id, namespace, state }) => `${id} ${namespace} ${state}`}
    columns=${COLUMNS}
  />`
}

/** @param {Job} job */
function reasonOf({ error, cancel_reason: reason }) {
  return error === null ? reason : (error.message ?? error.code)
}

/** @type {readonly import('../../../parts/table/table.js').Column<Job>[]} */
const COLUMNS = [
  {
    title: 'Job',
    cell: ({ job_id: id, namespace, run_id: run }) =>
      html`<span class="named"
        >${run === null ? namespace : html`<a href=${`#/distillation/${run}`}>${namespace}</a>`}<span class="quiet"
          >${id}</span
        ></span
      >`,
    sort: ({ namespace }) => namespace,
    isWide: true,
  },
  {
    title: 'State',
    cell: (job) => {
      const reason = reasonOf(job)
      return html`<${Badge} status=${formatState(job.state)} />${
          reason !== null && html` <span class="quiet">${reason}</span>`
        }`
    },
    sort: ({ state }) => state,
  },
  {
    title: 'GPU',
    cell: ({ gpu_sku: gpu, vram_tier: tier }) => `${tier} ${gpu}`,
    sort: ({ gpu_sku: gpu }) => gpu,
  },
  { title: 'Machines', cell: ({ backend }) => backend.replaceAll('_', ' ') },
  {
    title: 'Budget, USD',
    cell: ({ budget_usd: usd }) => usd.toFixed(2),
    sort: ({ budget_usd: usd }) => usd,
    isNumeric: true,
  },
  { title: 'Submitted', cell: ({ created_at: at }) => html`<time datetime=${at}>${formatInstant(at)}</time>` },
]
