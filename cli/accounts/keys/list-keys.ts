import type { ApiClient } from '../../client/api-client.ts'
import type { KeyView } from '../../../core/accounts/wire/keys/key-view.ts'
import { ListKeysAnswer } from '../../../core/accounts/wire/keys/primary.ts'
import { ListScopedKeysAnswer } from '../../../core/accounts/wire/keys/scoped.ts'
import { ListScopesAnswer } from '../../../core/accounts/wire/keys/scopes.ts'
import type { CliContext } from '../../context.ts'
import { formatTable, formatTime, plainText } from '../../terminal/table.ts'

/** `svc keys list`. */
export async function listKeys(context: CliContext, options: { readonly isAll: boolean }): Promise<void> {
  const client = await context.client()
  const live = await fetchLiveKeys(client)
  const ended = options.isAll ? (await fetchScopedKeys(client)).filter(({ active }) => !active) : []
  const keys = [...live, ...ended]
  context.output.result({ keys }, () =>
    formatTable(
      ['key', 'id', 'label', 'scopes', 'state', 'last used', 'ends'],
      keys.map((key) => [
        key.prefix,
        key.id,
        plainText(key.label ?? ''),
        key.preset ?? key.scopes.join(' '),
        stateOf(key),
        key.last_used_at === null ? 'never' : formatTime(key.last_used_at),
        key.expires_at === null ? '' : formatTime(key.expires_at),
      ]),
    ),
  )
}

/** `svc keys scopes`. */
export async function listScopes(context: CliContext): Promise<void> {
  const guest = await context.guest()
  const answer = await guest.call('/v1/scopes', ListScopesAnswer)
  context.output.result(answer, () =>
    [
      formatTable(
        ['preset', 'name', 'allows'],
        answer.presets.map(({ id, name, description }) => [id, name, description]),
      ),
      '',
      formatTable(
        ['scope', 'allows'],
        answer.scopes.filter(({ routes }) => routes.length > 0).map(({ scope, description }) => [scope, description]),
      ),
    ].join('\n'),
  )
}

/** The keys that are in force, the primary one first. */
export async function fetchLiveKeys(client: ApiClient): Promise<readonly KeyView[]> {
  return (await client.call('/v1/account/keys', ListKeysAnswer)).keys
}

/** Fetches every scoped key, newest first, including ended ones. */
async function fetchScopedKeys(client: ApiClient): Promise<readonly KeyView[]> {
  const keys: KeyView[] = []
  for (let query = ''; ;) {
    const page = await client.call(`/v1/account/scoped-keys${query}`, ListScopedKeysAnswer)
    keys.push(...page.keys)
    if (page.next_cursor === null) return keys
    query = `?cursor=${encodeURIComponent(page.next_cursor)}`
  }
}

function stateOf({ primary, revoked, expired }: KeyView): string {
  if (primary) return 'primary'
  if (revoked) return 'revoked'
  return expired ? 'expired' : 'scoped'
}
