import { html } from 'htm/preact'
import { call } from '../../api.js'
import { showKey } from '../../parts/dialog/ask.js'
import { Form } from '../../parts/form/form.js'
import { say } from '../../parts/say.js'

/**
 * The page of a mailed link. Mail scanners follow links, so only a person's click consumes the token.
 *
 * @param {import('../index.js').EntryCall} props
 */
export function ConfirmPage({ argument, onSignedIn }) {
  const confirm = async () => {
    /** @type {{ did: string, api_key: string | null, redirect: string }} */
    const confirmed = await call('POST', '/v1/auth/email/confirm', { token: argument })
    if (confirmed.did === 'verified') say('Your address is verified.')
    if (confirmed.api_key !== null) {
      await showKey('Your new API key', confirmed.api_key, 'All keys and sessions from before have ended.')
    }
    onSignedIn(confirmed.redirect)
  }
  return html`<div class="ways">
    <${Form} action="Go on" perform=${confirm}>
      <p>You came here with a link that was sent to your address. It works once.</p>
    <//>
  </div>`
}
