import { html } from 'htm/preact'
import { call, get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Badge } from '../../parts/badge.js'
import { ask, askFirst, showKey } from '../../parts/dialog/ask.js'
import { ErrorBox, useActions } from '../../parts/error.js'
import { Heading } from '../../parts/facts.js'
import { Reading } from '../../parts/read/reading.js'
import { usePaged } from '../../parts/read/use-paged.js'
import { useRead } from '../../parts/read/use-read.js'
import { say } from '../../parts/say.js'
import { Table } from '../../parts/table/table.js'
import { PRIMARY_COLUMNS, SCOPED_COLUMNS } from './columns.js'
import { mintKey } from './mint-key.js'

/** @typedef {import('zod').output<typeof import('../../../core/accounts/wire/keys/key-view.ts').KeyView>} Key */

/** The primary key and the scoped keys of the account. */
export function KeysPage() {
  const { signal, session, reload } = usePage()
  const actions = useActions()
  const mayChange = session.can('account:keys:write')
  const primary = useRead(async (abort) => {
    /** @type {{ keys: readonly Key[] }} */
    const { keys } = await get('/v1/account/keys', abort)
    return keys.filter((key) => key.primary)
  }, [])
  const scoped = usePaged(async (cursor) => {
    /** @type {{ keys: readonly Key[], next_cursor: string | null }} */
    const page = await get(withQuery('/v1/account/scoped-keys', { limit: 25, cursor }), signal)
    return { items: page.keys, next: page.next_cursor }
  }, [])
  /** @param {() => Promise<unknown>} work answers whether something was done */
  const onClick = (work) => () =>
    actions.run(async () => {
      if (await work()) reload()
    })
  const minting = html`<button type="button" id="mint" class="primary" onClick=${onClick(() => mintKey(signal))}>
    New key
  </button>`
  return html`<${ErrorBox} error=${actions.error} />
    <${Reading} of=${primary}>
      ${(/** @type {readonly Key[]} */ keys) =>
        html`<${PrimaryKey} keys=${keys} onRotate=${onClick(() => rotate(keys.length > 0))} />
          <${Heading} text="Scoped keys">${mayChange && minting}<//>
          <${ScopedKeys}
            keys=${scoped}
            onRevoke=${mayChange && ((/** @type {Key} */ key) => onClick(() => revoke(key)))}
          />`}
    <//>`
}

/** @param {{ keys: readonly Key[], onRotate: () => void }} props */
function PrimaryKey({ keys, onRotate }) {
  const { session } = usePage()
  // The new key may do everything, so only callers who may do everything can create it.
  const action =
    session.can('*') &&
    html`<button type="button" id="rotate" onClick=${onRotate}>${keys.length > 0 ? 'Rotate' : 'Create one'}</button>`
  return html`<${Heading} text="Primary key">${action}<//>
    <${Table}
      caption="The primary key"
      rows=${keys}
      empty="No primary key. It has every permission, so create one only when a program needs that."
      columns=${PRIMARY_COLUMNS}
    />`
}

/**
 * @param {{ keys: import('../../parts/read/use-paged.js').Paged<Key>, onRevoke: false | ((key: Key) => () => void) }} props
 */
function ScopedKeys({ keys, onRevoke }) {
  const action = (/** @type {Key} */ key) => {
    if (!key.active) return html`<${Badge} status="ended" text=${key.revoked ? 'revoked' : 'expired'} />`
    const label = `Revoke ${key.label ?? key.key_prefix}`
    return onRevoke && html`<button type="button" aria-label=${label} onClick=${onRevoke(key)}>Revoke</button>`
  }
  return html`<${Table}
    caption="Scoped keys"
    paged=${keys}
    empty="No scoped keys. Create one for each program, with only the permissions it needs."
    keyOf=${(/** @type {Key} */ { id }) => id}
    filter=${(/** @type {Key} */ { label, key_prefix: prefix, scopes }) => [label, prefix, ...scopes].join(' ')}
    columns=${[...SCOPED_COLUMNS, { title: '', cell: action }]}
  />`
}

/**
 * Replaces the primary key, or makes the first one.
 *
 * @param {boolean} isThere
 */
async function rotate(isThere) {
  const text = isThere
    ? 'The current key and the sessions that it opened end immediately. This session continues.'
    : 'A primary key has every permission of the account. Use scoped keys for programs.'
  const made = await ask({
    title: isThere ? 'Rotate the primary key?' : 'Create a primary key?',
    body: text,
    confirm: isThere ? 'Rotate the key' : 'Create the key',
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
    text: 'The key stops working immediately, everywhere. This cannot be undone.',
    confirm: 'Revoke the key',
    perform: async () => await call('DELETE', `/v1/account/scoped-keys/${key.id}`),
  })
  if (isRevoked) say('The key is revoked.')
  return isRevoked
}
