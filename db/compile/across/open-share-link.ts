import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { readShareToken } from '../../../core/compile/wire/share/share-token.ts'
import { openArchive } from '../artifacts/find-artifact.ts'
import type { Artifact } from '../artifacts/artifact.ts'
import type { Database } from '../../kernel/database.ts'
import { systemOperation, type Operation } from '../../kernel/operation.ts'
import { service } from '../../kernel/queries/service.ts'
import { serviceKey } from '../../kernel/secrets/service-secrets.ts'
import type { Principal } from '../../kernel/tenant/principal.ts'
import type { ShareLink } from '../share-links/share-link.ts'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'

/** The tenant that runs of a link are charged to: to no team and no member. */
export type SharePayer = Pick<Principal, 'tenantId' | 'plan' | 'quota' | 'scopes' | 'teamId' | 'memberId'>

/** The artifact or report of a link. */
export interface OpenedShareLink {
  readonly id: string
  readonly kind: ShareLink['kind']
  readonly expiresAt: Date
  /** Runs that visitors may make in all; 0 for a link without a try-it. */
  readonly runLimit: number
  /** Runs that they made. */
  readonly runCount: number
  readonly artifact: Artifact
  /** The owner, who pays for runs. */
  readonly payer: SharePayer
  /** Gives access to the artifact's tenant; it acts for the link, not for the viewer. */
  readonly op: Operation
}

/**
 * Opens a token. Throws `not_found` for an unknown one, `share_link_expired` for a link that has ended or was revoked,
 * or whose tenant is deleted, and `artifact_revoked` or `artifact_expired` for its artifact.
 */
export async function openShareLink(
  db: Database,
  input: { readonly token: string; readonly requestId: string; readonly now: () => Date },
): Promise<OpenedShareLink> {
  const { secret } = await serviceKey(db, 'share', db)
  const claim = readShareToken(input.token, secret)
  if (claim === null) throw KERNEL_ERRORS.not_found('no such link')
  const [link] = await service.read(db, 'a token names a link of a tenant yet unknown', (q) =>
    q
      .selectFrom('share_links as s')
      .innerJoin('tenants as t', 't.id', 's.tenant_id')
      .select((of) => [
        's.tenant_id as tenantId',
        's.kind',
        's.target_id as targetId',
        's.expires_at as expiresAt',
        's.revoked_at as revokedAt',
        's.run_limit as runLimit',
        's.run_count as runCount',
        't.plan',
        't.quota_override as quota',
        of('t.deleted_at', 'is not', null).as('isGone'),
      ])
      .where('s.id', '=', claim.id),
  )
  if (link === undefined) throw KERNEL_ERRORS.not_found('no such link')
  // The row decides: a token cannot outlive it.
  if (link.isGone || link.revokedAt !== null || link.expiresAt <= input.now() || claim.expiresAt <= input.now()) {
    throw COMPILE_ERRORS.share_link_expired('this link has ended')
  }
  const op = systemOperation(db, {
    tenantId: link.tenantId,
    name: `share-link ${claim.id}`,
    requestId: input.requestId,
    now: input.now,
  })
  return {
    id: claim.id,
    kind: link.kind,
    expiresAt: link.expiresAt,
    runLimit: link.runLimit,
    runCount: link.runCount,
    payer: {
      tenantId: link.tenantId,
      plan: link.plan,
      quota: link.quota,
      scopes: [],
      teamId: null,
      memberId: null,
    },
    artifact: await openArchive(op, link.targetId).catch(forVisitor),
    op,
  }
}

/** A visitor learns that the artifact was revoked, not by whom and why. */
function forVisitor(error: unknown): never {
  if (!COMPILE_ERRORS.artifact_revoked.matches(error)) throw error
  throw COMPILE_ERRORS.artifact_revoked(error.message, { cause: error })
}

/** Counts a visit of a link. */
export async function countOpening({ op, id }: Pick<OpenedShareLink, 'op' | 'id'>): Promise<void> {
  await op.write(async (tx) => {
    await tx.q
      .updateTable('share_links')
      .set((of) => ({ opened_count: of('opened_count', '+', 1) }))
      .where('id', '=', id)
      .execute()
  })
}
