import { sql } from 'kysely'
import type { CaptureContent } from '../../../../core/gateway/captures/capture.ts'
import { redactContent } from '../../../../core/gateway/captures/recording/redact-content.ts'
import type { Json, JsonObject, Sha256 } from '../../../../core/kernel/json/json.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import { putBlob } from '../../../kernel/blobs/put-blob.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { json } from '../../../kernel/queries/typed.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { wholeContent } from '../get-capture.ts'

/** The outcome for captures; each id is in one of the lists. */
export interface ChangedCaptures {
  readonly updated: readonly string[]
  readonly notFound: readonly string[]
  readonly forgotten: readonly string[]
}

/** Characters of a large content that stay beside its blob. */
const SHORT_CHARS = 8000

/**
 * Replaces sensitive parts in the stored texts of captures: prompt, response, body, answer, a reviewer's output, and the
 * entry of the search. The hashes of the chain stay: the contents no longer agree with them, which `redacted_at` says. With
 * a line in the audit ledger.
 */
export async function redactCaptures(op: Operation, ids: readonly string[]): Promise<ChangedCaptures> {
  const wanted = [...new Set(ids)]
  return await op.write(async (tx) => {
    const rows = await lockRows(tx, op.tenantId, wanted)
    const live = rows.filter(({ forgottenAt }) => forgottenAt === null)
    for (const row of live) if (row.contentId !== null) await redactRow(tx, op, row)
    const updated = live.map(({ id }) => id)
    if (updated.length > 0) {
      await recordAudit(tx, op, {
        action: 'capture.redacted',
        ...(updated.length === 1 && updated[0] !== undefined && { target: updated[0] }),
        payload: { count: updated.length, ids: updated },
      })
    }
    const known = new Set(rows.map(({ id }) => id))
    return {
      updated,
      notFound: wanted.filter((id) => !known.has(id)),
      forgotten: rows.filter(({ forgottenAt }) => forgottenAt !== null).map(({ id }) => id),
    }
  })
}

async function lockRows(tx: Transaction, tenantId: string, ids: readonly string[]) {
  return await tx.q
    .selectFrom('captures as c')
    .leftJoin('capture_contents as x', 'x.id', 'c.id')
    .select(['c.id', 'c.forgotten_at as forgottenAt', 'x.id as contentId', 'x.prompt', 'x.response', 'x.body'])
    .select(['x.answer', 'x.fixed_output as fixedOutput', 'x.blob_sha256 as blobSha256'])
    .where(sql<boolean>`c.id = any(${[...ids]}::text[])`)
    .where('c.tenant_id', '=', tenantId)
    .orderBy('c.id')
    .forUpdate('c')
    .execute()
}

type Row = Awaited<ReturnType<typeof lockRows>>[number]

async function redactRow(tx: Transaction, op: Operation, row: Row): Promise<void> {
  const small: CaptureContent = {
    prompt: row.prompt ?? '',
    response: row.response ?? '',
    body: row.body as JsonObject | null,
    answer: row.answer as Json,
  }
  const whole = await wholeContent(op, small, row.blobSha256 as Sha256 | null)
  const redactor = redactContent()
  const content: CaptureContent = {
    prompt: redactor.text(whole.prompt),
    response: redactor.text(whole.response),
    body: whole.body && redactor.value(whole.body),
    answer: redactor.value(whole.answer),
  }
  const fixedOutput = row.fixedOutput === null ? null : redactor.text(row.fixedOutput)
  if (redactor.classes.size === 0) return
  const isLarge = row.blobSha256 !== null
  const blob = isLarge ? await putBlob(op.db, Buffer.from(JSON.stringify(content))) : null
  const cut = (text: string): string => (isLarge ? text.slice(0, SHORT_CHARS).toWellFormed() : text)
  await tx.q
    .updateTable('capture_contents')
    .set({
      prompt: cut(content.prompt),
      response: cut(content.response),
      body: isLarge || content.body === null ? null : json(content.body),
      answer: isLarge || content.answer === null ? null : json(content.answer),
      blob_sha256: blob?.sha256 ?? null,
      fixed_output: fixedOutput,
      redacted_at: op.now(),
    })
    .where('id', '=', row.id)
    .where('tenant_id', '=', op.tenantId)
    .execute()
  await tx.q
    .updateTable('capture_texts')
    .set({ text: `${content.prompt.slice(0, SHORT_CHARS)}\n${content.response.slice(0, SHORT_CHARS)}`.toWellFormed() })
    .where('id', '=', row.id)
    .where('tenant_id', '=', op.tenantId)
    .execute()
}
