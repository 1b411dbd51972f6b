import type { SqlRunner } from '../database.ts'

/**
 * Bytes that a tenant's rows and uploads under way hold, each blob once. Reads the rows of all of the tenant's jobs, so
 * it is for recounts, not for every call.
 */
export async function countHeldBytes(sql: SqlRunner, tenantId: string): Promise<number> {
  const [row] = await sql.query<{ bytes: number }>(
    `select (
       coalesce((select sum(size_bytes) from blobs where sha256 in (
         select dataset_sha256 from compile_jobs where tenant_id = $1 and dataset_sha256 is not null
         union select blob_sha256 from job_stages where blob_sha256 is not null
           and job_id in (select id from compile_jobs where tenant_id = $1)
         union select blob_sha256 from training_records where blob_sha256 is not null
           and job_id in (select id from compile_jobs where tenant_id = $1)
         union select blob_sha256 from teacher_rounds where tenant_id = $1 and blob_sha256 is not null
         union select archive_sha256 from artifacts where tenant_id = $1
         union select result_sha256 from exports where tenant_id = $1 and result_sha256 is not null
       )), 0)
       + coalesce((select sum(reserved_bytes) from blob_uploads where tenant_id = $1), 0)
     )::bigint as bytes`,
    [tenantId],
  )
  return row?.bytes ?? 0
}
