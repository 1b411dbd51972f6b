import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { get } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { ErrorBox, useActions } from '../../parts/error.js'
import { further } from '../../parts/read/further.js'
import { later } from '../../parts/read/later.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { JobActions } from './job-actions.js'
import { JobFacts, Outcome } from './job-facts.js'
import { firstChoice, showRows } from './results/choice.js'
import { JobRows } from './results/rows.js'
import { isUnderWay } from './under-way.js'

/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/jobs/job.ts').JobView>} Job */
/** @typedef {import('./results/choice.js').Choice} Choice */

const QuestionCards = later(async () => (await import('./questions.js')).QuestionCards)
const WhatWouldHelp = later(async () => (await import('./results/help.js')).WhatWouldHelp)
/** Of a job under way the stages are what one looks at. */
const LiveDetails = later(async () => (await import('./job-details.js')).JobDetails)
const Details = further(async () => (await import('./job-details.js')).JobDetails)

/** One compile job: its facts, its outcome, its questions, its rows and its stages as they move. */
export function JobPage() {
  const { argument } = usePage()
  const path = `/v1/compile/${encodeURIComponent(argument)}`
  const read = useRead(async (signal) => /** @type {Job} */ (await get(path, signal)), [path])
  return html`<${Reading} of=${read}>${(/** @type {Job} */ job) => html`<${JobView} job=${job} path=${path} />`}<//>`
}

/** @param {{ job: Job, path: string }} props */
function JobView({ job, path }) {
  const actions = useActions()
  const [hasStarted, setHasStarted] = useState(false)
  const [choice, choose] = useState(/** @type {Choice | undefined} */ (undefined))
  const [wasUnderWay] = useState(() => isUnderWay(job))
  const status = job.status === 'queued' && hasStarted ? 'running' : job.status_label
  const onStart = () => setHasStarted(true)
  return html`<p class="lead">${job.task}</p>
    <${JobFacts} job=${job} status=${status} />
    <${Outcome} job=${job} />
    ${
      (job.status === 'gated' || job.accepted?.state === 'pending') &&
      html`<${WhatWouldHelp}
        job=${job}
        run=${actions.run}
        show=${(/** @type {Choice} */ next) => {
          choose(next)
          showRows()
        }}
      />`
    }
    ${job.questions && html`<${QuestionCards} job=${job} run=${actions.run} />`}
    <${ErrorBox} error=${actions.error} />
    <${JobActions} job=${job} run=${actions.run} />
    ${!isUnderWay(job) && html`<${JobRows} job=${job} choice=${choice ?? firstChoice(job)} choose=${choose} />`}
    <${wasUnderWay ? LiveDetails : Details} ...${{ job, path, wasUnderWay, onStart, onError: actions.show }} />`
}
