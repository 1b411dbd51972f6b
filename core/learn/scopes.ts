import type { Scope as CompileScope } from '../compile/scopes.ts'

/** A scope that routes of this area ask for: those of captures, compiles and concepts. */
export type Scope = CompileScope
