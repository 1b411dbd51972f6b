import type { Scope as GatewayScope } from '../gateway/scopes.ts'

/** Scopes of compile jobs, runs, concepts and artifacts, each with its sentence. */
export const COMPILE_SCOPES = {
  'compile:read': 'Read compile jobs, their rows and their progress; preview and estimate a compile',
  'compile:write': 'Start, answer, accept and cancel compile jobs',
  run: 'Run concepts, versions and artifacts',
  'documents:read': 'List the documents of namespaces and search them',
  'documents:write': 'Add documents to namespaces and delete them',
  'concepts:read': 'Read concepts, their versions and their use',
  'concepts:write': 'Delete concepts',
  'artifacts:read': 'Read and download artifacts and exports',
  'artifacts:write': 'Move artifacts through their life, and revoke them',
  'artifacts:export': 'Share artifacts by link, and export them to other formats',
} as const

/** A scope of this area or of one below it. */
export type Scope = GatewayScope | keyof typeof COMPILE_SCOPES
