import { DomainError } from '../../core/errors.ts'
import { namespacesOf } from '../../core/tenancy/scopes.ts'
import type { Operation } from '../operation.ts'

/** The namespaces that the caller's key is bound to; null when it sees all of them. */
export function boundsOf({ scopes }: Pick<Operation, 'scopes'>): readonly string[] | null {
  return namespacesOf(scopes ?? [])
}

/** For what holds rows of all namespaces. Throws `insufficient_scope` for a key that is bound to some. */
export function requireAllNamespaces(op: Pick<Operation, 'scopes'>): void {
  const bounds = boundsOf(op)
  if (bounds === null) return
  throw new DomainError('insufficient_scope', 'this needs a key that is bound to no namespace', {
    details: { bound_to: [...bounds] },
  })
}

/** SQL: whether a namespace is within the bounds, which this parameter binds. */
export function inBounds(namespace: string, parameter: number): string {
  return `($${parameter}::text[] is null or ${namespace} = any($${parameter}))`
}

/** SQL: the same for what a job made, by the job's id. A job is in the namespace whose events it was compiled from. */
export function jobInBounds(jobId: string, parameter: number): string {
  return `($${parameter}::text[] is null or exists (
    select 1 from compile_jobs bound where bound.id = ${jobId} and ${inBounds(`bound.spec ->> 'corpus_namespace'`, parameter)}))`
}
