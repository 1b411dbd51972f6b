import { call } from '../../api.js'
import { element } from '../../parts/dom.js'
import { actionForm, field } from '../../parts/form.js'
import { showKey } from '../../parts/show-key.js'

/**
 * Turns an anonymous workspace with its data into an account.
 *
 * @param {() => void} restart for the account's own session; the one of the page has ended by then
 */
export function claimForm(restart) {
  const token = element('input', {
    name: 'anon_token',
    type: 'password',
    required: true,
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const email = element('input', { name: 'email', type: 'email', required: true, autocomplete: 'email' })
  const name = element('input', { name: 'name', maxlength: 100, autocomplete: 'organization' })
  return actionForm({
    title: 'Keep this workspace',
    fields: [
      element('p', {}, 'It is removed when its time is over. An account keeps it, under a new key.'),
      field('Token of the workspace', token, 'The one that you signed in with; it begins with kao_.'),
      field('E-mail', email),
      field('Name', name, 'Of you or your company; may be left out.'),
    ],
    action: 'Make it an account',
    async perform() {
      const given = { email: email.value, ...(name.value.trim() && { name: name.value.trim() }) }
      /** @type {{ api_key: string }} */
      const claimed = await call('POST', '/v1/anon/claim', { anon_token: token.value.trim(), ...given })
      await showKey('Your API key', claimed.api_key, 'The token has ended.')
      // The session of the token has ended with it.
      await call('POST', '/v1/signin', { api_key: claimed.api_key })
      restart()
    },
  })
}
