import { call, get, withQuery } from '../../api.js'
import { element, say } from '../../parts/dom.js'
import { errorBox } from '../../parts/error.js'
import { actionForm, choice, field } from '../../parts/form.js'
import { showKey } from '../../parts/show-key.js'
/** @typedef {import('../index.js').EntryCall} EntryCall */

const REFUSALS = /** @type {Readonly<Record<string, string>>} */ ({
  oauth_not_configured: 'That way of signing in is not configured here.',
  email_unverified: 'The provider has not verified your address.',
  signup_disabled: 'New accounts are by invitation only here.',
  account_link_required:
    'That address belongs to an account that another sign-in opened. Use that one, or a link by mail.',
  sso_tenant_not_resolved: 'No organisation has that name.',
  sso_not_configured: 'That organisation has set up no sign-in of its own.',
  enterprise_only: 'The plan of that organisation has no sign-in of its own.',
  identity_provider_failed: 'The provider does not answer. Try again later.',
  seat_limit: 'All seats of that organisation are taken.',
  forbidden: 'You may not sign in there.',
})

/** @type {import('../index.js').EntryPage} */
export const signInPage = {
  title: 'Sign in',
  show(given) {
    const providers = element('section', { class: 'providers', 'aria-label': 'Other ways' })
    showProviders(providers).catch(() => providers.remove())
    return [
      ...notices(given),
      element('div', { class: 'ways' }, keyForm(given), mailForm(), signUpForm(given)),
      providers,
      organisation(),
    ]
  },
}

/**
 * Returns the reason for this page: a session that ended, or a failed sign-in at a provider.
 *
 * @param {EntryCall} given
 */
function notices({ notice }) {
  const code = new URLSearchParams(location.search).get('oauth_error')
  if (code !== null) history.replaceState(null, '', `/${location.hash}`)
  const refusal = code !== null && Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : undefined
  return [
    ...(notice === undefined ? [] : [element('p', { class: 'notice', role: 'alert' }, notice)]),
    ...(code === null ? [] : [errorBox(new Error(refusal ?? `Signing in there did not work (${code}). Try again.`))]),
  ]
}

/** @param {EntryCall} given */
function keyForm({ onSignedIn }) {
  const input = element('input', {
    name: 'api_key',
    type: 'password',
    required: true,
    autocomplete: 'current-password',
    spellcheck: 'false',
  })
  return actionForm({
    title: 'With a key',
    fields: [field('API key', input, 'It begins with ks_ or kao_, and was shown once.')],
    action: 'Sign in',
    async perform() {
      await call('POST', '/v1/signin', { api_key: input.value.trim() })
      onSignedIn()
    },
  })
}

function mailForm() {
  const email = element('input', { name: 'email', type: 'email', required: true, autocomplete: 'email' })
  const org = element('input', { name: 'org', maxlength: 100, autocomplete: 'off' })
  const recover = element('input', { type: 'checkbox', name: 'recover' })
  const warning = element(
    'p',
    { class: 'quiet', hidden: true },
    'The link gives you a new key and ends all other keys and sessions of the account.',
  )
  recover.addEventListener('change', () => {
    warning.hidden = !recover.checked
  })
  return actionForm({
    title: 'With a link by mail',
    fields: [
      field('E-mail', email),
      field('Organisation', org, 'Only when your address is in several.'),
      choice('I have lost my key: make a new one', recover),
      warning,
    ],
    action: 'Send the link',
    async perform(form) {
      const mode = recover.checked ? 'recover' : 'sign_in'
      const asked = { email: email.value, mode, redirect: askedPath(), org: org.value.trim() || undefined }
      /** @type {{ expires_in_s: number }} */
      const { expires_in_s: lifeS } = await call('POST', '/v1/auth/email/start', asked)
      const heading = element('h2', { tabindex: -1 }, 'Look into your mail')
      const minutes = Math.round(lifeS / 60)
      const text = `If ${email.value} belongs to an account, a link is on its way. It works once, for ${minutes} minutes.`
      form.replaceChildren(heading, element('p', {}, text))
      heading.focus()
      say(text)
    },
  })
}

/** @param {EntryCall} given */
function signUpForm({ onSignedIn }) {
  const email = element('input', { name: 'new-email', type: 'email', required: true, autocomplete: 'email' })
  const name = element('input', { name: 'new-name', maxlength: 100, autocomplete: 'organization' })
  return actionForm({
    title: 'New here',
    fields: [field('E-mail', email), field('Name', name, 'Of you or your company; may be left out.')],
    action: 'Create an account',
    async perform() {
      const given = { email: email.value, ...(name.value.trim() && { name: name.value.trim() }) }
      /** @type {{ api_key: string }} */
      const made = await call('POST', '/v1/signup', given)
      await showKey('Your API key', made.api_key)
      await call('POST', '/v1/signin', { api_key: made.api_key })
      onSignedIn()
    },
  })
}

/** @param {HTMLElement} outlet */
async function showProviders(outlet) {
  /** @type {{ providers: readonly { id: string, label: string, configured: boolean }[] }} */
  const { providers } = await get('/v1/oauth/providers')
  const links = providers
    .filter(({ configured }) => configured)
    .map(({ id, label }) => {
      const href = withQuery(`/v1/oauth/${id}/start`, { redirect: askedPath() })
      return element('a', { class: 'button', href }, `Continue with ${label}`)
    })
  if (links.length === 0) outlet.remove()
  else outlet.replaceChildren(...links)
}

/** The sign-in of members of an organisation with its own identity provider. */
function organisation() {
  const name = element('input', { name: 'organisation', required: true, maxlength: 100, autocomplete: 'off' })
  const form = actionForm({
    fields: [field('Name of your organisation', name)],
    action: 'Go to its sign-in',
    async perform() {
      const path = `/v1/sso/${encodeURIComponent(name.value.trim())}/start`
      location.assign(withQuery(path, { redirect: askedPath() }))
    },
  })
  return element('details', {}, element('summary', {}, 'Single sign-on of an organisation'), form)
}

/** The requested page, to return to after signing in; undefined when there was none. */
function askedPath() {
  return location.hash.startsWith('#/') ? `/${location.hash}` : undefined
}
