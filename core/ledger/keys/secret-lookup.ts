import type { MacSecret } from '../../kernel/json/mac.ts'

/** State of a key id: a live secret, one that was pruned from the ring, or an unknown one. */
export type SecretState =
  | { readonly state: 'live'; readonly secret: MacSecret }
  | { readonly state: 'pruned' }
  | { readonly state: 'unknown' }

/** Finds the secret that a document names by its `key_id`. */
export type FindSecret = (keyId: string) => SecretState | Promise<SecretState>
