import type { Scope as CompileScope } from '../compile/scopes.ts'

/** Scopes of evaluations, each with its sentence. */
export const LEARN_SCOPES = {
  'eval:read': 'Read evaluations, their rows, comparisons and logs',
  'eval:write': 'Start evaluations',
} as const

/** A scope of this area or of one below it. */
export type Scope = CompileScope | keyof typeof LEARN_SCOPES
