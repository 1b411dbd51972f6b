import { Migration } from '@mikro-orm/migrations'

/**
 * Schema for collecting blobs and sessions: a time of review for each, indexes of their references, a list of removals.
 */
export class BlobCollection extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement)
  }
}

const STATEMENTS = [
  `alter table "blobs" add column "review_at" timestamptz(3) not null default now() + interval '1 hour'`,
  `alter table "blobs" alter column "review_at" drop default`,
  `create index "blobs_review_at_index" on "blobs" ("review_at")`,
  `create table "blob_discards" (
    "storage_id" uuid not null,
    "discarded_at" timestamptz(3) not null,
    primary key ("storage_id")
  )`,
  `alter table "job_stages" drop constraint "job_stages_blob_sha256_foreign"`,
  `alter table "job_stages" add constraint "job_stages_blob_sha256_foreign" foreign key ("blob_sha256") references "blobs" ("sha256") on delete no action`,
  `create index "job_stages_by_blob" on "job_stages" ("blob_sha256") where blob_sha256 is not null`,
  `create index "compile_jobs_by_dataset" on "compile_jobs" ("dataset_sha256")`,
  `create index "artifacts_by_archive" on "artifacts" ("archive_sha256")`,
  `create index "sessions_expires_at_index" on "sessions" ("expires_at")`,
]
