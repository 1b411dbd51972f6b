import { call } from '../../api.js'
import { badge } from '../../parts/badge.js'
import { element, say } from '../../parts/dom.js'
import { createTrouble } from '../../parts/error.js'
import { formatInstant } from '../../parts/format.js'
import { factList } from '../../parts/table.js'
import { accountOf } from '../../session.js'
import { claimForm } from './claim.js'
import { deletion } from './deletion.js'
import { settingsForm } from './settings-form.js'

/** @type {import('../index.js').Page} */
export const accountPage = {
  title: 'Account',
  scope: 'account:read',
  async load({ signal, session, reload, restart }) {
    const account = accountOf(session)
    const trouble = createTrouble()
    return [
      factList([
        ['Name', account.name],
        ['E-mail', address(account, trouble.run)],
        ['Since', formatInstant(account.created_at)],
        account.expires_at !== null && ['Kept until', formatInstant(account.expires_at)],
        ['Id', element('code', { class: 'long' }, account.id)],
      ]),
      trouble.outlet,
      element(
        'div',
        { class: 'buttons' },
        element('a', { class: 'button', href: '#/sessions' }, 'Sessions'),
        session.can('account:export') &&
          element('a', { class: 'button', href: '/v1/account/export', download: '' }, 'Download all data'),
      ),
      ...(account.kind === 'anonymous' ? [claimForm(restart)] : []),
      ...(session.can('account:write') ? [await settingsForm(signal, reload)] : []),
      ...(session.can('account:delete') ? [deletion(account)] : []),
    ]
  },
}

/**
 * Shows the address, with a button that verifies an unverified one.
 *
 * @param {import('../../session.js').Account} account
 * @param {(work: () => Promise<unknown>) => void} run
 */
function address({ email, email_verified: isVerified }, run) {
  if (email === null) return 'none'
  if (isVerified) return element('span', { class: 'mail' }, email, ' ', badge('ready', 'verified'))
  const send = async () => {
    await call('POST', '/v1/account/email/verify')
    say(`A mail is on its way to ${email}.`)
  }
  const button = element('button', { type: 'button', class: 'small', onclick: () => run(send) }, 'Verify')
  return element('span', { class: 'mail' }, email, ' ', button)
}
