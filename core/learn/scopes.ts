import type { Scope as CompileScope } from '../compile/scopes.ts'

/** Scopes of datasets and evaluations, each with its sentence. */
export const LEARN_SCOPES = {
  'datasets:read': 'Read datasets, their versions and rows, and export them',
  'datasets:write': 'Make, import, split and delete datasets',
  'eval:read': 'Read evaluations, their rows, comparisons and logs',
  'eval:write': 'Start evaluations',
} as const

/** A scope of this area or of one below it. */
export type Scope = CompileScope | keyof typeof LEARN_SCOPES
