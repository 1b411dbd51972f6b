import { html } from 'htm/preact'
import { call, get } from '../../api.js'
import { ask, showKey } from '../../parts/dialog/ask.js'
import { Choice, Field } from '../../parts/form/field.js'
import { rawTextIn } from '../../parts/form/text-in.js'

/**
 * Asks for the scopes of a new key, creates it and shows it. Resolves to true when a key was created.
 *
 * @param {AbortSignal} signal of the page, which may be left before it can be asked
 */
export async function mintKey(signal) {
  /** @type {{ scopes: readonly { scope: string }[] }} */
  const { scopes } = await get('/v1/scopes')
  if (signal.aborted) return false
  const made = await ask({
    title: 'New scoped key',
    body: html`<${Field} label="Label" name="label" maxlength="80" required />
      <${Field}
        label="Days until it expires"
        name="days"
        of="ttl_days"
        type="number"
        min="1"
        max="3650"
        defaultValue="90"
        hint="Empty: never."
      />
      <fieldset>
        <legend>Scopes</legend>
        <div class="choices">
          ${scopes.map(({ scope }) => html`<${Choice} key=${scope} label=${scope} name="scope" value=${scope} />`)}
        </div>
      </fieldset>`,
    confirm: 'Make the key',
    perform: async (data) => {
      const days = rawTextIn(data, 'days')
      /** @type {{ api_key: string }} */
      const minted = await call('POST', '/v1/account/scoped-keys', {
        label: data.get('label'),
        scopes: data.getAll('scope'),
        ...(days !== '' && { ttl_days: Number(days) }),
      })
      return minted
    },
  })
  if (made === undefined) return false
  await showKey('The new key', made.api_key)
  return true
}
