import { useState } from 'preact/hooks'
import { html } from 'htm/preact'
import { JobRows } from '../../jobs/results/rows.js'

/**
 * The rows that the artifact was scored on, each with its result.
 *
 * @param {{ id: string }} props the job that made the artifact
 */
export function HeldOutRows({ id }) {
  const [choice, setChoice] = useState(
    /** @type {import('../../jobs/results/choice.js').Choice} */ ({ only: '', side: '' }),
  )
  return html`<${JobRows} job=${{ id }} title="Held-out rows" choice=${choice} choose=${setChoice} />`
}
