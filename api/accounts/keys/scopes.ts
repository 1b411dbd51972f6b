import { DOCUMENTS } from '../../kernel/guard/public-limits.ts'
import { ROLES, scopesOfRole } from '../../../core/accounts/roles.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import type { Route as AnyRoute } from '../../kernel/route.ts'
import { ListScopesAnswer } from '../../../core/accounts/wire/keys/scopes.ts'
import { SCOPE_PRESETS } from '../../../core/accounts/key-scopes/scope-presets.ts'
import { SCOPE_SENTENCES, SCOPES } from '../../../core/scopes.ts'
import { defineRoute, type Route } from '../services.ts'

/** The route that publishes the scopes, over the list of routes, which this one is part of. */
export function listScopesRoute(routes: () => readonly AnyRoute[]): Route {
  return defineRoute({
    method: 'get',
    path: '/v1/scopes',
    limit: DOCUMENTS,
    keptForS: 3600,
    operationId: 'listScopes',
    group: 'accounts',
    summary: 'List the scopes of keys and the presets',
    description:
      'Every route that takes a key requires one scope. A key holds exact names, families (`compile:*`) or everything (`*`); `namespace:<slug>` limits it to namespaces. A preset is a named choice of scopes.',
    auth: 'public',
    scope: undefined,
    answers: {
      200: envelope(
        'Each scope in words with the routes that require it, presets for new keys, and the scopes of each role',
        ListScopesAnswer,
      ),
    },
  }).handle(async () => ({
    status: 200,
    body: {
      scopes: SCOPES.map((scope) => ({
        scope,
        description: SCOPE_SENTENCES[scope],
        routes: routes()
          .filter((route) => route.scope === scope)
          .map((route) => `${route.method.toUpperCase()} ${route.path}`),
      })),
      presets: SCOPE_PRESETS.map(({ id, name, description, scopes }) => ({
        id,
        name,
        description,
        scopes: [...scopes],
      })),
      roles: Object.fromEntries(ROLES.map((role) => [role, [...scopesOfRole(role)]])),
    },
  }))
}
