import { html } from 'htm/preact'
import { call, get } from '../../api.js'
import { ask } from '../../parts/dialog/ask.js'
import { Field } from '../../parts/form/field.js'
import { rawTextIn } from '../../parts/form/text-in.js'
/** @typedef {import('./review.js').Capture} Capture */
/** @typedef {import('zod').output<typeof import('../../../core/gateway/wire/captures/captures.ts').CaptureDetail>} Detail */

/**
 * Asks for the right output of a capture and approves it with that. Returns what changes of the capture; undefined when
 * the dialog was cancelled.
 *
 * @param {string} id
 * @returns {Promise<Partial<Capture> | undefined>}
 */
export async function fixOutput(id) {
  /** @type {{ capture: Detail }} */
  const { capture } = await get(`/v1/captures/${id}/inspect`)
  return await ask({
    title: 'Fix the output',
    body: html`<p>Examples and exports use this text in place of the response. The response stays in the capture.</p>
      <pre class="asked">${capture.prompt ?? 'The prompt is not stored.'}</pre>
      <${Field}
        as="textarea"
        label="The right output"
        name="fixed_output"
        rows="4"
        required
        defaultValue=${capture.fixed_output ?? capture.response ?? ''}
      />`,
    confirm: 'Save and approve',
    perform: async (data) => {
      const output = rawTextIn(data, 'fixed_output')
      /** @type {{ status: Capture['status'] }} */
      const { status } = await call('POST', `/v1/captures/${id}/review`, { action: 'approve', fixed_output: output })
      return { status, is_fixed: true, response_preview: output }
    },
  })
}
