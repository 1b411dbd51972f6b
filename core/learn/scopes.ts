import type { Scope as CompileScope } from '../compile/scopes.ts'

/** Scopes of evaluations, gates and holdouts, each with its sentence. */
export const LEARN_SCOPES = {
  'eval:read': 'Read evaluations, gates, and what is stored of holdouts beside their rows',
  'eval:write': 'Start evaluations and gates; store, reveal and delete holdouts',
} as const

/** A scope of this area or of one below it. */
export type Scope = CompileScope | keyof typeof LEARN_SCOPES
