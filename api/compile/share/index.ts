import type { Route } from '../services.ts'
import { createShareLinkRoute, listShareLinksRoute, revokeShareLinkRoute } from './links.ts'
import { openSharedPartRoute, openShareLinkRoute } from './open.ts'

/** Links that show an artifact to who has no key. */
export const SHARE_ROUTES: readonly Route[] = [
  createShareLinkRoute,
  listShareLinksRoute,
  revokeShareLinkRoute,
  openShareLinkRoute,
  openSharedPartRoute,
]
