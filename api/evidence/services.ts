import type { CcRoots } from '../../core/evidence/cc/roots.ts'
import type { ErrorCode } from '../../core/evidence/errors.ts'
import type { Limits } from '../../core/evidence/limits.ts'
import type { Scope } from '../../core/evidence/scopes.ts'
import type { LearnSettings } from '../learn/services.ts'
import { routesOf, type RouteOf } from '../kernel/route.ts'
import type { LearnServices } from '../learn/services.ts'

/** The settings of the operator that evidence uses. */
export interface EvidenceSettings extends LearnSettings {
  /** Folder or file of the pinned roots of confidential computing (`SVC_CC_ROOTS`). */
  readonly ccRootsPath?: string | undefined
}

/** The services that handlers of evidence see. */
export interface EvidenceServices extends LearnServices {
  readonly settings: EvidenceSettings
  readonly limits: Limits
  /** The roots of confidential computing that the operator pins. */
  readonly ccRoots: CcRoots
}

/** Declares a route whose handler sees this slice, and codes, limits and scopes of this area and those below. */
export const defineRoute = routesOf<EvidenceServices, ErrorCode, Scope>()
/** A route of this area. */
export type Route = RouteOf<EvidenceServices>
