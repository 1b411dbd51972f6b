import type { Method, Route } from '../../../api/kernel/route.ts'
import type { RouteSchemas } from '../../../api/kernel/request/route-schemas.ts'
import { ROUTES } from '../../../api/routes.ts'
import { ADMIN_KEY, TEST_LIMITS, type TestApi } from '../api.ts'
import { givenKey } from '../people/given-keys.ts'

const METHODS: readonly Method[] = ['patch', 'put', 'delete', 'post', 'get']

/** Returns the path of a route with ids without an owner: the examples of its parameters. */
export function pathOf(route: Route): string {
  return route.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(exampleOf(route, name)))
}

/** The same for a call that is read to its end: a live feed is asked for what is stored alone. */
export function endingPathOf(route: Route): string {
  return route.operationId === 'streamCaptures' ? `${pathOf(route)}?live=false` : pathOf(route)
}

function exampleOf(route: Route, name: string): string {
  const example: unknown = route.params?.shape[name]?.meta()?.['example']
  if (typeof example === 'string') return example
  throw new Error(`${route.operationId}: the parameter ${name} needs .meta({ example })`)
}

/** The schemas of a route's input under the limits of the tests. */
export function schemasOf(route: Route): RouteSchemas {
  return route.schemas(TEST_LIMITS)
}

/** A body that the route's schema takes; undefined for a route without one. */
export function bodyOf(route: Route): unknown {
  const { body } = schemasOf(route)
  if (body === undefined) return undefined
  if (body.safeParse({}).success) return {}
  const example: unknown = body.meta()?.['example']
  if (example !== undefined && body.safeParse(example).success) return example
  throw new Error(`${route.operationId}: the body needs .meta({ example }) that its schema takes`)
}

/** A method with which no route answers at this path. */
export function unusedMethod(path: string): string {
  const taken = ROUTES.filter((route) => formOf(route).test(path)).map(({ method }) => method)
  // No route has a method of WebDAV: for a path at which all the others are taken.
  return (METHODS.find((method) => !taken.includes(method)) ?? 'propfind').toUpperCase()
}

/** The route that serves a path, by its declaration: a part that differs may be the id of a route beside it. */
export function routeAt(method: Method, path: string): Route | undefined {
  return ROUTES.find((route) => route.method === method && formOf(route).test(path))
}

function formOf(route: Route): RegExp {
  return new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

/** Credentials of every kind, all of one tenant but the admin's. */
export interface Credentials {
  readonly key: string
  readonly scimToken: string
}

/** Headers with which the guard lets a call to the route through. */
export function headersFor(route: Route, { key, scimToken }: Credentials): Readonly<Record<string, string>> {
  switch (route.auth) {
    case 'admin':
      return { 'x-admin-key': ADMIN_KEY }
    case 'scim':
      return { authorization: `Bearer ${scimToken}` }
    default:
      return { 'x-api-key': key }
  }
}

/** Makes the bearer token of a tenant's identity provider. */
export async function givenScimToken(api: TestApi, tenantId: string): Promise<string> {
  return (await givenKey(api.server.services.db, { tenantId, scopes: [], kind: 'scim' })).key
}
