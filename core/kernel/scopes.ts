/** True when one of the held scopes grants the asked one: by name, by its family (`family:*`), or as `*`. */
export function grantsScope(held: readonly string[], asked: string): boolean {
  return held.some((scope) => covers(scope, asked))
}

/**
 * Returns true when a holder of `held` may grant the `wanted` scopes: each must be granted by a held one. A holder
 * bound to namespaces may grant only scopes of these namespaces, and at least one.
 */
export function coversScopes(held: readonly string[], wanted: readonly string[]): boolean {
  const bounds = namespacesOf(held)
  const asked = wanted.filter((scope) => namespaceOf(scope) === null)
  if (!asked.every((scope) => held.some((own) => covers(own, scope)))) return false
  if (bounds === null) return true
  const namespaces = namespacesOf(wanted)
  return namespaces !== null && namespaces.every((namespace) => bounds.includes(namespace))
}

/** The namespaces that a key is bound to; null when it is bound to none and may use all of them. */
export function namespacesOf(held: readonly string[]): readonly string[] | null {
  const namespaces = held.map(namespaceOf).filter((slug) => slug !== null)
  return namespaces.length === 0 ? null : namespaces
}

/** True when the held scopes allow work in the namespace. */
export function grantsNamespace(held: readonly string[], namespace: string): boolean {
  const bounds = namespacesOf(held)
  return bounds === null || bounds.includes(namespace)
}

/** The namespace that a scope binds to; null for every other scope, `namespace:admin` among them. */
export function namespaceOf(scope: string): string | null {
  if (scope === 'namespace:admin') return null
  return /^namespace:([a-z0-9][a-z0-9-]{0,62})$/.exec(scope)?.[1] ?? null
}

/** `own` may be `*`, a family or a name; so may `asked`, when keys are minted. */
function covers(own: string, asked: string): boolean {
  if (own === '*' || own === asked) return true
  return own.endsWith(':*') && asked.startsWith(own.slice(0, -1))
}
