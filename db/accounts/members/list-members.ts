import type { Role } from '../../../core/accounts/roles.ts'
import type { Operation } from '../../kernel/operation.ts'
import { requireOrgRole } from '../orgs/org-access.ts'
import { pageOf, placeByCreation, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import type { MemberSource } from '../../../core/accounts/member-sources.ts'

/** A member as the other members see them. */
export interface MemberSummary {
  readonly id: string
  readonly email: string
  readonly displayName: string | null
  readonly role: Role
  readonly state: 'active' | 'deactivated'
  readonly source: MemberSource
  readonly isEmailVerified: boolean
  readonly createdAt: Date
}

/**
 * Lists the members of the caller's organisation, newest first. Throws `not_found`, `forbidden` and `invalid_cursor`.
 */
export async function listMembers(
  op: Operation,
  input: PageRequest & { readonly orgId: string; readonly callerId: string | null },
): Promise<Page<MemberSummary>> {
  await requireOrgRole(op, op, { ...input, role: 'viewer' })
  const after = placeOf(input.cursor)
  const rows = await op.read((q) =>
    q
      .selectFrom('members')
      .select([
        'id',
        'email',
        'display_name as displayName',
        'role',
        'state',
        'source',
        'is_email_verified as isEmailVerified',
        'created_at as createdAt',
      ])
      .where('tenant_id', '=', op.tenantId)
      .where((of) => of(of.refTuple('created_at', 'id'), '<', of.tuple(new Date(after.rank), after.id)))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(input.limit + 1),
  )
  return pageOf(rows, input.limit, placeByCreation)
}
