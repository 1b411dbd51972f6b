import { Migration } from '@mikro-orm/migrations'

/** 14 changes of the schema. */
export class MeasuredGates extends Migration {
  override up(): void {
    this.addSql(
      `create table "gates" ("id" text not null, "tenant_id" text not null, "namespace" text null, "mode" text not null, "state" text not null, "decision" text null, "candidate_id" text not null, "baseline_id" text not null, "holdout_id" text null, "row_count" int not null, "alpha" double precision not null, "level" double precision not null, "registration" json not null, "registration_hash" text not null, "results" bytea null, "outcome" json null, "receipt" json null, "error_code" text null, "blob_sha256" text null, "created_at" timestamptz(3) not null, "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null, primary key ("id"))`,
    )
    this.addSql(`create index "gates_newest" on "gates" ("tenant_id", "created_at", "id")`)
    this.addSql(`create index "gates_of_holdout" on "gates" ("tenant_id", "holdout_id") where holdout_id is not null`)
    this.addSql(`create index "gates_unfinished" on "gates" ("id") where finished_at is null`)
    this.addSql(`create index "gates_by_blob" on "gates" ("blob_sha256") where blob_sha256 is not null`)
    this.addSql(
      `create index "gates_swept" on "gates" ("finished_at") where mode = 'sequential' and finished_at is not null`,
    )
    this.addSql(
      `alter table "gates" add constraint "gates_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(
      `alter table "gates" add constraint "gates_blob_sha256_foreign" foreign key ("blob_sha256") references "blobs" ("sha256") on delete no action`,
    )
    this.addSql(`alter table "gates" add constraint "gates_mode_check" check ("mode" in ('sealed', 'sequential'))`)
    this.addSql(
      `alter table "gates" add constraint "gates_state_check" check ("state" in ('queued', 'running', 'succeeded', 'failed'))`,
    )
    this.addSql(`alter table "gates" add constraint "gates_decision_check" check ("decision" in ('promote', 'block'))`)
    this.addSql(`alter table "gates" enable row level security`)
    this.addSql(`create policy "tenant" on "gates" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "gates" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
  }
}
