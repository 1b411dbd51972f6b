import type { Route } from '../services.ts'
import { changelogRoute } from './changelog.ts'
import { listClientErrorsRoute, reportClientErrorRoute } from './client-errors.ts'

/** Returns the routes of the changelog and of errors of pages. */
export function reportRoutes(): readonly Route[] {
  return [changelogRoute(), reportClientErrorRoute, listClientErrorsRoute]
}
