import { call, get } from '../api.js'
import { errorBox, field, showOnce } from '../parts/dialog.js'
import { element, say } from '../parts/dom.js'

/** @typedef {{ argument: string, onSignedIn: () => void }} SignInCall */

const OAUTH_ERRORS = /** @type {Readonly<Record<string, string>>} */ ({
  oauth_not_configured: 'That way of signing in is not configured here.',
  email_unverified: 'The provider has not verified your address.',
  signup_disabled: 'New accounts are by invitation only here.',
  account_link_required:
    'That address belongs to an account that another sign-in opened. Use that one, or a link by mail.',
})

/**
 * The way in: with a key, with a link by mail, or with the link that a mail has brought.
 *
 * @param {SignInCall} given
 * @returns {readonly Node[]}
 */
export function signInPage(given) {
  const [purpose, token] = given.argument.split('=', 2)
  if (purpose === 'confirm' && token) return confirmation(given, token)
  if (purpose === 'invitation' && token) return invitation(given, token)
  const trouble = element('div')
  const refused = new URLSearchParams(location.search).get('oauth_error')
  if (refused !== null) {
    trouble.append(errorBox(new Error(OAUTH_ERRORS[refused] ?? 'Signing in there did not work. Try again.')))
  }
  const providers = element('div', { class: 'providers' })
  showProviders(providers).catch(() => providers.remove())
  return [
    element('h1', { tabindex: -1 }, 'Sign in'),
    trouble,
    element('div', { class: 'ways' }, keyForm(given), mailForm(), signUpCard(given)),
    providers,
  ]
}

/** @param {SignInCall} given */
function keyForm({ onSignedIn }) {
  const input = element('input', {
    name: 'api_key',
    type: 'password',
    required: true,
    autocomplete: 'current-password',
    spellcheck: 'false',
  })
  return card(
    'With a key',
    'Sign in',
    [field('API key', input, 'It begins with ks_ and was shown once.')],
    async () => {
      await call('POST', '/v1/signin', { api_key: input.value.trim() })
      onSignedIn()
    },
  )
}

function mailForm() {
  const email = element('input', { name: 'email', type: 'email', required: true, autocomplete: 'email' })
  const mode = element('input', { type: 'checkbox', name: 'recover', id: 'recover' })
  const recover = element('label', { class: 'choice', for: 'recover' }, mode, 'I have lost my key: make a new one')
  return card('With a link by mail', 'Send the link', [field('E-mail', email), recover], async (form) => {
    await call('POST', '/v1/auth/email/start', { email: email.value, mode: mode.checked ? 'recover' : 'sign_in' })
    const text = `If ${email.value} belongs to an account, a link is on its way. It works once, for a few minutes.`
    form.replaceChildren(element('h2', {}, 'With a link by mail'), element('p', { role: 'status' }, text))
  })
}

/** @param {SignInCall} given */
function signUpCard({ onSignedIn }) {
  const email = element('input', { name: 'new-email', type: 'email', required: true, autocomplete: 'email' })
  const name = element('input', { name: 'new-name', maxlength: 100, autocomplete: 'organization' })
  const fields = [field('E-mail', email), field('Name', name, 'Of you or your company; may be left out.')]
  return card('New here', 'Create an account', fields, async () => {
    /** @type {{ api_key: string }} */
    const made = await call('POST', '/v1/signup', {
      email: email.value,
      ...(name.value.trim() && { name: name.value }),
    })
    await showOnce({
      title: 'Your API key',
      secret: made.api_key,
      note: 'Keep it now: only a hash of it is stored, and it is never shown again.',
    })
    await call('POST', '/v1/signin', { api_key: made.api_key })
    onSignedIn()
  })
}

/**
 * A form that does one thing; what goes wrong is said above its button.
 *
 * @param {string} title
 * @param {string} action
 * @param {readonly Node[]} fields
 * @param {(form: HTMLFormElement) => Promise<void>} perform
 */
function card(title, action, fields, perform) {
  const trouble = element('div')
  const go = element('button', { type: 'submit', class: 'primary' }, action)
  const form = element('form', { class: 'card' }, element('h2', {}, title), ...fields, trouble, go)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    trouble.replaceChildren()
    go.disabled = true
    perform(form)
      .catch((error) => trouble.replaceChildren(errorBox(error)))
      .finally(() => {
        go.disabled = false
      })
  })
  return form
}

/** @param {HTMLElement} outlet */
async function showProviders(outlet) {
  /** @type {{ providers: readonly { id: string, label: string, configured: boolean }[] }} */
  const { providers } = await get('/v1/oauth/providers')
  const links = providers
    .filter(({ configured }) => configured)
    .map(({ id, label }) => element('a', { class: 'button', href: `/v1/oauth/${id}/start` }, `Continue with ${label}`))
  outlet.replaceChildren(...links)
}

/**
 * Programs that look into mails follow links; only a click of a person uses the token up.
 *
 * @param {SignInCall} given
 * @param {string} token
 */
function confirmation({ onSignedIn }, token) {
  const text = element('p', {}, 'You came here with a link that was sent to your address. It works once.')
  const form = card('Go on', 'Go on', [text], async () => {
    /** @type {{ did: string, api_key: string | null }} */
    const confirmed = await call('POST', '/v1/auth/email/confirm', { token })
    if (confirmed.did === 'verified') say('Your address is verified.')
    if (confirmed.api_key !== null) {
      await showOnce({
        title: 'Your new API key',
        secret: confirmed.api_key,
        note: 'All keys and sessions from before have ended. Keep this one now: it is never shown again.',
      })
    }
    onSignedIn()
  })
  return [element('h1', { tabindex: -1 }, 'Confirm it is you'), element('div', { class: 'ways' }, form)]
}

/**
 * @param {SignInCall} given
 * @param {string} token
 */
function invitation({ onSignedIn }, token) {
  const text = element('p', {}, 'You were invited to work with others here. Accepting signs you in.')
  const form = card('Accept', 'Accept the invitation', [text], async () => {
    await call('POST', `/v1/teams/invites/${encodeURIComponent(token)}/accept`)
    onSignedIn()
  })
  return [element('h1', { tabindex: -1 }, 'Invitation'), element('div', { class: 'ways' }, form)]
}
