import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { scopesOfRole, type Role } from '../../../core/accounts/roles.ts'
import { coversScopes } from '../../../core/kernel/scopes.ts'
import type { Operation } from '../../kernel/operation.ts'

/**
 * Checks that the caller holds every right of a role, before it is granted by a key or a membership. Throws
 * `insufficient_scope`.
 */
export function requireHeldRole(op: Pick<Operation, 'scopes'>, role: Role): void {
  const required = scopesOfRole(role)
  if (op.scopes === null || coversScopes(op.scopes, required)) return
  throw KERNEL_ERRORS.insufficient_scope(`only callers with the permissions of the role ${role} can assign it`, {
    details: { required },
  })
}
