const FORM = /^(ks|kao|scim)_([0-9a-hjkmnp-tv-z]{12})_([0-9a-hjkmnp-tv-z]{26})$/

/** Prefix of a key: a tenant's key, the token of an anonymous workspace, SCIM's bearer token. */
export type KeyPrefix = 'ks' | 'kao' | 'scim'

/** The two halves of a key: its id and its secret. */
export interface KeyHalves {
  readonly prefix: KeyPrefix
  readonly lookupId: string
  readonly secret: string
}

/** The two halves of a key, or null for a text that has not the form of one. */
export function parseKey(apiKey: string): KeyHalves | null {
  const [, prefix, lookupId, secret] = FORM.exec(apiKey) ?? []
  if (lookupId === undefined || secret === undefined) return null
  return { prefix: prefix === 'kao' || prefix === 'scim' ? prefix : 'ks', lookupId, secret }
}
