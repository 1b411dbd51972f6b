import { html } from 'htm/preact'
import { call } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { CopyButton } from '../../parts/buttons/copy.js'
import { askFirst } from '../../parts/dialog/ask.js'
import { isUnderWay } from './under-way.js'

/** @param {{ job: import('./job.js').Job, run: (work: () => Promise<unknown>) => void }} props */
export function JobActions({ job, run }) {
  const { session, reload } = usePage()
  const cancel = async () => {
    const isDone = await askFirst({
      title: 'Cancel this job?',
      text: 'The job ends immediately, and its units are returned.',
      confirm: 'Cancel the job',
      leave: 'Keep it running',
      perform: async () => await call('POST', `/v1/compile/${job.id}/cancel`),
    })
    if (isDone) reload()
  }
  const mayCancel = isUnderWay(job) && session.can('compile:write')
  return html`<div class="buttons">
    ${
      job.artifact_url &&
      html`<a class="button primary" href="#/artifact/${job.id}">Open the artifact</a>
        <a class="button" href=${job.artifact_url} download="">Download .svc</a>`
    }
    ${job.cid && html`<${CopyButton} text=${job.cid} label="Copy CID" />`}
    ${mayCancel && html`<button type="button" class="danger" onClick=${() => run(cancel)}>Cancel the job</button>`}
  </div>`
}
