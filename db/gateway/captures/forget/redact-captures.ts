import { sql } from 'kysely'
import type { CaptureContent } from '../../../../core/gateway/captures/capture.ts'
import { redactContent } from '../../../../core/gateway/captures/recording/redact-content.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../../core/kernel/json/json.ts'
import { loopTurns } from '../../../../core/kernel/threads/fair/in-slices.ts'
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

/** Attempts where reviews or other redactions change the captures meanwhile. */
const ATTEMPTS = 5

/**
 * Replaces sensitive parts in the stored texts of captures: prompt, response, body, answer, a reviewer's output and
 * reason, and the entry of the search. The hashes of the chain stay: the contents no longer agree with them, which `redacted_at` says. Texts are
 * scanned before the transaction that writes them; it begins anew where they have changed since. With a line in the audit
 * ledger. Throws `busy` when they keep changing.
 */
export async function redactCaptures(op: Operation, ids: readonly string[]): Promise<ChangedCaptures> {
  const wanted = [...new Set(ids)]
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const redacted = await redactAll(op, wanted)
    const done = await op.write(async (tx) => await write(tx, op, wanted, redacted))
    if (done !== null) return done
  }
  throw KERNEL_ERRORS.busy('the captures are being changed by others', { retryAfterS: 1 })
}

/** The state of a content, which every change of it changes. */
interface ContentState {
  readonly redactedAt: Date | null
  readonly fixedOutput: string | null
  readonly reason: string | null
}

/** A content after redaction. */
interface RedactedContent extends ContentState {
  /** Null where nothing is to be replaced. */
  readonly columns: ContentColumns | null
  readonly searched: string
  readonly newReason: string | null
}

type ContentColumns = Pick<CaptureContent, 'prompt' | 'response' | 'body' | 'answer'> & {
  readonly blobSha256: Sha256 | null
  readonly newFixedOutput: string | null
}

async function redactAll(op: Operation, ids: readonly string[]): Promise<ReadonlyMap<string, RedactedContent>> {
  const redacted = new Map<string, RedactedContent>()
  const turn = loopTurns()
  for (const id of ids) {
    // One by one: each may hold a large body.
    const [row] = await op.read((q) =>
      q
        .selectFrom('captures as c')
        .leftJoin('capture_contents as x', 'x.id', 'c.id')
        .select(['x.prompt', 'x.response', 'x.body', 'x.answer', 'x.fixed_output as fixedOutput'])
        .select(['x.redacted_at as redactedAt', 'x.blob_sha256 as blobSha256', 'c.review_reason as reason'])
        .where('c.id', '=', id)
        .where('c.tenant_id', '=', op.tenantId),
    )
    if (row === undefined) continue
    const { prompt, response, ...rest } = row
    const newReason = row.reason === null ? null : redactContent().text(row.reason)
    const found =
      prompt === null || response === null
        ? { ...rest, columns: null, searched: '' }
        : await redactContentOf(op, { ...rest, prompt, response })
    redacted.set(id, { ...found, newReason })
    await turn()
  }
  return redacted
}

interface ContentRow extends ContentState, CaptureContent {
  readonly blobSha256: Sha256 | null
}

async function redactContentOf(op: Operation, row: ContentRow): Promise<Omit<RedactedContent, 'newReason'>> {
  const { redactedAt, fixedOutput, reason } = row
  const whole = await wholeContent(op, row, row.blobSha256)
  const redactor = redactContent()
  const content: CaptureContent = {
    prompt: redactor.text(whole.prompt),
    response: redactor.text(whole.response),
    body: whole.body && redactor.value(whole.body),
    answer: redactor.value(whole.answer),
  }
  const newFixedOutput = fixedOutput === null ? null : redactor.text(fixedOutput)
  const state: ContentState = { redactedAt, fixedOutput, reason }
  if (redactor.classes.size === 0) return { ...state, columns: null, searched: '' }
  const isLarge = row.blobSha256 !== null
  const blob = isLarge ? await putBlob(op.db, Buffer.from(JSON.stringify(content))) : null
  const cut = (text: string): string => (isLarge ? text.slice(0, SHORT_CHARS).toWellFormed() : text)
  return {
    ...state,
    columns: {
      prompt: cut(content.prompt),
      response: cut(content.response),
      body: isLarge ? null : content.body,
      answer: isLarge ? null : content.answer,
      blobSha256: blob?.sha256 ?? null,
      newFixedOutput,
    },
    searched: `${content.prompt.slice(0, SHORT_CHARS)}\n${content.response.slice(0, SHORT_CHARS)}`.toWellFormed(),
  }
}

/** Writes what was redacted; null, and nothing, where a content has changed since. */
async function write(
  tx: Transaction,
  op: Operation,
  wanted: readonly string[],
  redacted: ReadonlyMap<string, RedactedContent>,
): Promise<ChangedCaptures | null> {
  const rows = await lockRows(tx, op.tenantId, wanted)
  const live = rows.filter(({ forgottenAt }) => forgottenAt === null)
  const states = new Map((await readStates(tx, op.tenantId, wanted)).map(({ id, ...state }) => [id, state]))
  for (const { id } of live) if (!isSame(states.get(id), redacted.get(id))) return null
  for (const { id } of live) {
    const one = redacted.get(id)
    if (one === undefined) continue
    if (one.columns !== null) await writeContent(tx, op, id, { ...one, columns: one.columns })
    if (one.newReason !== one.reason) await writeReason(tx, op, id, one.newReason)
  }
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
}

function isSame(one: ContentState | undefined, other: ContentState | undefined): boolean {
  return (
    one?.redactedAt?.getTime() === other?.redactedAt?.getTime() &&
    one?.fixedOutput === other?.fixedOutput &&
    one?.reason === other?.reason
  )
}

async function lockRows(tx: Transaction, tenantId: string, ids: readonly string[]) {
  return await tx.q
    .selectFrom('captures')
    .select(['id', 'forgotten_at as forgottenAt'])
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .where('tenant_id', '=', tenantId)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Reads behind the locks, which reviews and forgetting take too. */
async function readStates(tx: Transaction, tenantId: string, ids: readonly string[]) {
  return await tx.q
    .selectFrom('captures as c')
    .leftJoin('capture_contents as x', 'x.id', 'c.id')
    .select(['c.id', 'x.fixed_output as fixedOutput', 'x.redacted_at as redactedAt', 'c.review_reason as reason'])
    .where(sql<boolean>`c.id = any(${[...ids]}::text[])`)
    .where('c.tenant_id', '=', tenantId)
    .execute()
}

async function writeReason(tx: Transaction, op: Operation, id: string, reason: string | null): Promise<void> {
  await tx.q
    .updateTable('captures')
    .set({ review_reason: reason })
    .where('id', '=', id)
    .where('tenant_id', '=', op.tenantId)
    .execute()
}

async function writeContent(
  tx: Transaction,
  op: Operation,
  id: string,
  { columns, searched }: { readonly columns: ContentColumns; readonly searched: string },
): Promise<void> {
  const { body, answer } = columns
  await tx.q
    .updateTable('capture_contents')
    .set({
      prompt: columns.prompt,
      response: columns.response,
      body: body === null ? null : json(body),
      answer: answer === null ? null : json(answer),
      blob_sha256: columns.blobSha256,
      fixed_output: columns.newFixedOutput,
      redacted_at: op.now(),
    })
    .where('id', '=', id)
    .where('tenant_id', '=', op.tenantId)
    .execute()
  await tx.q
    .updateTable('capture_texts')
    .set({ text: searched })
    .where('id', '=', id)
    .where('tenant_id', '=', op.tenantId)
    .execute()
}
