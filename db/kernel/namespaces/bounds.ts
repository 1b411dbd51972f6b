import { KERNEL_ERRORS, type DomainError } from '../../../core/kernel/errors.ts'
import { grantsNamespace, namespacesOf } from '../../../core/kernel/scopes.ts'
import type { Operation } from '../operation.ts'

/** Returns the namespaces that the caller's key is bound to; null when it sees all of them. */
export function boundsOf({ scopes }: Pick<Operation, 'scopes'>): readonly string[] | null {
  return namespacesOf(scopes ?? [])
}

/** Returns the namespace of a call that names none: the first that the caller's key is bound to, else `default`. */
export function defaultNamespace(op: Pick<Operation, 'scopes'>): string {
  return boundsOf(op)?.[0] ?? 'default'
}

/** Guards rows of all namespaces. Throws `insufficient_scope` for a key that is bound to some. */
export function requireAllNamespaces(op: Pick<Operation, 'scopes'>): void {
  const bounds = boundsOf(op)
  if (bounds !== null) throw boundElsewhere('this needs a key that is bound to no namespace', bounds)
}

/** Throws `insufficient_scope` for a namespace that the caller's key is not bound to. */
export function requireNamespace({ scopes }: Pick<Operation, 'scopes'>, namespace: string): void {
  if (scopes === null || grantsNamespace(scopes, namespace)) return
  throw KERNEL_ERRORS.insufficient_scope(`this key is not for the namespace ${namespace}`, {
    details: { required: `namespace:${namespace}` },
  })
}

/**
 * Returns the namespace of new work: the requested one, else that of the continued work, else the first that the
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
  return KERNEL_ERRORS.insufficient_scope(message, { details: { bound_to: [...bounds] } })
}
