import { raw } from '@mikro-orm/core'
import { sql, type RawBuilder } from 'kysely'
import { DomainError } from '../../../core/kernel/errors.ts'
import { grantsNamespace, namespacesOf } from '../../../core/kernel/scopes.ts'
import type { Operation } from '../operation.ts'
import type { Reader } from '../queries/read.ts'

/** The namespaces that the caller's key is bound to; null when it sees all of them. */
export function boundsOf({ scopes }: Pick<Operation, 'scopes'>): readonly string[] | null {
  return namespacesOf(scopes ?? [])
}

/** For what holds rows of all namespaces. Throws `insufficient_scope` for a key that is bound to some. */
export function requireAllNamespaces(op: Pick<Operation, 'scopes'>): void {
  const bounds = boundsOf(op)
  if (bounds !== null) throw boundElsewhere('this needs a key that is bound to no namespace', bounds)
}

/** Throws `insufficient_scope` for a namespace that the caller's key is not bound to. */
export function requireNamespace({ scopes }: Pick<Operation, 'scopes'>, namespace: string): void {
  if (scopes === null || grantsNamespace(scopes, namespace)) return
  throw new DomainError('insufficient_scope', `this key is not for the namespace ${namespace}`, {
    details: { required: `namespace:${namespace}` },
  })
}

/**
 * The namespace that new work lies in: the one that was asked for, else that of what it continues, else the first that the
 * caller's key is bound to; null for none. Throws `insufficient_scope` for one outside of the key's.
 */
export function namespaceForNew(
  op: Pick<Operation, 'scopes'>,
  asked: { readonly namespace: string | null; readonly continued: string | null },
): string | null {
  const namespace = asked.namespace ?? asked.continued ?? boundsOf(op)?.[0] ?? null
  if (namespace !== null) requireNamespace(op, namespace)
  return namespace
}

function boundElsewhere(message: string, bounds: readonly string[]): DomainError {
  return new DomainError('insufficient_scope', message, { details: { bound_to: [...bounds] } })
}

/** Condition: a job, by the alias of its row, lies in a namespace that the caller's key is bound to. */
export function specWithin(op: Pick<Operation, 'scopes'>, job: string): RawBuilder<boolean> {
  const bounds = boundsOf(op)
  return bounds === null ? sql<boolean>`true` : sql<boolean>`${specNamespace(job)} = any(${bounds})`
}

/** The namespace of a job's spec, by the alias of its row. */
export function specNamespace(job: string): RawBuilder<string | null> {
  return sql<string | null>`${sql.ref(`${job}.spec`)} ->> 'corpus_namespace'`
}

/** SQL: whether a namespace is within the bounds, which this parameter binds. */
export function inBounds(namespace: string, parameter: number): string {
  return `($${parameter}::text[] is null or ${namespace} = any($${parameter}))`
}

/** SQL: whether a job is within the bounds, by the alias of its row: it lies in the namespace of its spec. */
export function specInBounds(job: string, parameter: number): string {
  return inBounds(`${job}.spec ->> 'corpus_namespace'`, parameter)
}

/** SQL: the same for what a job made, by the job's id, which is also its artifact's. */
export function jobInBounds(jobId: string, parameter: number): string {
  return `($${parameter}::text[] is null or exists (
    select 1 from compile_jobs bound where bound.id = ${jobId} and ${specInBounds('bound', parameter)}))`
}

/** SQL: the same for a concept, by its id: all of its versions must lie within, since any may be its head. */
export function conceptInBounds(conceptId: string, parameter: number): string {
  return `($${parameter}::text[] is null or not exists (
    select 1 from versions v join compile_jobs made on made.id = v.job_id
    where v.concept_id = ${conceptId} and (made.spec ->> 'corpus_namespace' = any($${parameter})) is not true))`
}

/** Throws `not_found` for a concept that does not lie within the caller's bounds. */
export async function requireConceptInBounds(
  from: Reader,
  op: Pick<Operation, 'scopes'>,
  conceptId: string,
): Promise<void> {
  const bounds = boundsOf(op)
  if (bounds === null) return
  const found = await from.read((q) =>
    q
      .selectFrom('concepts')
      .select('id')
      .where('id', '=', conceptId)
      .where(
        sql<boolean>`not exists (
          select 1 from versions v join compile_jobs made on made.id = v.job_id
          where v.concept_id = concepts.id and (made.spec ->> 'corpus_namespace' = any(${bounds})) is not true)`,
      ),
  )
  if (found.length === 0) throw new DomainError('not_found', 'no such concept')
}

/** The namespace of a concept's head; null for none. */
export async function namespaceOfConcept(from: Reader, conceptId: string): Promise<string | null> {
  const [head] = await from.read((q) =>
    q
      .selectFrom('concepts as c')
      .innerJoin('versions as v', 'v.id', 'c.head_version_id')
      .innerJoin('compile_jobs as j', 'j.id', 'v.job_id')
      .select(specNamespace('j').as('namespace'))
      .where('c.id', '=', conceptId),
  )
  return head?.namespace ?? null
}

/**
 * The same for reads through the ORM: what to look for beside the rest, by the field that holds the job's id. Empty for a
 * caller who sees all namespaces.
 */
export function fieldInBounds(op: Pick<Operation, 'scopes' | 'tenantId'>, field: string): Record<string, unknown> {
  const bounds = boundsOf(op)
  if (bounds === null) return {}
  const ids = raw(
    `(select id from compile_jobs where tenant_id = ?
      and spec ->> 'corpus_namespace' in (select jsonb_array_elements_text(?::jsonb)))`,
    [op.tenantId, JSON.stringify(bounds)],
  )
  return { [field]: { $in: ids } }
}
