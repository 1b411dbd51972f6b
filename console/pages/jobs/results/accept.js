import { html } from 'htm/preact'
import { call } from '../../../api.js'
import { ask } from '../../../parts/dialog/ask.js'
import { formatScore } from '../../../parts/format.js'

/**
 * Says what an acceptance below the floor means, and signs the best candidate when it is confirmed. Resolves to whether
 * it was.
 *
 * @param {import('../job.js').Job} job
 */
export async function acceptJob({ id, k_score: score, k_interval: interval, k_score_floor: floor }) {
  const range = interval ? ` (95% interval ${formatScore(interval.low)} to ${formatScore(interval.high)})` : ''
  const isAccepted = await ask({
    title: `Accept at K ${formatScore(score)}?`,
    body: html`<p>
        The best candidate has K ${formatScore(score)}${range}. That is below the floor of ${formatScore(floor)}.
        Accepting signs it as it is.
      </p>
      <ul>
        <li>
          The artifact, its share links and its evidence state who accepted it and when, with its K-score and floor.
        </li>
        <li>It stays marked as not ready for production.</li>
        <li>It is charged like any other artifact.</li>
        <li>The audit log records it.</li>
      </ul>`,
    confirm: 'Accept and sign',
    perform: async () => {
      await call('POST', `/v1/compile/${id}/accept`)
      return true
    },
  })
  return isAccepted === true
}
