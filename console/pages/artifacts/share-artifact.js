import { html } from 'htm/preact'
import { call } from '../../api.js'
import { ask, showOnce } from '../../parts/dialog/ask.js'
import { Choice, Field } from '../../parts/form/field.js'
import { formatInstant } from '../../parts/format.js'

/**
 * Asks for the number of days, and creates a link to an artifact.
 *
 * @param {{ id: string }} artifact
 * @param {boolean} mayRun whether the person may let visitors run it
 */
export async function shareArtifact({ id }, mayRun) {
  const made = await ask({
    title: 'Share this artifact',
    body: html`<p>
        Anyone with the link can see a page with the K-score, what the artifact does and some held-out rows, and
        download the archive.
      </p>
      <p>
        The archive holds the rows it was compiled from, inputs and outputs, unless it was compiled with rows:
        "digests".
      </p>
      <${Field} label="Days until it ends" name="days" type="number" min="1" max="7" defaultValue="7" required />
      ${
        mayRun &&
        html`<${Choice} label="Let visitors run it" name="allow_run" aria-describedby="allow-run-hint" />
          <p class="quiet" id="allow-run-hint">Each run is charged to your quota like one of yours.</p>`
      }`,
    confirm: 'Make the link',
    perform: async (data) => {
      const body = {
        kind: 'artifact',
        target_id: id,
        days: Number(data.get('days')),
        allow_run: data.get('allow_run') !== null,
      }
      /** @type {{ url: string, expires_at: string }} */
      const link = await call('POST', '/v1/share-links', body)
      return link
    },
  })
  if (made === undefined) return
  const note = `It works until ${formatInstant(made.expires_at)}, and is shown only now.`
  await showOnce({ title: 'The link', secret: made.url, note })
}
