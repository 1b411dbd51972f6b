import type { Route } from '../services.ts'
import { createShareLinkRoute, listShareLinksRoute, revokeShareLinkRoute } from './links.ts'
import { openShareLinkRoute } from './open.ts'
import { openSharedPartRoute } from './parts.ts'
import { runSharedRoute } from './run.ts'

/** The routes of links that show an artifact without a key. */
export const SHARE_ROUTES: readonly Route[] = [
  createShareLinkRoute,
  listShareLinksRoute,
  revokeShareLinkRoute,
  openShareLinkRoute,
  openSharedPartRoute,
  runSharedRoute,
]
