import { Migration } from '@mikro-orm/migrations'

/** Schema for releasing datasets: the digest of the examples apart from the reference that keeps them. */
export class DatasetRelease extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement)
  }
}

const STATEMENTS = [
  `alter table "compile_jobs" add column "dataset_hash" text null`,
  `update "compile_jobs" set "dataset_hash" = "dataset_sha256"`,
  `alter table "compile_jobs" alter column "dataset_hash" set not null`,
  `alter table "compile_jobs" alter column "dataset_sha256" drop not null`,
  `alter table "compile_jobs" drop constraint "compile_jobs_dataset_sha256_foreign"`,
  `alter table "compile_jobs" add constraint "compile_jobs_dataset_sha256_foreign" foreign key ("dataset_sha256") references "blobs" ("sha256") on delete no action`,
  `create index "compile_jobs_with_dataset" on "compile_jobs" ("status", "finished_at") where dataset_sha256 is not null`,
]
