import type { Scope as CompileScope } from '../compile/scopes.ts'

/** Scopes of datasets, each with its sentence. */
export const LEARN_SCOPES = {
  'datasets:read': 'Read datasets, their versions and rows, and export them',
  'datasets:write': 'Make, import, split and delete datasets',
} as const

/** A scope of this area or of one below it. */
export type Scope = CompileScope | keyof typeof LEARN_SCOPES
