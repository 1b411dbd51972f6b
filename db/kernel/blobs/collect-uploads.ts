import type { Database } from '../database.ts'

/**
 * Gives up uploads that were begun and neither ended nor touched for `olderThanMs`: their process died. Their chunks are
 * left to `removeDiscardedChunks`. Answers how many. An upload that is slower than that finds itself collected and
 * fails; nothing is ever half there.
 */
export async function collectStaleUploads(db: Database, input: { readonly olderThanMs: number }): Promise<number> {
  const [row] = await db.query<{ given_up: number }>(
    `with stale as (
       delete from blob_uploads where storage_id in (
         select storage_id from blob_uploads
         where touched_at < now() - make_interval(secs => $1::double precision / 1000)
         limit 1000 for update skip locked
       ) returning storage_id
     ), discarded as (
       insert into blob_discards (storage_id, discarded_at) select storage_id, now() from stale
     )
     select count(*) as given_up from stale`,
    [input.olderThanMs],
  )
  return row?.given_up ?? 0
}
