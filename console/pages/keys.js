import { call, get } from '../api.js'
import { ask, askFirst, errorBox, field, showOnce } from '../parts/dialog.js'
import { element, say } from '../parts/dom.js'
import { formatInstant } from '../parts/format.js'
import { table } from '../parts/table.js'

/**
 * @typedef {object} PrimaryKey
 * @property {string} prefix
 * @property {string | null} label
 * @property {readonly string[]} scopes
 * @property {string} created_at
 * @property {string | null} last_used_at
 * @property {boolean} primary
 * @property {boolean} active
 */
/**
 * @typedef {object} ScopedKey
 * @property {string} id
 * @property {string} key_prefix
 * @property {readonly string[]} scopes
 * @property {string | null} label
 * @property {string} created_at
 * @property {string | null} last_used_at
 * @property {string | null} expires_at
 * @property {boolean} active
 */

const KEEP_IT = 'Keep it now: only a hash of it is stored, and it is never shown again.'

/** @type {import('../main.js').Page} */
export const keysPage = {
  title: 'Keys',
  async load({ signal, reload }) {
    const [primary, scoped] = await Promise.all([readPrimary(signal), readScoped(signal)])
    const trouble = element('div')
    const run = /** @param {() => Promise<unknown>} work */ (work) => () => {
      trouble.replaceChildren()
      work().then(reload, (error) => trouble.replaceChildren(errorBox(error)))
    }
    return [
      trouble,
      heading('Primary key', element('button', { type: 'button', onclick: run(rotate) }, 'Rotate')),
      primaryTable(primary),
      heading('Scoped keys', element('button', { type: 'button', class: 'primary', onclick: run(mint) }, 'New key')),
      scopedTable(scoped, (key) => run(async () => await revoke(key))),
    ]
  },
}

/** @param {AbortSignal} signal */
async function readPrimary(signal) {
  /** @type {{ keys: readonly PrimaryKey[] }} */
  const { keys } = await get('/v1/account/keys', signal)
  return keys.filter(({ primary }) => primary)
}

/** @param {AbortSignal} signal */
async function readScoped(signal) {
  /** @type {{ keys: readonly ScopedKey[] }} */
  const { keys } = await get('/v1/account/scoped-keys', signal)
  return keys
}

/**
 * @param {string} text
 * @param {HTMLElement} action
 */
function heading(text, action) {
  return element('div', { class: 'heading' }, element('h2', {}, text), action)
}

/** @param {readonly PrimaryKey[]} keys */
function primaryTable(keys) {
  return table({
    caption: 'The primary key',
    rows: keys,
    empty: 'There is no primary key; rotating makes one.',
    columns: [
      { title: 'Prefix', cell: ({ prefix }) => element('code', {}, prefix) },
      { title: 'Label', cell: ({ label }) => label ?? '–' },
      { title: 'Made', cell: ({ created_at }) => formatInstant(created_at) },
      { title: 'Last used', cell: ({ last_used_at }) => formatInstant(last_used_at) },
    ],
  })
}

/**
 * @param {readonly ScopedKey[]} keys
 * @param {(key: ScopedKey) => () => void} onRevoke
 */
function scopedTable(keys, onRevoke) {
  return table({
    caption: 'Scoped keys',
    rows: keys,
    empty: 'No scoped keys. One for each program, with only the scopes it needs, is the safe way.',
    columns: [
      { title: 'Prefix', cell: ({ key_prefix }) => element('code', {}, key_prefix) },
      { title: 'Label', cell: ({ label }) => label ?? '–' },
      { title: 'Scopes', cell: ({ scopes }) => scopeList(scopes) },
      { title: 'Last used', cell: ({ last_used_at }) => formatInstant(last_used_at) },
      { title: 'Expires', cell: ({ expires_at }) => (expires_at === null ? 'never' : formatInstant(expires_at)) },
      {
        title: 'Do',
        cell: (key) =>
          key.active
            ? element(
                'button',
                { type: 'button', 'aria-label': `Revoke ${key.label ?? key.key_prefix}`, onclick: onRevoke(key) },
                'Revoke',
              )
            : element('span', { class: 'badge', 'data-status': 'revoked' }, 'ended'),
      },
    ],
  })
}

/** @param {readonly string[]} scopes */
function scopeList(scopes) {
  return element('span', { class: 'scopes' }, ...scopes.map((scope) => element('code', {}, scope)))
}

async function rotate() {
  const made = await ask({
    title: 'Rotate the primary key?',
    body: [
      element(
        'p',
        {},
        'The present one stops working at once, and with it the sessions that it opened. This one goes on.',
      ),
    ],
    confirm: 'Rotate the key',
    isDangerous: true,
    perform: async () => {
      /** @type {{ api_key: string }} */
      const rotated = await call('POST', '/v1/account/rotate-key')
      return rotated
    },
  })
  if (made) await showOnce({ title: 'The new primary key', secret: made.api_key, note: KEEP_IT })
}

async function mint() {
  /** @type {{ scopes: readonly { scope: string }[] }} */
  const { scopes } = await get('/v1/scopes')
  const boxes = scopes.map(({ scope }) =>
    element('label', { class: 'choice' }, element('input', { type: 'checkbox', name: 'scope', value: scope }), scope),
  )
  const label = element('input', { name: 'label', maxlength: 80, required: true })
  const made = await ask({
    title: 'New scoped key',
    body: [
      field('Label', label),
      field(
        'Days until it expires',
        element('input', { name: 'days', type: 'number', min: 1, max: 3650, value: 90 }),
        'Empty: never.',
      ),
      element('fieldset', {}, element('legend', {}, 'Scopes'), element('div', { class: 'choices' }, ...boxes)),
    ],
    confirm: 'Make the key',
    perform: async (form) => {
      const days = Number(form.get('days'))
      /** @type {{ api_key: string }} */
      const minted = await call('POST', '/v1/account/scoped-keys', {
        label: label.value,
        scopes: form.getAll('scope').map(String),
        ...(days > 0 && { ttl_days: days }),
      })
      return minted
    },
  })
  if (made) await showOnce({ title: 'The new key', secret: made.api_key, note: KEEP_IT })
}

/** @param {ScopedKey} key */
async function revoke(key) {
  const isRevoked = await askFirst({
    title: `Revoke ${key.label ?? key.key_prefix}?`,
    text: 'It stops working at once, everywhere, and cannot be brought back.',
    confirm: 'Revoke the key',
    perform: async () => await call('DELETE', `/v1/account/scoped-keys/${key.id}`),
  })
  if (isRevoked) say('The key is revoked.')
}
