import { OUT_OF_FORCE } from '../../../../core/compile/artifacts/life/states.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { lockInTransaction } from '../../../kernel/transaction.ts'
import { list, notify, unnest } from '../../../kernel/queries/typed.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import { findDescendants } from '../../evidence/descendants.ts'
import { sourcesLock } from './sources-lock.ts'
import { failExport } from '../../exports/finish-export.ts'

/** The effects of an artifact's transitions, in numbers of rows. */
export interface LifeEffects {
  readonly shareLinks: number
  readonly exports: number
  /** Artifacts that were flagged as built on it. */
  readonly flagged: number
  /** True when the head of its concept moved. */
  readonly hasMovedHead: boolean
}

const NONE: LifeEffects = { shareLinks: 0, exports: 0, flagged: 0, hasMovedHead: false }

/** More artifacts than a tenant has. */
const MOST_FLAGGED = 1_000_000

/**
 * Carries out what follows from the transitions of an artifact that are pending, and then marks them as done. Each step is a
 * transaction that looks at the rows as they are, so an attempt after a crash, or two at once, do nothing twice. Calls
 * `onStep` after each. The effects of later transitions are left to a later call.
 */
export async function carryOutLife(
  op: Operation,
  { artifactId, onStep }: { readonly artifactId: string; readonly onStep: () => void },
): Promise<LifeEffects> {
  const pending = await pendingOf(op, artifactId)
  const last = pending.at(-1)
  if (last === undefined) return NONE
  const revocation = pending.find(({ toState }) => toState === 'revoked')
  const step = async <T>(work: Promise<T>): Promise<T> => {
    const done = await work
    onStep()
    return done
  }
  const hasMovedHead = await step(moveHead(op, artifactId))
  const effects =
    revocation === undefined
      ? NONE
      : {
          shareLinks: await step(endShareLinks(op, artifactId)),
          exports: await step(failExports(op, artifactId)),
          flagged: await step(flagBuiltOn(op, artifactId, revocation.at)),
        }
  await settle(op, artifactId, last.position)
  return { ...NONE, ...effects, hasMovedHead }
}

async function pendingOf(op: Operation, artifactId: string) {
  return await op.read((q) =>
    q
      .selectFrom('artifact_transitions')
      .select(['position', 'to_state as toState', 'at'])
      .where('artifact_id', '=', artifactId)
      .where('tenant_id', '=', op.tenantId)
      .where('effects_at', 'is', null)
      .orderBy('position'),
  )
}

/**
 * Moves the head of the artifact's concept to the newest version in force, when the head is out of force. Without one the head
 * stays, so that a run of the concept says why it is refused.
 */
async function moveHead(op: Operation, artifactId: string): Promise<boolean> {
  return await op.write(async (tx) => {
    const now = op.now()
    const concept = await tx.q
      .selectFrom('concepts as c')
      .innerJoin('artifacts as a', 'a.concept_id', 'c.id')
      .select(['c.id', 'c.head_version_id as headVersionId'])
      .where('a.id', '=', artifactId)
      .where('a.tenant_id', '=', op.tenantId)
      .where('c.deleted_at', 'is', null)
      .forNoKeyUpdate('c')
      .executeTakeFirst()
    if (concept === undefined) return false
    const versions = tx.q
      .selectFrom('versions as v')
      .innerJoin('artifacts as a', 'a.version_id', 'v.id')
      .select('v.id')
      .where('v.concept_id', '=', concept.id)
      .where('v.tenant_id', '=', op.tenantId)
      .where('v.deleted_at', 'is', null)
      .where('a.state', 'not in', [...OUT_OF_FORCE])
      .where((of) => of.or([of('a.expires_at', 'is', null), of('a.expires_at', '>', now)]))
    const isHeadInForce = await versions.where('v.id', '=', concept.headVersionId).executeTakeFirst()
    if (isHeadInForce !== undefined) return false
    const head = await versions.orderBy('v.number', 'desc').limit(1).executeTakeFirst()
    if (head === undefined) return false
    await tx.q
      .updateTable('concepts')
      .set({ head_version_id: head.id, updated_at: now })
      .where('id', '=', concept.id)
      .returning((of) => notify('svc_concepts', of.ref('id')).as('notified'))
      .execute()
    return true
  })
}

async function endShareLinks(op: Operation, artifactId: string): Promise<number> {
  return await op.write(async (tx) => {
    const now = op.now()
    const ended = await tx.q
      .updateTable('share_links')
      .set({ revoked_at: now })
      .where('target_id', '=', artifactId)
      .where('tenant_id', '=', op.tenantId)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now)
      .returning('id')
      .execute()
    for (const { id } of ended) {
      await recordAudit(tx, op, {
        action: 'share_link.revoked',
        target: id,
        payload: { artifact_id: artifactId },
      })
    }
    return ended.length
  })
}

async function failExports(op: Operation, artifactId: string): Promise<number> {
  const open = await op.read((q) =>
    q
      .selectFrom('exports')
      .select('id')
      .where('artifact_id', '=', artifactId)
      .where('tenant_id', '=', op.tenantId)
      .where('finished_at', 'is', null),
  )
  for (const { id: exportId } of open) {
    await failExport(op, { exportId, errorCode: 'artifact_revoked', errorMessage: 'the artifact was revoked' })
  }
  return open.length
}

/** Flags the artifacts that are built on a revoked one, directly or through others. */
async function flagBuiltOn(op: Operation, artifactId: string, at: Date): Promise<number> {
  return await op.write(async (tx) => {
    // Publications that saw the artifact before its revocation are committed, and found.
    await lockInTransaction(tx, sourcesLock(op.tenantId))
    const { ids } = await findDescendants(tx, {
      tenantId: op.tenantId,
      sources: { artifacts: [artifactId] },
      limit: MOST_FLAGGED,
    })
    if (ids.length === 0) return 0
    const flagged = await tx.q
      .insertInto('artifact_reviews')
      .columns(['artifact_id', 'source_id', 'tenant_id', 'at'])
      .expression((of) =>
        of
          .selectFrom(unnest('u', { id: list('text', ids) }))
          .select((row) => [
            row.ref('u.id').as('artifact_id'),
            row.val(artifactId).as('source_id'),
            row.val(op.tenantId).as('tenant_id'),
            row.val(at).as('at'),
          ]),
      )
      .onConflict((on) => on.doNothing())
      .returning('artifact_id')
      .execute()
    return flagged.length
  })
}

async function settle(op: Operation, artifactId: string, position: number): Promise<void> {
  await op.write(async (tx) => {
    await tx.q
      .updateTable('artifact_transitions')
      .set({ effects_at: op.now() })
      .where('artifact_id', '=', artifactId)
      .where('tenant_id', '=', op.tenantId)
      .where('position', '<=', position)
      .where('effects_at', 'is', null)
      .execute()
  })
}
