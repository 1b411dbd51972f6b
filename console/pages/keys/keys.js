import { call, get, withQuery } from '../../api.js'
import { badge } from '../../parts/badge.js'
import { ask, askFirst } from '../../parts/dialog.js'
import { element, say } from '../../parts/dom.js'
import { createTrouble } from '../../parts/error.js'
import { formatInstant } from '../../parts/format.js'
import { pagedList } from '../../parts/paged-list.js'
import { showKey } from '../../parts/show-key.js'
import { heading, table } from '../../parts/table.js'
import { mintKey } from './mint-key.js'

/** @typedef {import('zod').output<typeof import('../../../core/accounts/wire/keys/key-view.ts').KeyView>} Key */

/** @type {import('../index.js').Page} */
export const keysPage = {
  title: 'Keys',
  scope: 'account:keys:read',
  async load({ signal, session, reload }) {
    const trouble = createTrouble()
    const mayChange = session.can('account:keys:write')
    /** @type {{ keys: readonly Key[] }} */
    const live = await get('/v1/account/keys', signal)
    const primary = live.keys.filter((key) => key.primary)
    /** @param {() => Promise<unknown>} work answers whether something was done */
    const onclick = (work) => () =>
      trouble.run(async () => {
        if (await work()) reload()
      })
    const scoped = await pagedList({
      read: async (cursor) => {
        /** @type {{ keys: readonly Key[], next_cursor: string | null }} */
        const page = await get(withQuery('/v1/account/scoped-keys', { limit: 25, cursor }), signal)
        return { items: page.keys, next: page.next_cursor }
      },
      show: (keys) => scopedTable(keys, mayChange ? (key) => onclick(async () => await revoke(key)) : undefined),
      onError: trouble.show,
    })
    const rotation = element(
      'button',
      { type: 'button', id: 'rotate', onclick: onclick(async () => await rotate(primary.length > 0)) },
      primary.length > 0 ? 'Rotate' : 'Make one',
    )
    const minting = element(
      'button',
      { type: 'button', id: 'mint', class: 'primary', onclick: onclick(async () => await mintKey(signal)) },
      'New key',
    )
    return [
      trouble.outlet,
      // The new key may do everything, so only callers who may do everything can create it.
      heading('Primary key', session.can('*') && rotation),
      primaryTable(primary),
      heading('Scoped keys', mayChange && minting),
      scoped,
    ]
  },
}

/** @param {readonly Key[]} keys */
function primaryTable(keys) {
  return table({
    caption: 'The primary key',
    rows: keys,
    empty: 'There is no primary key. It may do everything, so make one only when a program needs that.',
    columns: [
      { title: 'Prefix', cell: ({ key_prefix: prefix }) => element('code', {}, prefix), isWide: true },
      { title: 'Label', cell: ({ label }) => label ?? '–' },
      { title: 'Made', cell: ({ created_at: at }) => formatInstant(at) },
      { title: 'Last used', cell: ({ last_used_at: at }) => formatInstant(at) },
    ],
  })
}

/**
 * @param {readonly Key[]} keys
 * @param {((key: Key) => () => void) | undefined} onRevoke
 */
function scopedTable(keys, onRevoke) {
  return table({
    caption: 'Scoped keys',
    rows: keys,
    empty: 'No scoped keys. One for each program, with only the scopes it needs, is the safe way.',
    columns: [
      { title: 'Label', cell: ({ label }) => label ?? '–' },
      { title: 'Prefix', cell: ({ key_prefix: prefix }) => element('code', {}, prefix) },
      { title: 'Scopes', cell: ({ scopes }) => scopeList(scopes), isWide: true },
      { title: 'Last used', cell: ({ last_used_at: at }) => formatInstant(at) },
      { title: 'Expires', cell: ({ expires_at: at }) => (at === null ? 'never' : formatInstant(at)) },
      {
        title: '',
        cell: (key) => {
          if (!key.active) return badge('ended', key.revoked ? 'revoked' : 'expired')
          const label = `Revoke ${key.label ?? key.key_prefix}`
          return (
            onRevoke && element('button', { type: 'button', 'aria-label': label, onclick: onRevoke(key) }, 'Revoke')
          )
        },
      },
    ],
  })
}

/** @param {readonly string[]} scopes */
function scopeList(scopes) {
  return element('span', { class: 'scopes' }, ...scopes.map((scope) => element('code', {}, scope)))
}

/**
 * Replaces the primary key, or makes the first one.
 *
 * @param {boolean} isThere
 */
async function rotate(isThere) {
  const text = isThere
    ? 'The present one stops working at once, and with it the sessions that it opened. This one goes on.'
    : 'It may do everything that the account may. Programs are better off with scoped keys.'
  const made = await ask({
    title: isThere ? 'Rotate the primary key?' : 'Make a primary key?',
    body: [element('p', {}, text)],
    confirm: isThere ? 'Rotate the key' : 'Make the key',
    isDangerous: isThere,
    perform: async () => {
      /** @type {{ api_key: string }} */
      const rotated = await call('POST', '/v1/account/rotate-key')
      return rotated
    },
  })
  if (made === undefined) return false
  await showKey('The new primary key', made.api_key)
  return true
}

/** @param {Key} key */
async function revoke(key) {
  const isRevoked = await askFirst({
    title: `Revoke ${key.label ?? key.key_prefix}?`,
    text: 'It stops working at once, everywhere, and cannot be brought back.',
    confirm: 'Revoke the key',
    perform: async () => await call('DELETE', `/v1/account/scoped-keys/${key.id}`),
  })
  if (isRevoked) say('The key is revoked.')
  return isRevoked
}
