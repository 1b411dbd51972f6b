import { JwkSet, type PublicJwk } from '../../core/ledger/keys/jwk.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { CliContext } from '../context.ts'
import { pinKeys } from '../client/profile.ts'

/** The public keys that the server signs with. */
export async function fetchKeys(client: ApiClient): Promise<readonly PublicJwk[]> {
  return (await client.call('/.well-known/jwks.json', JwkSet)).keys
}

/** Keeps key, tenant and server in the profile, and pins the server's keys. */
export async function rememberKey(
  context: CliContext,
  client: ApiClient,
  known: {
    readonly apiKey: string
    readonly keys: readonly PublicJwk[]
    readonly tenant: { id: string; name: string; plan: string }
  },
): Promise<void> {
  const profile = await context.profile()
  await context.saveProfile({
    url: client.url,
    api_key: known.apiKey,
    tenant: known.tenant,
    pinned_keys: pinKeys(profile.pinned_keys, known.keys),
  })
}
