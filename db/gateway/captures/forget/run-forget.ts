import { sql } from 'kysely'
import type { CaptureContent } from '../../../../core/gateway/captures/capture.ts'
import { compileForgetList, longestWord, subjectOf } from '../../../../core/gateway/gate/privacy/forget-list.ts'
import type { TermFinder } from '../../../../core/gateway/gate/privacy/scan/scan-text.ts'
import type { CaptureLearners } from '../../../../core/gateway/ports.ts'
import type { Json, JsonObject, Sha256 } from '../../../../core/kernel/json/json.ts'
import type { SigningKey } from '../../../../core/ledger/keys/signing-key.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { serviceKey } from '../../../kernel/secrets/service-secrets.ts'
import { forgetConversations } from '../../conversations/erase-conversations.ts'
import { holdsTerm } from '../../forgotten/holds-term.ts'
import { wholeContent } from '../get-capture.ts'
import { forgetCaptures } from './forget-captures.ts'

/** Captures that are looked at, or forgotten, in one transaction. */
const BATCH = 500

/** A request to carry out. */
export interface ForgetRun {
  readonly forgetId: string
  readonly signer: SigningKey
  readonly learners: CaptureLearners<Transaction>
  readonly signal: AbortSignal
  /** Called after each batch. */
  readonly onBatch: () => void
}

/**
 * Carries a request to forget out, from where it stopped, and returns how many captures it has forgotten. A subject or a
 * pattern is forgotten in stored conversations as well. What was sought is
 * erased at the end. A request that is done, or unknown, changes nothing.
 */
export async function runForget(op: Operation, run: ForgetRun): Promise<number> {
  const [request] = await op.read((q) =>
    q
      .selectFrom('capture_forgets')
      .select(['kind', 'namespace', 'ids', 'sought', 'reason', 'requested_by as requestedBy'])
      .select(['state', 'reached', 'forgotten', 'conversations'])
      .where('tenant_id', '=', op.tenantId)
      .where('id', '=', run.forgetId),
  )
  if (request === undefined || request.state === 'done') return request?.forgotten ?? 0
  const { reason, requestedBy, namespace, sought, kind } = request
  const finder = sought === null || kind === 'ids' ? null : await finderOf(op, kind, sought)
  let { reached, forgotten } = request
  for (;;) {
    run.signal.throwIfAborted()
    const batch =
      finder === null
        ? namedAfter(request.ids ?? [], reached)
        : await findAfter(op, { reached, finder, word: kind === 'subject' ? longestWord(sought ?? '') : null })
    if (batch.last === null) break
    const order = { reason, requestedBy, signer: run.signer, learners: run.learners, forgetId: run.forgetId }
    const done =
      batch.ids.length === 0
        ? { updated: [] }
        : await forgetCaptures(op, { ...order, ids: batch.ids, ...(namespace !== null && { namespace }) })
    reached = batch.last
    forgotten += done.updated.length
    await note(op, run.forgetId, { reached, forgotten })
    run.onBatch()
  }
  // Behind the captures: an attempt that was cut off looks at all of them again.
  if (finder !== null) {
    let { conversations } = request
    await forgetConversations(op, finder, async (count) => {
      conversations += count
      if (count > 0) await note(op, run.forgetId, { conversations })
      run.onBatch()
    })
  }
  await note(op, run.forgetId, { state: 'done', sought: null, ids: null, finished_at: op.now() })
  return forgotten
}

interface Found {
  readonly ids: readonly string[]
  /** The last id that was looked at; null at the end. */
  readonly last: string | null
}

function namedAfter(ids: readonly string[], reached: string): Found {
  const some = [...new Set(ids)]
    .toSorted()
    .filter((id) => id > reached)
    .slice(0, BATCH)
  return { ids: some, last: some.at(-1) ?? null }
}

/** The captures of the next batch that hold what is sought: in their texts, bodies, answers, reviews and names of files. */
async function findAfter(
  op: Operation,
  { reached, finder, word }: { readonly reached: string; readonly finder: TermFinder; readonly word: string | null },
): Promise<Found> {
  const [window] = await op.read((q) =>
    q
      .selectFrom(
        q
          .selectFrom('capture_contents')
          .select('id')
          .where('tenant_id', '=', op.tenantId)
          .where('id', '>', reached)
          .orderBy('id')
          .limit(BATCH)
          .as('w'),
      )
      .select((of) => of.fn.max<string | null>('w.id').as('last')),
  )
  const last = window?.last ?? null
  if (last === null) return { ids: [], last }
  // A word that is nowhere in a row spares reading it.
  const like = word === null ? null : `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  const rows = await op.read((q) =>
    q
      .selectFrom('capture_contents as x')
      .select(['x.id', 'x.prompt', 'x.response', 'x.body', 'x.answer', 'x.fixed_output as fixedOutput'])
      .select('x.blob_sha256 as blobSha256')
      .select(
        sql<string[]>`array(select m.filename from capture_media m
          where m.tenant_id = x.tenant_id and m.capture_id = x.id and m.filename is not null)`.as('filenames'),
      )
      .where('x.tenant_id', '=', op.tenantId)
      .where('x.id', '>', reached)
      .where('x.id', '<=', last)
      .where(
        like === null
          ? sql<boolean>`true`
          : sql<boolean>`(x.prompt ilike ${like} or x.response ilike ${like} or x.fixed_output ilike ${like}
              or x.body::text ilike ${like} or x.answer::text ilike ${like} or x.blob_sha256 is not null
              or exists (select 1 from capture_media m where m.tenant_id = x.tenant_id and m.capture_id = x.id))`,
      )
      .orderBy('x.id'),
  )
  const ids: string[] = []
  for (const row of rows) {
    const small: CaptureContent = {
      prompt: row.prompt,
      response: row.response,
      body: row.body as JsonObject | null,
      answer: row.answer as Json,
    }
    const content = await wholeContent(op, small, row.blobSha256 as Sha256 | null)
    const texts: Json = [content.prompt, content.response, content.body, content.answer, row.fixedOutput, row.filenames]
    if (holdsTerm(texts, finder)) ids.push(row.id)
  }
  return { ids, last }
}

async function finderOf(op: Operation, kind: 'subject' | 'pattern', sought: string): Promise<TermFinder> {
  const key = await serviceKey(op.db, 'fingerprint', op.db)
  const list =
    kind === 'subject' ? { subjects: [subjectOf(key, sought)], patterns: [] } : { subjects: [], patterns: [sought] }
  return compileForgetList(list, key) ?? { find: () => undefined }
}

async function note(
  op: Operation,
  forgetId: string,
  set: {
    readonly reached?: string
    readonly forgotten?: number
    readonly conversations?: number
    readonly state?: 'done'
    readonly sought?: null
    readonly ids?: null
    readonly finished_at?: Date
  },
): Promise<void> {
  await op.write(async (tx) => {
    await tx.q
      .updateTable('capture_forgets')
      .set(set)
      .where('id', '=', forgetId)
      .where('tenant_id', '=', op.tenantId)
      .execute()
  })
}
