import { call, get } from '../../api.js'
import { ask } from '../../parts/dialog.js'
import { element } from '../../parts/dom.js'
import { choice, field } from '../../parts/form.js'
import { showKey } from '../../parts/show-key.js'

/**
 * Asks for the scopes of a new key, creates it and shows it. Resolves to true when a key was created.
 *
 * @param {AbortSignal} signal of the page, which may be left before it can be asked
 */
export async function mintKey(signal) {
  /** @type {{ scopes: readonly { scope: string }[] }} */
  const { scopes } = await get('/v1/scopes')
  if (signal.aborted) return false
  const boxes = scopes.map(({ scope }) =>
    choice(scope, element('input', { type: 'checkbox', name: 'scope', value: scope })),
  )
  const label = element('input', { name: 'label', maxlength: 80, required: true })
  const days = element('input', { name: 'days', type: 'number', min: 1, max: 3650, value: 90 })
  const made = await ask({
    title: 'New scoped key',
    body: [
      field('Label', label),
      field('Days until it expires', days, 'Empty: never.'),
      element('fieldset', {}, element('legend', {}, 'Scopes'), element('div', { class: 'choices' }, ...boxes)),
    ],
    confirm: 'Make the key',
    perform: async (form) => {
      /** @type {{ api_key: string }} */
      const minted = await call('POST', '/v1/account/scoped-keys', {
        label: label.value,
        scopes: form.getAll('scope').map(String),
        ...(days.value !== '' && { ttl_days: Number(days.value) }),
      })
      return minted
    },
  })
  if (made === undefined) return false
  await showKey('The new key', made.api_key)
  return true
}
