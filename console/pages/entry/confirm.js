import { call } from '../../api.js'
import { element, say } from '../../parts/dom.js'
import { actionForm } from '../../parts/form.js'
import { showKey } from '../../parts/show-key.js'

/**
 * The page of a mailed link. Mail scanners follow links, so only a person's click consumes the token.
 *
 * @type {import('../index.js').EntryPage}
 */
export const confirmPage = {
  title: 'Confirm it is you',
  show({ argument, onSignedIn }) {
    const text = element('p', {}, 'You came here with a link that was sent to your address. It works once.')
    const form = actionForm({
      fields: [text],
      action: 'Go on',
      async perform() {
        /** @type {{ did: string, api_key: string | null, redirect: string }} */
        const confirmed = await call('POST', '/v1/auth/email/confirm', { token: argument })
        if (confirmed.did === 'verified') say('Your address is verified.')
        if (confirmed.api_key !== null) {
          await showKey('Your new API key', confirmed.api_key, 'All keys and sessions from before have ended.')
        }
        onSignedIn(confirmed.redirect)
      },
    })
    return [element('div', { class: 'ways' }, form)]
  },
}
