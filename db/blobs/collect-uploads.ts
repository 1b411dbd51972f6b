import type { Database } from '../database.ts'

/**
 * Removes uploads that were begun and neither ended nor touched for `olderThanMs`: their process died. Answers how
 * many. An upload that is slower than that finds itself collected and fails; nothing is ever half there.
 */
export async function collectStaleUploads(db: Database, input: { readonly olderThanMs: number }): Promise<number> {
  const [row] = await db.query<{ removed: number }>(
    `with stale as (
       delete from blob_uploads where storage_id in (
         select storage_id from blob_uploads
         where touched_at < now() - make_interval(secs => $1::double precision / 1000)
         limit 1000 for update skip locked
       ) returning storage_id
     ), chunks as (
       delete from blob_chunks where storage_id in (select storage_id from stale)
     )
     select count(*) as removed from stale`,
    [input.olderThanMs],
  )
  return row?.removed ?? 0
}
