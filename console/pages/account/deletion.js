import { call } from '../../api.js'
import { ask } from '../../parts/dialog.js'
import { element, say } from '../../parts/dom.js'
import { createTrouble } from '../../parts/error.js'
import { field } from '../../parts/form.js'

/**
 * Deletes the account after the exact name was typed.
 *
 * @param {import('../../session.js').Account} account
 */
export function deletion({ name }) {
  const trouble = createTrouble()
  const onclick = () => trouble.run(async () => await remove(name))
  return element(
    'section',
    { class: 'card', 'aria-labelledby': 'deletion' },
    element('h2', { id: 'deletion' }, 'Delete the account'),
    element(
      'p',
      {},
      'Keys, sessions and invitations end at once, and subscriptions end. Artifacts that were signed still verify.',
    ),
    trouble.outlet,
    element('button', { type: 'button', class: 'danger', onclick }, 'Delete the account'),
  )
}

/** @param {string} name */
async function remove(name) {
  const words = `DELETE ${name}`
  const typed = element('input', { name: 'confirm', required: true, autocomplete: 'off', spellcheck: 'false' })
  const done = await ask({
    title: 'Delete the account?',
    body: [element('p', {}, 'This cannot be taken back.'), field(`Type ${words}`, typed)],
    confirm: 'Delete the account',
    isDangerous: true,
    perform: async () => {
      await call('POST', '/v1/account/delete', { confirm: typed.value })
      return true
    },
  })
  if (!done) return
  say('The account is deleted.')
  location.assign('/')
}
