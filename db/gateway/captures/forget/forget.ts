import { p } from '@mikro-orm/core'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import { bytes, document, instant } from '../../../kernel/tables/columns.ts'
import { defineTable } from '../../../kernel/tables/define-table.ts'

/** The certificate of a forgotten capture: hashes of what it was, and when it was erased. */
export const CaptureCertificateEntity = defineTable({
  name: 'CaptureCertificate',
  tableName: 'capture_certificates',
  properties: {
    /** `forget_` and 24 hexadecimal digits over tenant and capture. */
    id: p.text().primary(),
    tenantId: p.text(),
    namespace: p.text(),
    captureId: p.text(),
    /** The work that forgot many captures; null for those of one call. */
    forgetId: p.text().nullable(),
    reason: p.text(),
    requestedBy: p.text(),
    forgottenAt: instant(),
    /** `svc-capture-deletion-1` with its signature. */
    certificate: document<JsonObject>(),
  },
  uniques: [{ name: 'capture_certificates_one_each', properties: ['tenantId', 'captureId'] }],
  indexes: [{ name: 'capture_certificates_newest', properties: ['tenantId', 'forgottenAt', 'id'] }],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'capture_certificates',
      key: ['forgottenAt', 'id'],
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        captureId: true,
        forgetId: true,
        reason: true,
        requestedBy: true,
        forgottenAt: true,
        certificate: true,
      },
    },
    sweeps: { none: 'the proof of an erasure is kept as long as the tenant' },
  },
})

/** Work that forgets many captures: named ones, or those with a text. A workflow does it. */
export const CaptureForgetEntity = defineTable({
  name: 'CaptureForget',
  tableName: 'capture_forgets',
  properties: {
    id: p.text().primary(),
    tenantId: p.text(),
    kind: p.enum(['ids', 'subject', 'pattern'] as const),
    /** Null for all namespaces. */
    namespace: p.text().nullable(),
    ids: p.array().nullable(),
    /** The text, until the work is done. */
    sought: p.text().nullable(),
    soughtHash: bytes(),
    reason: p.text(),
    requestedBy: p.text(),
    state: p.enum(['running', 'done'] as const),
    /** Captures up to this id were looked at. */
    reached: p.text(),
    forgotten: p.integer(),
    /** Conversations that were erased. */
    conversations: p.integer().default(0),
    createdAt: instant(),
    finishedAt: instant().nullable(),
    /** When the reconciler looks at unfinished work again. */
    lookAt: instant().nullable(),
  },
  indexes: [
    { name: 'capture_forgets_newest', properties: ['tenantId', 'createdAt', 'id'] },
    { name: 'capture_forgets_open', properties: ['id'], where: `state = 'running'` },
  ],
  facts: {
    tenant: 'row',
    namespace: { unbound: 'reaches several namespaces; lists show a bound key those of its own' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'capture_forgets',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        kind: true,
        namespace: true,
        ids: true,
        sought: 'what is to be forgotten is not copied',
        soughtHash: 'would confirm a guess',
        reason: true,
        requestedBy: true,
        state: true,
        reached: 'a place of the work',
        forgotten: true,
        conversations: true,
        createdAt: true,
        finishedAt: true,
        lookAt: 'a time of the reconciler',
      },
    },
    sweeps: { none: 'one row for a request, kept with its certificates' },
  },
})
