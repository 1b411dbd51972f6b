import type { Scope as LearnScope } from '../learn/scopes.ts'

/** A scope that routes of this area ask for: those of artifacts. */
export type Scope = LearnScope
