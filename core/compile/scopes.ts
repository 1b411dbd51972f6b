import type { Scope as GatewayScope } from '../gateway/scopes.ts'

/** Scopes of compile jobs, runs, concepts and artifacts. */
export const COMPILE_SCOPES = [
  'compile:read',
  'compile:write',
  'run',
  'concepts:read',
  'concepts:write',
  'artifacts:read',
  'artifacts:export',
] as const

/** A scope of this area or of one below it. */
export type Scope = GatewayScope | (typeof COMPILE_SCOPES)[number]
