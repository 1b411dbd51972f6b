import { KERNEL_ERRORS } from './errors.ts'

/** The scopes that routes ask for. A key holds exact names, families (`compile:*`), namespaces, or everything (`*`). */
export const SCOPES = [
  'account:read',
  'compile:read',
  'compile:write',
  'run',
  'concepts:read',
  'concepts:write',
  'artifacts:read',
  'artifacts:export',
  'account:write',
  'account:export',
  'account:delete',
  'account:keys:read',
  'account:keys:write',
  'provider_keys:read',
  'provider_keys:write',
  'receipts:read',
  'receipts:write',
  'audit:read',
  'billing:read',
  'billing:write',
  'identity:read',
  'identity:write',
  'team:read',
  'team:write',
  'team:admin',
  'capture:read',
  'capture:write',
  'capture:stream',
  'lake:read',
  'lake:export',
  'control:read',
  'control:write',
  'webhook:read',
  'webhook:write',
  'namespace:admin',
  'privacy:write',
  'metrics:read',
] as const

/** One scope that a route asks for. */
export type Scope = (typeof SCOPES)[number]

const published: ReadonlySet<string> = new Set(SCOPES)

/** True when one of the held scopes grants the asked one: by name, by its family (`family:*`), or as `*`. */
export function grantsScope(held: readonly string[], asked: Scope): boolean {
  return held.some((scope) => covers(scope, asked))
}

/**
 * The scopes that a new key is asked to hold, without repetitions: published names, families that begin one
 * (`account:*`), `*`, and `namespace:<slug>`. Throws `unknown_scope` with a line for each that is none of these, and
 * for an empty list.
 */
export function parseScopes(given: readonly string[]): readonly string[] {
  if (given.length === 0) {
    throw KERNEL_ERRORS.unknown_scope('scopes: at least one scope is needed', {
      details: { fields: [{ field: 'scopes', message: 'at least one scope is needed' }] },
    })
  }
  const fields = given.flatMap((scope, index) =>
    isScopeText(scope)
      ? []
      : [{ field: `scopes.${index}`, message: `${scope.slice(0, 100)} is not a published scope` }],
  )
  if (fields.length > 0) {
    const named = fields.map(({ field, message }) => `${field}: ${message}`).join('; ')
    throw KERNEL_ERRORS.unknown_scope(named, { details: { fields } })
  }
  return [...new Set(given)]
}

/**
 * True when whoever holds the first scopes may hand the second ones out: each is granted by one that is held. What is
 * bound to namespaces may hand out no more than these, and at least one of them.
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
function namespaceOf(scope: string): string | null {
  if (published.has(scope)) return null
  return /^namespace:([a-z0-9][a-z0-9-]{0,62})$/.exec(scope)?.[1] ?? null
}

function isScopeText(text: string): boolean {
  if (text === '*' || published.has(text) || namespaceOf(text) !== null) return true
  return text.endsWith(':*') && SCOPES.some((scope) => scope.startsWith(text.slice(0, -1)))
}

/** `own` may be `*`, a family or a name; so may `asked`, when keys are minted. */
function covers(own: string, asked: string): boolean {
  if (own === '*' || own === asked) return true
  return own.endsWith(':*') && asked.startsWith(own.slice(0, -1))
}
