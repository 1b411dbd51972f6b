import { writeShareToken } from '../../../core/compile/wire/share/share-token.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { openArchive } from '../artifacts/find-artifact.ts'
import { describeActor, requireScope, type Operation } from '../../kernel/operation.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import { serviceKey } from '../../kernel/secrets/service-secrets.ts'
import { ShareLinkEntity, type ShareLink } from './share-link.ts'

/** The target of the link, and its lifetime. */
export interface ShareOrder {
  /** `report` shows the evaluation of the artifact; `artifact` also offers the archive. */
  readonly kind: ShareLink['kind']
  readonly artifactId: string
  readonly days: number
  /** Runs that visitors may make in all; 0 for none. */
  readonly runLimit: number
}

/** The link; its token is shown only here and is in no row of the links. */
export interface MadeShareLink {
  readonly id: string
  readonly token: string
  readonly expiresAt: Date
}

const DAY_MS = 86_400_000

/**
 * Makes a link that shows one artifact to every holder of the link. Throws `not_found`, `not_ready`,
 * `k_score_below_floor`, `artifact_revoked` and `artifact_expired` for an artifact that cannot be shared, and
 * `invalid_credential` when the tenant is deleted; `insufficient_scope` for a link with runs without the scope `run`.
 */
export async function createShareLink(op: Operation, order: ShareOrder): Promise<MadeShareLink> {
  requireScope(op, 'artifacts:export')
  // Its visitors run for the owner, so its maker must be allowed to.
  if (order.runLimit > 0) requireScope(op, 'run')
  const artifact = await openArchive(op, order.artifactId)
  const { secret } = await serviceKey(op.db, 'share', op.db)
  const now = op.now()
  // Whole seconds: the token has no finer unit, and both must agree on when the link ends.
  const expiresAt = new Date(Math.floor((now.getTime() + order.days * DAY_MS) / 1000) * 1000)
  const id = newId('shr')
  await op.write(async (tx) => {
    await requireLiveTenant(tx, op.tenantId)
    tx.em.create(ShareLinkEntity, {
      id,
      tenantId: op.tenantId,
      kind: order.kind,
      targetId: artifact.id,
      createdBy: describeActor(op.actor),
      createdAt: now,
      expiresAt,
      openedCount: 0,
      runLimit: order.runLimit,
      runCount: 0,
    })
    await recordAudit(tx, op, {
      action: 'share_link.created',
      target: id,
      payload: {
        kind: order.kind,
        artifact_id: artifact.id,
        expires_at: expiresAt.toISOString(),
        run_limit: order.runLimit,
      },
    })
  })
  return { id, token: writeShareToken({ id, expiresAt }, secret), expiresAt }
}
