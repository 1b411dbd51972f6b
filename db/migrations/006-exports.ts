import { Migration } from '@mikro-orm/migrations'

/** Exports of artifacts into other formats. */
export class Exports extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement)
  }
}

const STATEMENTS = [
  `create table "exports" (
    "id" text not null,
    "tenant_id" text not null,
    "artifact_id" text not null,
    "target" text not null,
    "quant" text null,
    "part" text not null,
    "destination" text not null,
    "state" text not null,
    "error_code" text null,
    "error_message" text null,
    "result_sha256" text null,
    "result_hash" text null,
    "size_bytes" bigint null,
    "file_name" text null,
    "media_type" text null,
    "created_at" timestamptz(3) not null,
    "started_at" timestamptz(3) null,
    "finished_at" timestamptz(3) null,
    "expires_at" timestamptz(3) null,
    "start_due_at" timestamptz(3) null,
    primary key ("id")
  )`,
  `create index "exports_newest" on "exports" ("tenant_id", "created_at", "id")`,
  `create index "exports_of_artifact" on "exports" ("artifact_id")`,
  `create index "exports_by_result" on "exports" ("result_sha256") where result_sha256 is not null`,
  `create index "exports_to_start" on "exports" ("start_due_at") where start_due_at is not null`,
  `create index "exports_unfinished" on "exports" ("id") where finished_at is null`,
  `create index "exports_unfinished_of_tenant" on "exports" ("tenant_id") where finished_at is null`,
  `create index "exports_to_expire" on "exports" ("expires_at") where result_sha256 is not null`,
  `alter table "exports" add constraint "exports_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
  `alter table "exports" add constraint "exports_artifact_id_foreign" foreign key ("artifact_id") references "artifacts" ("id") on delete no action`,
  `alter table "exports" add constraint "exports_result_sha256_foreign" foreign key ("result_sha256") references "blobs" ("sha256") on delete no action`,
  `alter table "exports" add constraint "exports_state_check" check ("state" in ('queued', 'running', 'succeeded', 'failed'))`,
]
