import { accountRoutes } from './account/index.ts'
import { adminRoutes } from './admin/index.ts'
import { healthRoutes } from './health/index.ts'
import { reportRoutes } from './reports/index.ts'
import type { Route } from './services.ts'

/** Returns the routes that look across areas. `routes` are all routes of the service. */
export function overviewRoutes(routes: () => readonly Route[]): readonly Route[] {
  return [...healthRoutes(routes), ...accountRoutes(routes), ...adminRoutes(routes), ...reportRoutes()]
}
