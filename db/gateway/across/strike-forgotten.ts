import type { CaptureContent, NewCapture } from '../../../core/gateway/captures/capture.ts'
import type { TermFinder } from '../../../core/gateway/gate/privacy/scan/scan-text.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import type { SigningKey } from '../../../core/ledger/keys/signing-key.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Database } from '../../kernel/database.ts'
import { describeActor, systemOperation } from '../../kernel/operation.ts'
import { service, type ServiceTransaction } from '../../kernel/queries/service.ts'
import { certifyErasure, insertCertificates } from '../captures/forget/certificates.ts'
import type { ChainedCapture } from '../captures/writer/insert-rows.ts'
import { holdsTerm } from '../forgotten/holds-term.ts'
import { beganBefore } from '../forgotten/newest-term.ts'
import { readForgotten } from '../forgotten/read-forgotten.ts'

/** The reason on certificates of captures that were forgotten before they were stored. */
const REASON = 'on_forget_list'

/**
 * Returns the ids of the captures that hold a term of their tenant's forget list and were begun before it got the term:
 * calls that were in flight, and captures that waited on a disk. Part of the transaction that stores them, behind the lock
 * of the tenant's end, which new terms wait for.
 */
export async function findForgotten(
  tx: ServiceTransaction,
  db: Database,
  captures: readonly NewCapture[],
  newest: ReadonlyMap<string, Date>,
): Promise<ReadonlySet<string>> {
  const forgotten = new Set<string>()
  const lists = new Map<string, TermFinder | null>()
  for (const capture of captures) {
    const { id, tenantId, at } = capture.facts
    if (capture.content === null || !beganBefore(newest.get(tenantId), at)) continue
    const list = lists.has(tenantId) ? lists.get(tenantId) : await readForgotten(db, tenantId, tx)
    lists.set(tenantId, list ?? null)
    if (list && holdsTerm(textsOf(capture.content, capture.packed), list)) forgotten.add(id)
  }
  return forgotten
}

/** The texts of a content; of a large one all of them are packed. */
function textsOf({ prompt, response, body, answer }: CaptureContent, packed: NewCapture['packed']): Json {
  return packed === undefined
    ? [prompt, response, body, answer]
    : (JSON.parse(Buffer.concat(packed).toString('utf8')) as Json)
}

/** A capture without its content and without anything that tells of it. */
export function struck(capture: NewCapture): NewCapture {
  const { packed: _packed, ...rest } = capture
  return { ...rest, content: null, sensitiveClasses: [], template: null, audio: null, riskParts: null }
}

/** Certifies captures that are stored without their content, and records it in their tenants' ledgers. */
export async function certifyStruck(
  tx: ServiceTransaction,
  db: Database,
  rows: readonly ChainedCapture[],
  { signer, now }: { readonly signer: SigningKey; readonly now: Date },
): Promise<void> {
  for (const [tenantId, ofTenant] of Map.groupBy(rows, ({ capture }) => capture.facts.tenantId)) {
    const op = systemOperation(db, { tenantId, name: 'captures', requestId: newId('req'), now: () => now })
    const certificates = ofTenant.map(({ capture: { facts }, chainHash, blobSha256 }) =>
      certifyErasure(
        {
          tenantId,
          namespace: facts.namespace,
          captureId: facts.id,
          chainHash: Buffer.from(chainHash).toString('hex'),
          reason: REASON,
          requestedBy: describeActor(op.actor),
          at: now,
          hadBlob: blobSha256 !== null,
          learners: [],
        },
        signer,
      ),
    )
    const ids = certificates.map(({ captureId }) => captureId)
    await service.forTenant(tx, tenantId, async () => {
      await insertCertificates(tx, tenantId, certificates, null)
      await recordAudit(tx, op, {
        action: 'capture.forgotten',
        payload: { count: ids.length, ids, reason: REASON, forget_id: null },
      })
    })
  }
}
