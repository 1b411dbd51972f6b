import { sql } from 'kysely'
import type { TermFinder } from '../../../../core/gateway/gate/privacy/scan/scan-text.ts'
import { fileText, mayBeText, SNIFFED_BYTES } from '../../../../core/gateway/protocol/media/media-text.ts'
import type { Json, Sha256 } from '../../../../core/kernel/json/json.ts'
import { getBlob, readBlob } from '../../../kernel/blobs/read-blob.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { holdsTerm } from '../../forgotten/holds-term.ts'
import { wholeContent } from '../get-capture.ts'

/** Captures of one batch. */
export interface Found {
  readonly ids: readonly string[]
  /** The last id that was looked at; null at the end. */
  readonly last: string | null
}

/** Where to look, and for what. */
export interface Sought {
  /** The last id that was looked at before. */
  readonly reached: string
  /** Captures that are looked at. */
  readonly most: number
  readonly finder: TermFinder
  /** A word without which a text does not hold what is sought; null where there is none. */
  readonly word: string | null
}

/**
 * Finds the captures of the next batch that hold what is sought: in their texts, bodies, answers and reviews, and in names
 * and texts of their files, whatever their types say. A file may belong to a capture without texts.
 */
export async function findAfter(op: Operation, sought: Sought): Promise<Found> {
  const last = await endOfBatch(op, sought)
  if (last === null) return { ids: [], last }
  const ids = new Set([
    ...(await findInContents(op, sought, last)),
    ...(await findInFiles(op, sought, last)),
    ...(await findInReasons(op, sought, last)),
  ])
  return { ids: [...ids].toSorted(), last }
}

async function endOfBatch(op: Operation, { reached, most }: Sought): Promise<string | null> {
  const [window] = await op.read((q) => {
    const contents = q
      .selectFrom('capture_contents')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where('id', '>', reached)
      .orderBy('id')
      .limit(most)
    const media = q
      .selectFrom('capture_media')
      .select('capture_id as id')
      .where('tenant_id', '=', op.tenantId)
      .where('capture_id', '>', reached)
      .orderBy('capture_id')
      .limit(most)
    const reasons = q
      .selectFrom('captures')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where('id', '>', reached)
      .where('review_reason', 'is not', null)
      .orderBy('id')
      .limit(most)
    const both = q
      .selectFrom(contents.as('x'))
      .select('x.id')
      .union(q.selectFrom(media.as('m')).select('m.id'))
      .union(q.selectFrom(reasons.as('r')).select('r.id'))
      .orderBy('id')
      .limit(most)
    return q.selectFrom(both.as('w')).select((of) => of.fn.max<string | null>('w.id').as('last'))
  })
  return window?.last ?? null
}

/** Bodies that may hold a file, in whose base64 or escapes no word is found. */
const WITH_FILE = 'base64|"data:|"data"|"file_data"'

async function findInContents(op: Operation, { reached, finder, word }: Sought, last: string) {
  // A word that is nowhere in a row spares reading it.
  const like = word === null ? null : `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  const rows = await op.read((q) =>
    q
      .selectFrom('capture_contents as x')
      .select(['x.id', 'x.prompt', 'x.response', 'x.body', 'x.answer', 'x.fixed_output as fixedOutput'])
      .select('x.blob_sha256 as blobSha256')
      .where('x.tenant_id', '=', op.tenantId)
      .where('x.id', '>', reached)
      .where('x.id', '<=', last)
      .where(
        like === null
          ? sql<boolean>`true`
          : sql<boolean>`(x.prompt ilike ${like} or x.response ilike ${like} or x.fixed_output ilike ${like}
              or x.body::text ilike ${like} or x.answer::text ilike ${like} or x.blob_sha256 is not null
              or x.body::text ~* ${WITH_FILE})`,
      )
      .orderBy('x.id'),
  )
  const ids: string[] = []
  for (const row of rows) {
    const content = await wholeContent(op, row, row.blobSha256)
    const texts: Json = [content.prompt, content.response, content.body, content.answer, row.fixedOutput]
    if (holdsTerm(texts, finder)) ids.push(row.id)
  }
  return ids
}

async function findInFiles(op: Operation, { reached, finder }: Sought, last: string) {
  const files = await op.read((q) =>
    q
      .selectFrom('capture_media')
      .select(['capture_id as id', 'filename', 'mime', 'blob_sha256 as sha256', 'size_bytes as sizeBytes'])
      .where('tenant_id', '=', op.tenantId)
      .where('capture_id', '>', reached)
      .where('capture_id', '<=', last)
      .orderBy('capture_id')
      .orderBy('place'),
  )
  const ids: string[] = []
  for (const { id, filename, mime, sha256, sizeBytes } of files) {
    if (ids.at(-1) === id) continue
    // By its bytes: the type is a claim of the caller.
    const text = await textOfBlob(op, sha256, sizeBytes, mime)
    if (holdsTerm([filename, text], finder)) ids.push(id)
  }
  return ids
}

/** The text of a stored file; null for one that is none, of which the beginning alone is read. */
async function textOfBlob(op: Operation, sha256: Sha256, sizeBytes: number, mime: string): Promise<string | null> {
  const begin: Uint8Array[] = []
  for await (const chunk of readBlob(op.db, sha256, { toByte: SNIFFED_BYTES })) begin.push(chunk)
  if (!mayBeText(Buffer.concat(begin), mime)) return null
  const bytes = await getBlob(op.db, sha256, sizeBytes)
  return fileText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), mime)?.text ?? null
}

/** Looks into the reasons of reviews. */
async function findInReasons(op: Operation, { reached, finder }: Sought, last: string) {
  const rows = await op.read((q) =>
    q
      .selectFrom('captures')
      .select(['id', 'review_reason as reason'])
      .where('tenant_id', '=', op.tenantId)
      .where('id', '>', reached)
      .where('id', '<=', last)
      .where('review_reason', 'is not', null)
      .orderBy('id'),
  )
  return rows.filter(({ reason }) => holdsTerm(reason, finder)).map(({ id }) => id)
}
