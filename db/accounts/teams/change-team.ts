import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { isUniqueViolation } from '../../kernel/faults/failures.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { slugTaken } from './create-team.ts'
import { dropTeam } from './drop-team.ts'
import { refuseDirected, requireTeamRole } from './team-access.ts'

/** The new name of a team. */
export interface ChangeTeamInput {
  readonly teamId: string
  readonly callerId: string | null
  readonly name?: string | undefined
  readonly slug?: string | undefined
}

/** Renames a team. Throws `not_found`, `forbidden`, and `duplicate` for a slug that is taken. */
export async function changeTeam(op: Operation, input: ChangeTeamInput): Promise<void> {
  requireScope(op, 'team:write')
  const { teamId, callerId } = input
  try {
    await op.write(async (tx) => {
      const team = await requireTeamRole(tx, op, { teamId, callerId, role: 'admin' })
      refuseDirected(team)
      const name = input.name ?? team.name
      const slug = input.slug ?? team.slug
      if (name === team.name && slug === team.slug) return
      await tx.q
        .updateTable('teams')
        .set({ name, slug, updated_at: op.now() })
        .where('id', '=', teamId)
        .where('tenant_id', '=', op.tenantId)
        .execute()
      await recordAudit(tx, op, {
        action: 'team.updated',
        target: teamId,
        payload: { from: { name: team.name, slug: team.slug }, to: { name, slug } },
      })
    })
  } catch (error) {
    if (isUniqueViolation(error, 'teams_tenant_id_slug_unique')) throw slugTaken(input.slug ?? '')
    throw error
  }
}

/**
 * Removes a team with its memberships, its open invitations and its shared provider keys. Its members stay in the
 * organisation; keys that worked for it continue without a team. Throws `not_found` and `forbidden`.
 */
export async function deleteTeam(
  op: Operation,
  input: { readonly teamId: string; readonly callerId: string | null },
): Promise<void> {
  requireScope(op, 'team:write')
  await op.write(async (tx) => {
    const team = await requireTeamRole(tx, op, { ...input, role: 'admin' })
    refuseDirected(team)
    await dropTeam(tx, op, team.id)
    await recordAudit(tx, op, {
      action: 'team.deleted',
      target: team.id,
      payload: { slug: team.slug, members: team.members },
    })
  })
}
