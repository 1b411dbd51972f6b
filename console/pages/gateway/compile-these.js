import { html } from 'htm/preact'
import { call, get, withQuery } from '../../api.js'
import { ask } from '../../parts/dialog/ask.js'
import { Field } from '../../parts/form/field.js'
import { newAttempt } from '../../parts/form/attempt.js'
import { rawTextIn } from '../../parts/form/text-in.js'
import { formatNumber } from '../../parts/format.js'

/**
 * Asks for the task and compiles the approved captures of a namespace; shows the job.
 *
 * @param {string} namespace
 */
export async function compileThese(namespace) {
  /** @type {{ total: number | null }} */
  const { total } = await get(withQuery('/v1/captures/list', { namespace, status: 'approved', limit: 1 }))
  // One key for the dialog: a repeated confirmation makes one job.
  const attempt = newAttempt()
  const job = await ask({
    title: `Compile the approved captures of ${namespace}`,
    body: html`<p>${countText(total)} Inputs are the users' texts, outputs the answers, or what a reviewer fixed.</p>
      <${Field} as="textarea" label="The task in words" name="task" rows="3" required />`,
    confirm: 'Compile',
    perform: async (data) => {
      const body = { task: rawTextIn(data, 'task'), from_captures: { namespace }, mode: 'async' }
      /** @type {{ job_id: string }} */
      const accepted = await call('POST', '/v1/compile', body, { headers: { 'Idempotency-Key': attempt } })
      return accepted
    },
  })
  if (job !== undefined) location.hash = `#/job/${job.job_id}`
}

/** @param {number | null} total */
function countText(total) {
  if (total === null) return 'More than 10,000 captures are approved.'
  return total === 1 ? '1 capture is approved.' : `${formatNumber(total)} captures are approved.`
}
