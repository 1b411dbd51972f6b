/** A route, as far as an overview shows it. */
export interface SurfaceRoute {
  readonly method: string
  readonly path: string
}

/** A part of the service that people work with, and the routes that it has now. */
export interface Surface {
  readonly id: string
  readonly routes: readonly SurfaceRoute[]
}

/** Primary surfaces and the path prefixes that belong to them. */
const PRIMARY = {
  capture: ['/v1/capture', '/v1/account/api-control-center/events'],
  compile: ['/v1/compile', '/v1/build', '/v1/builder', '/v1/concepts'],
  compose: ['/v1/compose'],
  deploy: ['/v1/run', '/v1/artifacts', '/v1/exports'],
} as const satisfies Readonly<Record<string, readonly string[]>>

const SECONDARY = { audit: ['/v1/account/audit-log', '/v1/account/audit'] } as const

/** The parts of the service that there are: one without a route is not there. */
export function surfacesOf(routes: readonly SurfaceRoute[]): {
  readonly primary: readonly Surface[]
  readonly secondary: readonly Surface[]
} {
  const present = (places: Readonly<Record<string, readonly string[]>>): Surface[] =>
    Object.entries(places).flatMap(([id, folders]) => {
      const own = routes.filter(({ path }) => folders.some((folder) => isBelow(path, folder)))
      return own.length === 0 ? [] : [{ id, routes: own.map(({ method, path }) => ({ method, path })) }]
    })
  return { primary: present(PRIMARY), secondary: present(SECONDARY) }
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}
