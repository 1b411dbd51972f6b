import type { MacSecret } from '../../kernel/mac.ts'

/** What a key id stands for: a live secret, one that was pruned from the ring, or nothing we know. */
export type SecretState =
  | { readonly state: 'live'; readonly secret: MacSecret }
  | { readonly state: 'pruned' }
  | { readonly state: 'unknown' }

/** Finds the secret that a document names by its `key_id`. */
export type FindSecret = (keyId: string) => SecretState | Promise<SecretState>
