import { call, get } from '../api.js'
import { askFirst, copyButton, errorBox } from '../parts/dialog.js'
import { element, say } from '../parts/dom.js'
import { formatBytes, formatInstant, formatNumber } from '../parts/format.js'
import { createStageBars } from '../parts/progress.js'
import { scoreBar } from '../parts/score.js'
import { factList } from '../parts/table.js'
import { badge } from './jobs.js'

/**
 * @typedef {object} Job
 * @property {string} id
 * @property {string} status
 * @property {string} task
 * @property {string} base_model
 * @property {number} examples_n
 * @property {number} k_score_floor
 * @property {number} [k_score]
 * @property {import('../parts/score.js').Interval} [k_interval]
 * @property {{ total: number, source: string, failing: number }} [evals_summary]
 * @property {string} [recipe_kind]
 * @property {number} [size_mb]
 * @property {string} [cid]
 * @property {string} [artifact_url]
 * @property {string} [error]
 * @property {string} [error_code]
 * @property {string} created_at
 * @property {string} [completed_at]
 * @property {string} [failed_at]
 */

/** The kinds of event that tell something; `error` is also what the browser calls a broken connection. */
const KINDS = ['hello', 'step.start', 'step.end', 'progress', 'metric', 'cost', 'log', 'done', 'gated', 'error']
const LAST = ['done', 'gated', 'error']

/** @type {import('../main.js').Page} */
export const jobPage = {
  title: 'Job',
  async load({ argument, signal, reload }) {
    /** @type {Job} */
    const job = await get(`/v1/compile/${encodeURIComponent(argument)}`, signal)
    const isUnderWay = job.status === 'queued' || job.status === 'running'
    const live = element('section', { 'aria-labelledby': 'live' }, element('h2', { id: 'live' }, 'Stages'))
    const log = element('ol', { class: 'log' })
    const spoken = element('p', { class: 'unseen', 'aria-live': 'polite' })
    follow(job.id, signal, { live, log, spoken, onEnd: isUnderWay ? reload : undefined })
    return [
      element('p', { class: 'lead' }, job.task),
      facts(job),
      actions(job, isUnderWay, reload),
      live,
      spoken,
      element('details', {}, element('summary', {}, 'Log'), log),
    ]
  },
}

/** @param {Job} job */
function facts(job) {
  const { evals_summary: evals } = job
  return factList([
    ['Status', badge(job.status)],
    ['K-score', scoreBar(job.k_score, job.k_interval)],
    ['Floor', job.k_score_floor.toFixed(2)],
    ['Examples', formatNumber(job.examples_n)],
    ...(evals ? [/** @type {const} */ (['Evaluated', `${evals.total - evals.failing} of ${evals.total} right`])] : []),
    ...(job.recipe_kind ? [/** @type {const} */ (['Kind', job.recipe_kind])] : []),
    ...(job.size_mb === undefined ? [] : [/** @type {const} */ (['Size', formatBytes(job.size_mb * 1_000_000)])]),
    ['Accepted', formatInstant(job.created_at)],
    ...((job.completed_at ?? job.failed_at)
      ? [/** @type {const} */ (['Ended', formatInstant(job.completed_at ?? job.failed_at)])]
      : []),
    ...(job.cid ? [/** @type {const} */ (['CID', element('code', { class: 'long' }, job.cid)])] : []),
    ['Id', element('code', { class: 'long' }, job.id)],
  ])
}

/**
 * @param {Job} job
 * @param {boolean} isUnderWay
 * @param {() => void} reload
 */
function actions(job, isUnderWay, reload) {
  const cancel = async () => {
    const isDone = await askFirst({
      title: 'Cancel this job?',
      text: 'It ends at once, and its units are given back.',
      confirm: 'Cancel the job',
      perform: async () => await call('POST', `/v1/compile/${job.id}/cancel`),
    })
    if (isDone) reload()
  }
  return element(
    'div',
    {},
    job.error === undefined ? undefined : errorBox(new Error(`${job.error} (${job.error_code ?? 'failed'})`)),
    element(
      'div',
      { class: 'buttons' },
      job.artifact_url &&
        element('a', { class: 'button primary', href: job.artifact_url, download: '' }, 'Download .svc'),
      job.cid && copyButton(job.cid, 'Copy CID'),
      isUnderWay
        ? element('button', { type: 'button', class: 'danger', onclick: () => void cancel() }, 'Cancel the job')
        : undefined,
    ),
  )
}

/**
 * Follows the job's events from the first one. The browser connects again by itself and says which it saw last, so
 * nothing is missed; after the last one the stream is left.
 *
 * @param {string} id
 * @param {AbortSignal} signal
 * @param {{ live: HTMLElement, log: HTMLElement, spoken: HTMLElement, onEnd: (() => void) | undefined }} outlets
 */
function follow(id, signal, { live, log, spoken, onEnd }) {
  const source = new EventSource(`/v1/compile/stream/${id}`)
  signal.addEventListener('abort', () => source.close())
  /** @type {ReturnType<typeof createStageBars> | undefined} */
  let bars
  for (const kind of KINDS) {
    source.addEventListener(kind, (event) => {
      if (!(event instanceof MessageEvent)) return
      const data = JSON.parse(event.data)
      if (kind === 'hello') {
        bars = createStageBars(data.steps)
        live.querySelector('ol')?.remove()
        live.append(bars.list)
        return
      }
      const words = bars?.apply(kind, data)
      if (words !== undefined && onEnd) spoken.textContent = words
      if (kind !== 'progress' && kind !== 'metric') log.append(logLine(kind, data))
      if (LAST.includes(kind)) {
        source.close()
        if (onEnd) {
          say(kind === 'done' ? 'The job is done.' : 'The job has ended.')
          onEnd()
        }
      }
    })
  }
}

/**
 * @param {string} kind
 * @param {Record<string, unknown>} data
 */
function logLine(kind, data) {
  const words = Object.entries(data)
    .filter(([name]) => name !== 'at' && name !== 'seq')
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const time = typeof data['at'] === 'string' ? new Date(data['at']).toLocaleTimeString() : ''
  return element('li', {}, element('time', {}, time), element('b', {}, kind), element('span', {}, words.join(', ')))
}
