import { sql } from 'kysely'
import {
  certificateId,
  deletionCertificate,
  type ForgottenCapture,
} from '../../../../core/gateway/captures/forget/certificate.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import type { SigningKey } from '../../../../core/ledger/keys/signing-key.ts'
import { list, unnest } from '../../../kernel/queries/typed.ts'
import type { Transaction } from '../../../kernel/transaction.ts'

/** A capture with its certificate. */
export interface CertifiedCapture {
  readonly captureId: string
  readonly namespace: string
  readonly id: string
  readonly reason: string
  readonly requestedBy: string
  readonly forgottenAt: Date
  readonly certificate: JsonObject
}

/** Certifies the erasure of a capture. */
export function certifyErasure(forgotten: ForgottenCapture, signer: SigningKey): CertifiedCapture {
  const { tenantId, captureId, namespace, reason, requestedBy, at } = forgotten
  return {
    captureId,
    namespace,
    id: certificateId(tenantId, captureId),
    reason,
    requestedBy,
    forgottenAt: at,
    certificate: deletionCertificate(forgotten, signer),
  }
}

/** Stores certificates, and changes none that is stored already. */
export async function insertCertificates(
  tx: Transaction,
  tenantId: string,
  made: readonly CertifiedCapture[],
  forgetId: string | null,
): Promise<void> {
  const rows = unnest('u', {
    id: list(
      'text',
      made.map(({ id }) => id),
    ),
    namespace: list(
      'text',
      made.map(({ namespace }) => namespace),
    ),
    capture_id: list(
      'text',
      made.map(({ captureId }) => captureId),
    ),
    reason: list(
      'text',
      made.map(({ reason }) => reason),
    ),
    requested_by: list(
      'text',
      made.map(({ requestedBy }) => requestedBy),
    ),
    forgotten_at: list(
      'timestamptz',
      made.map(({ forgottenAt }) => forgottenAt),
    ),
    certificate: list(
      'json',
      made.map(({ certificate }) => JSON.stringify(certificate)),
    ),
  })
  await tx.q
    .insertInto('capture_certificates')
    .columns([
      'id',
      'tenant_id',
      'forget_id',
      'namespace',
      'capture_id',
      'reason',
      'requested_by',
      'forgotten_at',
      'certificate',
    ])
    .expression((of) =>
      of
        .selectFrom(rows)
        .select([
          'u.id',
          sql<string>`${tenantId}`.as('tenant_id'),
          sql<string | null>`${forgetId}::text`.as('forget_id'),
          'u.namespace',
          'u.capture_id',
          'u.reason',
          'u.requested_by',
          'u.forgotten_at',
          sql<JsonObject>`u.certificate`.as('certificate'),
        ]),
    )
    .onConflict((on) => on.doNothing())
    .execute()
}

/** The certificates of forgotten captures, in no order. */
export async function readCertificates(
  tx: Transaction,
  tenantId: string,
  ids: readonly string[],
): Promise<readonly CertifiedCapture[]> {
  return await tx.q
    .selectFrom('capture_certificates')
    .select(['id', 'capture_id as captureId', 'namespace', 'reason', 'requested_by as requestedBy'])
    .select(['forgotten_at as forgottenAt', 'certificate'])
    .where(sql<boolean>`capture_id = any(${[...ids]}::text[])`)
    .where('tenant_id', '=', tenantId)
    .execute()
}
