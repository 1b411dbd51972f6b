import { ApiError, call, get } from '../../api.js'
import { badge } from '../../parts/badge.js'
import { copyButton } from '../../parts/buttons/copy.js'
import { askFirst } from '../../parts/dialog.js'
import { element } from '../../parts/dom.js'
import { createTrouble, errorBox } from '../../parts/error.js'
import { formatBytes, formatInstant, formatNumber, formatScore } from '../../parts/format.js'
import { figureFacts } from '../../parts/figures.js'
import { scoreBar } from '../../parts/score.js'
import { factList } from '../../parts/table.js'
import { followJob } from './follow-job.js'
import { questionCards } from './questions.js'
import { isUnderWay } from './jobs-table.js'

/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/jobs/job.ts').JobView>} Job */

/** @type {import('../index.js').Page} */
export const jobPage = {
  title: 'Job',
  within: 'jobs',
  scope: 'compile:read',
  async load({ argument, signal, session, reload }) {
    const path = `/v1/compile/${encodeURIComponent(argument)}`
    /** @type {Job} */
    const job = await get(path, signal)
    const trouble = createTrouble()
    const status = element('span', {}, badge(job.status))
    const followed = followJob({
      id: job.id,
      signal,
      onStart: () => status.replaceChildren(badge('running')),
      onEnd: isUnderWay(job) ? reload : undefined,
      onQuestion: (number) => {
        if (isUnderWay(job) && !job.questions?.some(({ question }) => question === number)) reload()
      },
      onError: trouble.show,
      async look() {
        /** @type {Job} */
        const now = await get(path, signal)
        // A job that was over before has its log yet to show; of one that ended meanwhile the page shows more.
        if (isUnderWay(now) || !isUnderWay(job)) return true
        reload()
        return false
      },
      isFinal: (error) => error instanceof ApiError && [401, 403, 404, 410].includes(error.status),
    })
    return [
      element('p', { class: 'lead' }, job.task),
      facts(job, status),
      ...figureFacts(job.figures),
      ...outcome(job),
      ...questionCards(job, session.can('compile:write'), trouble.run, reload),
      trouble.outlet,
      actions(job, session.can, trouble.run, reload),
      ...followed,
    ]
  },
}

/**
 * @param {Job} job
 * @param {Node} status
 */
function facts(job, status) {
  const { evals_summary: evals } = job
  const ended = job.completed_at ?? job.failed_at
  return factList([
    ['Status', status],
    ['K-score', scoreBar(job.k_score, job.k_interval)],
    ['Floor', formatScore(job.k_score_floor)],
    ['Examples', formatNumber(job.examples_n)],
    evals && ['Evaluated', `${formatNumber(evals.total - evals.failing)} of ${formatNumber(evals.total)} right`],
    job.recipe_kind !== undefined && ['Kind', job.recipe_kind],
    job.size_mb !== undefined && ['Size', formatBytes(job.size_mb * 1e6)],
    ['Accepted', formatInstant(job.created_at)],
    ended !== undefined && ['Ended', formatInstant(ended)],
    job.cid !== undefined && ['CID', element('code', { class: 'long' }, job.cid)],
    ['Id', element('code', { class: 'long' }, job.id)],
  ])
}

/**
 * Shows why a job has no artifact, with the rows that prove it.
 *
 * @param {Job} job
 */
function outcome({ error, error_code: code, failing_rows: rows = [] }) {
  if (error === undefined) return []
  const box = errorBox(new Error(`${error} (${code ?? 'failed'})`))
  if (rows.length === 0) return [box]
  const list = element('p', { class: 'rows' }, ...rows.flatMap((row) => [element('code', {}, row), ' ']))
  const many = `${formatNumber(rows.length)} rows that count against it`
  return [box, element('details', {}, element('summary', {}, many), list)]
}

/**
 * @param {Job} job
 * @param {(scope: string) => boolean} can
 * @param {(work: () => Promise<unknown>) => void} run
 * @param {() => void} reload
 */
function actions(job, can, run, reload) {
  const cancel = async () => {
    const isDone = await askFirst({
      title: 'Cancel this job?',
      text: 'It ends at once, and its units are given back.',
      confirm: 'Cancel the job',
      leave: 'Let it go on',
      perform: async () => await call('POST', `/v1/compile/${job.id}/cancel`),
    })
    if (isDone) reload()
  }
  return element(
    'div',
    { class: 'buttons' },
    job.artifact_url && element('a', { class: 'button primary', href: `#/artifact/${job.id}` }, 'Open the artifact'),
    job.artifact_url && element('a', { class: 'button', href: job.artifact_url, download: '' }, 'Download .svc'),
    job.cid && copyButton(job.cid, 'Copy CID'),
    isUnderWay(job) &&
      can('compile:write') &&
      element('button', { type: 'button', class: 'danger', onclick: () => run(cancel) }, 'Cancel the job'),
  )
}
