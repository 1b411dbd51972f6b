import { p } from '@mikro-orm/core'
import { CAPTURE_SOURCES } from '../../../core/gateway/captures/capture.ts'
import { LEFT_OUT } from '../../../core/gateway/captures/recording/left-out.ts'
import { REVIEW_STATUSES } from '../../../core/gateway/captures/review.ts'
import type { CaptureAudio } from '../../../core/gateway/captures/recording/audio-facts.ts'
import type { RiskParts } from '../../../core/gateway/captures/risk.ts'
import type { Attempt } from '../../../core/gateway/record/attempt.ts'
import type { Json, JsonObject } from '../../../core/kernel/json/json.ts'
import { bigCount, bytes, document, instant, real } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { BlobEntity } from '../../kernel/blobs/blob.ts'

/** An id that orders rows by time, byte by byte: the key of the partitions. */
export const timedId = () => p.text().collation('C')

/**
 * A captured call, in partitions by month of its id. Its facts never change and are chained; forgetting erases the row of
 * `capture_contents` and leaves this one.
 */
export const CaptureEntity = defineTable({
  name: 'Capture',
  tableName: 'captures',
  properties: {
    id: timedId().primary(),
    tenantId: p.text(),
    namespace: p.text(),
    /** Place among the captures of the tenant, in the order of their commits. */
    position: bigCount(),
    chainId: bigCount(),
    /** Place in the chain, from 1 without gaps. */
    seq: bigCount(),
    prevHash: bytes(),
    chainHash: bytes(),
    at: instant(),
    source: p.enum(CAPTURE_SOURCES),
    kind: p.text(),
    dialect: p.text().nullable(),
    provider: p.text().nullable(),
    model: p.text().nullable(),
    requestModel: p.text().nullable(),
    outcome: p.enum(['whole', 'interrupted', 'left', 'failed'] as const),
    httpStatus: p.integer(),
    errorCode: p.text().nullable(),
    isStreamed: p.boolean(),
    inputTokens: bigCount(),
    cachedTokens: bigCount(),
    cacheWriteTokens: bigCount(),
    outputTokens: bigCount(),
    reasoningTokens: bigCount(),
    isEstimated: p.boolean(),
    /** Null for a model without a known price. */
    costMicros: bigCount().nullable(),
    latencyUs: bigCount().nullable(),
    firstContentUs: bigCount().nullable(),
    attempts: document<readonly Attempt[]>(),
    route: document<JsonObject>().nullable(),
    redactionClasses: p.array(),
    /** Classes that were found, replaced or not. Outside of the chain; null for captures of before, which tell what was replaced. */
    sensitiveClasses: p.array().nullable(),
    retention: p.enum(['kept', 'none'] as const),
    inputHash: bytes(),
    outputHash: bytes(),
    promptHash: bytes().nullable(),
    responseHash: bytes().nullable(),
    answerHash: bytes().nullable(),
    receiptId: p.text().nullable(),
    receipt: document<JsonObject>().nullable(),
    conversationId: p.text().nullable(),
    requestId: p.text(),
    keyId: p.text().nullable(),
    memberId: p.text().nullable(),
    teamId: p.text().nullable(),
    template: p.text().nullable(),
    /** Facts about its sound. Outside of the chain, since they follow from the content. */
    audio: document<CaptureAudio>().nullable(),
    risk: real().nullable(),
    riskParts: document<RiskParts>().nullable(),
    status: p.enum(REVIEW_STATUSES),
    reviewedAt: instant().nullable(),
    reviewedBy: p.text().nullable(),
    reviewReason: p.text().nullable(),
    forgottenAt: instant().nullable(),
    /** Why its content was not stored; the digest of its row covers it. */
    contentLeftOut: p.enum(LEFT_OUT).nullable(),
  },
  indexes: [
    { name: 'captures_newest', properties: ['tenantId', 'id'] },
    { name: 'captures_of_namespace', properties: ['tenantId', 'namespace', 'id'] },
    { name: 'captures_tail', properties: ['tenantId', 'position'] },
    { name: 'captures_chained', properties: ['chainId', 'seq'] },
    // Few rows are in these: most captures wait for a review and hold nothing grave.
    { name: 'captures_reviewed', properties: ['tenantId', 'status', 'id'], where: `status <> 'pending'` },
    { name: 'captures_with_reason', properties: ['tenantId', 'id'], where: 'review_reason is not null' },
    { name: 'captures_risky', properties: ['tenantId', 'id'], where: 'risk >= 0.3' },
    { name: 'captures_with_audio', properties: ['tenantId', 'id'], where: 'audio is not null' },
    {
      name: 'captures_sensitive',
      expression: `create index "captures_sensitive" on "captures" ("tenant_id", "id") where coalesce(sensitive_classes, redaction_classes) <> '{}'`,
    },
    { name: 'captures_of_template', properties: ['tenantId', 'template', 'id'], where: 'template is not null' },
    {
      name: 'captures_of_conversation',
      properties: ['tenantId', 'conversationId', 'id'],
      where: 'conversation_id is not null',
    },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    // Behind the captures of the other tenant: its chores then index, count and scan them, and its streams show them.
    merge: {
      moves: `with given as (select id, row_number() over (order by position) as place from captures where tenant_id = $1),
        head as (update capture_heads set position = position + (select count(*) from given) where tenant_id = $2
          returning position - (select count(*) from given) as before)
        update captures as c set tenant_id = $2, position = head.before + given.place from given, head
        where c.id = given.id`,
    },
    purge: 'goes',
    export: {
      section: 'captures',
      key: ['id'],
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        position: 'a counter of the store',
        chainId: true,
        seq: true,
        prevHash: true,
        chainHash: true,
        at: true,
        source: true,
        kind: true,
        dialect: true,
        provider: true,
        model: true,
        requestModel: true,
        outcome: true,
        httpStatus: true,
        errorCode: true,
        isStreamed: true,
        inputTokens: true,
        cachedTokens: true,
        cacheWriteTokens: true,
        outputTokens: true,
        reasoningTokens: true,
        isEstimated: true,
        costMicros: true,
        latencyUs: true,
        firstContentUs: true,
        attempts: true,
        route: true,
        redactionClasses: true,
        sensitiveClasses: true,
        retention: true,
        inputHash: true,
        outputHash: true,
        promptHash: true,
        responseHash: true,
        answerHash: true,
        receiptId: true,
        receipt: true,
        conversationId: true,
        requestId: true,
        keyId: true,
        memberId: true,
        teamId: true,
        template: true,
        audio: true,
        risk: true,
        riskParts: true,
        status: true,
        reviewedAt: true,
        reviewedBy: true,
        reviewReason: true,
        forgottenAt: true,
        contentLeftOut: true,
      },
    },
    sweeps: { none: 'whole months are removed by the chores of captures' },
  },
})

