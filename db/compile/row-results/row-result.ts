import { p } from '@mikro-orm/core'
import type { FailedCheck } from '../../../core/compile/artifacts/diagnosis/judged-row.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { REPORT_KINDS } from '../../../core/compile/wire/artifacts/diagnosis.ts'
import { ROW_RESULTS } from '../../../core/compile/wire/jobs/explain/rows.ts'
import { bytes, document, instant, real } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { ArtifactEntity } from '../artifacts/artifact.ts'

/**
 * The result of one row that an artifact was evaluated on. It holds digests of the row and of the answer; the content is in
 * the archive, or in the rows of the compile while these are kept.
 */
export const RowResultEntity = defineTable({
  name: 'RowResult',
  tableName: 'row_results',
  properties: {
    artifactId: () => p.manyToOne(ArtifactEntity).mapToPk().fieldName('artifact_id').primary(),
    /** `compile`, or the id of an evaluation. */
    source: p.text().primary(),
    rowId: p.text().primary(),
    /** Of its artifact. No foreign key: its check would lock the tenant's row for each line that is written. */
    tenantId: p.text(),
    cid: p.text(),
    /** Position in the evaluation, from 0. */
    place: p.integer(),
    fold: p.integer().nullable(),
    result: p.enum(ROW_RESULTS),
    isRight: p.boolean(),
    confidence: real().nullable(),
    category: p.text(),
    /** Whether the input is unlike those of the other rows; null where that is not known. */
    isUnlike: p.boolean().nullable(),
    failedChecks: document<readonly FailedCheck[]>(),
    /** SHA-256 over the RFC 8785 form of `{expected, input}`, and of the answer. */
    rowHash: bytes(),
    gotHash: bytes(),
  },
  indexes: [
    { name: 'row_results_by_cid', properties: ['tenantId', 'cid', 'source'] },
    { name: 'row_results_in_order', properties: ['tenantId', 'artifactId', 'source', 'place'] },
  ],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_job_within', of: 'artifactId' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'row_results',
      key: ['artifactId', 'source', 'place'],
      columns: {
        artifactId: true,
        source: true,
        rowId: true,
        tenantId: 'the document is of one tenant',
        cid: true,
        place: true,
        fold: true,
        result: true,
        isRight: true,
        confidence: true,
        category: true,
        isUnlike: true,
        failedChecks: true,
        rowHash: true,
        gotHash: true,
      },
    },
    sweeps: { none: 'part of the evidence of the artifact' },
  },
})

/** A diagnosis or the failure modes of an artifact, as they were made last. Removed when one of its rows is forgotten. */
export const RowReportEntity = defineTable({
  name: 'RowReport',
  tableName: 'row_reports',
  properties: {
    artifactId: () => p.manyToOne(ArtifactEntity).mapToPk().fieldName('artifact_id').primary(),
    kind: p.enum(REPORT_KINDS).primary(),
    tenantId: p.text(),
    cid: p.text(),
    report: document<JsonObject>(),
    madeAt: instant(),
  },
  indexes: [{ name: 'row_reports_by_cid', properties: ['tenantId', 'cid', 'kind'] }],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_job_within', of: 'artifactId' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'row_reports',
      key: ['artifactId', 'kind'],
      columns: {
        artifactId: true,
        kind: true,
        tenantId: 'the document is of one tenant',
        cid: true,
        report: true,
        madeAt: true,
      },
    },
    sweeps: { none: 'two at most for each artifact' },
  },
})
