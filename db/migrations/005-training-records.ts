import { Migration } from '@mikro-orm/migrations'

/** Schema for the stored records of running fits: inputs, checkpoints, adapters. */
export class TrainingRecords extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement)
  }
}

const STATEMENTS = [
  `create table "training_records" (
    "job_id" text not null,
    "fit" text not null,
    "role" text not null,
    "blob_sha256" text null,
    "facts" json null,
    "recorded_at" timestamptz(3) not null,
    primary key ("job_id", "fit", "role")
  )`,
  `create index "training_records_by_blob" on "training_records" ("blob_sha256") where blob_sha256 is not null`,
  `alter table "training_records" add constraint "training_records_job_id_foreign" foreign key ("job_id") references "compile_jobs" ("id")`,
  `alter table "training_records" add constraint "training_records_blob_sha256_foreign" foreign key ("blob_sha256") references "blobs" ("sha256") on delete no action`,
  `alter table "training_records" add constraint "training_records_role_check" check ("role" in ('plan', 'input', 'checkpoint', 'config', 'weights', 'training', 'failure'))`,
]
