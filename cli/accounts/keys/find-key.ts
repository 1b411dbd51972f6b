import { usageError } from '../../cli-error.ts'
import type { ApiClient } from '../../client/api-client.ts'
import type { KeyView } from '../../../core/accounts/wire/keys/key-view.ts'
import { fetchLiveKeys } from './list-keys.ts'

const SHOWN = /^ks_[0-9a-z]+$/

/**
 * The key in force that an id or the beginning of a public part names. Throws `CliError` for none, for several, and for
 * the text of a whole key, which belongs into no command line.
 */
export async function findKey(client: ApiClient, named: string): Promise<KeyView> {
  if (/^ks_[^_]*_/.test(named)) {
    throw usageError('name a key by its public part, up to the second underscore: the rest of it is the secret')
  }
  const keys = await fetchLiveKeys(client)
  const found = keys.filter(({ id, prefix }) => id === named || (SHOWN.test(named) && prefix.startsWith(named)))
  const [first, second] = found
  if (first === undefined) throw usageError(`no active key matches ${named}: svc keys list shows the keys`)
  if (second !== undefined) throw usageError(`${found.length} keys begin with ${named}: give more characters`)
  return first
}
