import { html } from 'htm/preact'
import { call, get } from '../../api.js'
import { ask, showKey } from '../../parts/dialog/ask.js'
import { Field } from '../../parts/form/field.js'
import { rawTextIn } from '../../parts/form/text-in.js'
import { chosenScopes, ScopeFields } from './scope-fields.js'

/**
 * Asks for the permissions of a new key, creates it and shows it. Resolves to true when a key was created.
 *
 * @param {AbortSignal} signal of the page, which may be left before it can be asked
 */
export async function mintKey(signal) {
  /** @type {import('./scope-fields.js').Scopes} */
  const scopes = await get('/v1/scopes')
  if (signal.aborted) return false
  const made = await ask({
    title: 'New key',
    body: html`<${Field} label="Label" name="label" maxlength="80" required />
      <${Field}
        label="Days until it expires"
        name="days"
        of="ttl_days"
        type="number"
        min="1"
        max="3650"
        defaultValue="90"
        hint="Leave empty for a key that never expires."
      />
      <${ScopeFields} ...${scopes} />`,
    confirm: 'Create the key',
    perform: async (data) => {
      const days = rawTextIn(data, 'days')
      /** @type {{ api_key: string }} */
      const minted = await call('POST', '/v1/account/scoped-keys', {
        label: data.get('label'),
        scopes: chosenScopes(data, scopes),
        ...(days !== '' && { ttl_days: Number(days) }),
      })
      return minted
    },
  })
  if (made === undefined) return false
  await showKey('The new key', made.api_key)
  return true
}
