import type { Database } from '../database.ts'
import { service } from '../queries/service.ts'
import { raw } from '../queries/typed.ts'

/** The database's size by its own statistics, in bytes. */
export interface DatabaseSize {
  readonly totalBytes: number
  /** Free space inside the files of the blob store that new chunks fill before the files grow. */
  readonly reusableBytes: number
}

/** A tuple of a TOAST table with its header: four of them fill a page of 8 KiB. */
const TOAST_TUPLE_BYTES = 2048

/**
 * Measures the database. Reusable is the space of the chunks' TOAST table beyond its live and dead tuples; dead ones
 * become reusable after autovacuum. The counts are those of the statistics and of the last vacuum, whichever is larger,
 * since a crash empties the former. Costs a read of the catalogue and of file sizes.
 */
export async function measureDatabase(db: Database): Promise<DatabaseSize> {
  const [row] = await service.read(db, 'sizes of the whole database', () =>
    raw<DatabaseSize>(`select pg_database_size(current_database())::bigint as "totalBytes",
       greatest(pg_relation_size(t.oid) - ${TOAST_TUPLE_BYTES} * (
         greatest(t.reltuples::bigint, coalesce(s.n_live_tup, 0)) + coalesce(s.n_dead_tup, 0)), 0)::bigint as "reusableBytes"
     from pg_class c join pg_class t on t.oid = c.reltoastrelid left join pg_stat_all_tables s on s.relid = t.oid
     where c.oid = 'blob_chunks'::regclass`),
  )
  return row ?? { totalBytes: 0, reusableBytes: 0 }
}
