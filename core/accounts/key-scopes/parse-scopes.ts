import { namespaceOf } from '../../kernel/scopes.ts'
import { SCOPES } from '../../scopes.ts'
import { ACCOUNTS_ERRORS } from '../errors.ts'

const published: ReadonlySet<string> = new Set(SCOPES)

/**
 * Returns the scopes of a new key without repetitions: published names, families (`account:*`), `*`, and
 * `namespace:<slug>`. Throws `unknown_scope` with a line for each invalid one, and for an empty list.
 */
export function parseScopes(given: readonly string[]): readonly string[] {
  if (given.length === 0) {
    throw ACCOUNTS_ERRORS.unknown_scope('scopes: at least one scope is needed', {
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
    throw ACCOUNTS_ERRORS.unknown_scope(named, { details: { fields } })
  }
  return [...new Set(given)]
}

function isScopeText(text: string): boolean {
  if (text === '*' || published.has(text) || namespaceOf(text) !== null) return true
  return text.endsWith(':*') && SCOPES.some((scope) => scope.startsWith(text.slice(0, -1)))
}
