import { html } from 'htm/preact'
import { call } from '../../api.js'
import { leave } from '../../app/router.js'
import { ask } from '../../parts/dialog/ask.js'
import { ErrorBox, useActions } from '../../parts/error.js'
import { Field } from '../../parts/form/field.js'
import { say } from '../../parts/say.js'

/**
 * Deletes the account after the exact name was typed.
 *
 * @param {{ name: string }} props
 */
export function Deletion({ name }) {
  const actions = useActions()
  return html`<section class="card" aria-labelledby="deletion">
    <h2 id="deletion">Delete the account</h2>
    <p>Keys, sessions, invitations and subscriptions end immediately. Signed artifacts still verify.</p>
    <${ErrorBox} error=${actions.error} />
    <button type="button" class="danger" onClick=${() => actions.run(async () => await remove(name))}>
      Delete the account
    </button>
  </section>`
}

/** @param {string} name */
async function remove(name) {
  const done = await ask({
    title: 'Delete the account?',
    body: html`<p>This cannot be undone.</p>
      <${Field} label="Type DELETE ${name}" name="confirm" required autocomplete="off" spellcheck="false" />`,
    confirm: 'Delete the account',
    isDangerous: true,
    perform: async (data) => {
      await call('POST', '/v1/account/delete', { confirm: data.get('confirm') })
      return true
    },
  })
  if (!done) return
  leave()
  say('The account is deleted.')
}