/** The texts of a capture. Forgetting removes the row. */
export const CaptureContentEntity = defineTable({
  name: 'CaptureContent',
  tableName: 'capture_contents',
  properties: {
    id: timedId().primary(),
    tenantId: p.text(),
    namespace: p.text(),
    /** Of a large content the beginning; the whole is in the blob. */
    prompt: p.text(),
    response: p.text(),
    body: document<JsonObject>().nullable(),
    answer: document<Json>().nullable(),
    /** A large content as a blob: the JSON object of prompt, response, body and answer. */
    blobSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('blob_sha256').nullable().deleteRule('no action'),
    /** Bytes of a content in this row as JSON, when it was stored; null for one in a blob, and for rows of before. */
    inlineBytes: bigCount().nullable(),
    /** The output that a reviewer wrote in place of the response. */
    fixedOutput: p.text().nullable(),
    /** When sensitive parts were replaced: from then on the texts do not agree with the hashes of the chain. */
    redactedAt: instant().nullable(),
  },
  indexes: [
    { name: 'capture_contents_of_tenant', properties: ['tenantId', 'id'] },
    { name: 'capture_contents_by_blob', properties: ['blobSha256'], where: 'blob_sha256 is not null' },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    blobs: ['blobSha256'],
    export: {
      section: 'capture_contents',
      key: ['id'],
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        prompt: true,
        response: true,
        body: true,
        answer: true,
        blobSha256: true,
        inlineBytes: 'a count of the store',
        fixedOutput: true,
        redactedAt: true,
      },
    },
    sweeps: { none: 'removed with the month of its capture' },
  },
})

/**
 * Texts of captures for search by trigram, in a table of their own: the index costs more than everything else that is
 * written for a capture, so a chore fills it, and captures that it has not reached are searched without it.
 */
export const CaptureTextEntity = defineTable({
  name: 'CaptureText',
  tableName: 'capture_texts',
  properties: {
    id: timedId().primary(),
    tenantId: p.text(),
    namespace: p.text(),
    /** The beginnings of prompt and response. */
    text: p.text(),
  },
  indexes: [
    { name: 'capture_texts_of_tenant', properties: ['tenantId', 'id'] },
    {
      name: 'capture_texts_trigrams',
      expression: `create index "capture_texts_trigrams" on "capture_texts" using gin ("text" gin_trgm_ops)`,
    },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: { leftOut: 'made from `capture_contents` for search' },
    sweeps: { none: 'removed with the month of its capture' },
  },
})
