import { html } from 'htm/preact'
import { useRef, useState } from 'preact/hooks'
import { ApiError, get } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { ErrorBox, useActions } from '../../parts/error.js'
import { Figures } from '../../parts/evidence/figures.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { say } from '../../parts/say.js'
import { LeavesTable } from '../artifacts/about/leaves-table.js'
import { LiveJob } from './follow-job.js'
import { JobActions } from './job-actions.js'
import { JobFacts, Outcome } from './job-facts.js'
import { isUnderWay } from './jobs-table.js'
import { QuestionCards } from './questions.js'
import { WhatWouldHelp } from './results/help.js'
import { firstChoice, JobRows, showRows } from './results/rows.js'

/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/jobs/job.ts').JobView>} Job */

/** One compile job: its facts, its outcome, its questions and its stages as they move. */
export function JobPage() {
  const { argument } = usePage()
  const path = `/v1/compile/${encodeURIComponent(argument)}`
  const read = useRead(async (signal) => /** @type {Job} */ (await get(path, signal)), [path])
  return html`<${Reading} of=${read}>${(/** @type {Job} */ job) => html`<${JobView} job=${job} path=${path} />`}<//>`
}

/** @param {{ job: Job, path: string }} props */
function JobView({ job, path }) {
  const { signal, reload } = usePage()
  const actions = useActions()
  const [hasStarted, setHasStarted] = useState(false)
  const [choice, setChoice] = useState(/** @type {import('./results/rows.js').Choice | undefined} */ (undefined))
  // Of a job that was over at first nothing is said aloud, and nothing is read again.
  const wasUnderWay = useRef(isUnderWay(job))
  const status = job.status === 'queued' && hasStarted ? 'running' : job.status_label
  return html`<p class="lead">${job.task}</p>
    <${JobFacts} job=${job} status=${status} />
    <${Outcome} job=${job} />
    <${WhatWouldHelp}
      job=${job}
      run=${actions.run}
      show=${(/** @type {import('./results/rows.js').Choice} */ next) => {
        setChoice(next)
        showRows()
      }}
    />
    <${QuestionCards} job=${job} run=${actions.run} />
    <${ErrorBox} error=${actions.error} />
    <${JobActions} job=${job} run=${actions.run} />
    ${!isUnderWay(job) && html`<${JobRows} job=${job} choice=${choice ?? firstChoice(job)} choose=${setChoice} />`}
    <${Figures} figures=${job.figures} />
    <${LeavesTable} leaves=${job.leaves} />
    <${LiveJob}
      id=${job.id}
      isAccepted=${job.accepted?.state === 'signed'}
      isSpoken=${wasUnderWay.current}
      onStart=${() => setHasStarted(true)}
      onEnd=${(/** @type {string} */ kind) => {
        if (!wasUnderWay.current) return
        say(kind === 'done' ? 'The job is done.' : 'The job has ended.')
        reload()
      }}
      onQuestion=${(/** @type {number} */ number) => {
        if (isUnderWay(job) && !job.questions?.some(({ question }) => question === number)) reload()
      }}
      onError=${actions.show}
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
