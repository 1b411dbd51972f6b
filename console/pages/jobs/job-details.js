import { html } from 'htm/preact'
import { ApiError, get } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Figures } from '../../parts/evidence/figures.js'
import { later } from '../../parts/read/later.js'
import { say } from '../../parts/say.js'
import { LiveJob } from './follow-job.js'
import { isUnderWay } from './under-way.js'
/** @typedef {import('./job.js').Job} Job */

const LeavesTable = later(async () => (await import('../artifacts/about/leaves-table.js')).LeavesTable)

/**
 * The figures of a job, and its stages as they move.
 *
 * @param {{ job: Job, path: string, wasUnderWay: boolean, onStart: () => void,
 *   onError: (error: unknown) => void }} props `wasUnderWay`: of a job that was over when the page was
 *   opened nothing is said aloud, and nothing is read again
 */
export function JobDetails({ job, path, wasUnderWay, onStart, onError }) {
  const { signal, reload } = usePage()
  return html`<${Figures} figures=${job.figures} />
    ${job.leaves && html`<${LeavesTable} leaves=${job.leaves} />`}
    <${LiveJob}
      id=${job.id}
      isAccepted=${job.accepted?.state === 'signed'}
      isSpoken=${wasUnderWay}
      onStart=${onStart}
      onEnd=${(/** @type {string} */ kind) => {
        if (!wasUnderWay) return
        say(kind === 'done' ? 'The job is done.' : 'The job has ended.')
        reload()
      }}
      onQuestion=${(/** @type {number} */ number) => {
        if (isUnderWay(job) && !job.questions?.some(({ question }) => question === number)) reload()
      }}
      onError=${onError}
      look=${async () => {
        /** @type {Job} */
        const now = await get(path, signal)
        // A job that was over before has its log yet to show; of one that ended meanwhile the page shows more.
        if (isUnderWay(now) || !isUnderWay(job)) return true
        reload()
        return false
      }}
      isFinal=${(/** @type {unknown} */ error) =>
        error instanceof ApiError && [401, 403, 404, 410].includes(error.status)}
    />`
}
