import { Migration } from '@mikro-orm/migrations'

/** Datasets with versions, the files that these are built from, and the captures that are rows of them. */
export class DatasetVersions extends Migration {
  override up(): void {
    this.addSql(
      `create table "datasets" ("id" text not null, "tenant_id" text not null, "namespace" text not null, "name" text not null, "version" int not null, "version_count" int not null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "datasets_newest" on "datasets" ("tenant_id", "created_at", "id")`)
    this.addSql(
      `create table "dataset_versions" ("dataset_id" text not null, "version" int not null, "tenant_id" text not null, "namespace" text not null, "state" text not null, "source" json not null, "split" json not null, "rows_sha256" text null, "index_sha256" text null, "held_sha256" text null, "row_count" int not null, "train_count" int not null, "holdout_count" int not null, "forgotten_count" int not null, "row_type" text null, "row_form" text null, "merkle_root" text null, "seed" text null, "split_signature" text null, "size_bytes" bigint null, "facts" json null, "quality" json null, "error_code" text null, "error_message" text null, "created_at" timestamptz(3) not null, "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null, "idempotency_route" text null, "idempotency_key" text null, "idempotency_credential" text null, "idempotency_body_hash" text null, primary key ("dataset_id", "version"))`,
    )
    this.addSql(`create index "dataset_versions_by_key" on "dataset_versions" ("tenant_id", "dataset_id", "version")`)
    this.addSql(`create index "dataset_versions_of_tenant" on "dataset_versions" ("tenant_id", "created_at")`)
    this.addSql(
      `create index "dataset_versions_unfinished" on "dataset_versions" ("dataset_id", "version") where finished_at is null`,
    )
    this.addSql(
      `create index "dataset_versions_idempotency" on "dataset_versions" ("tenant_id", "idempotency_route", "idempotency_key") where idempotency_key is not null`,
    )
    this.addSql(
      `create index "dataset_versions_by_rows" on "dataset_versions" ("rows_sha256") where rows_sha256 is not null`,
    )
    this.addSql(
      `create index "dataset_versions_by_index" on "dataset_versions" ("index_sha256") where index_sha256 is not null`,
    )
    this.addSql(
      `create index "dataset_versions_by_held" on "dataset_versions" ("held_sha256") where held_sha256 is not null`,
    )
    this.addSql(
      `create table "dataset_files" ("dataset_id" text not null, "version" int not null, "place" int not null, "tenant_id" text not null, "namespace" text not null, "name" text not null, "is_workspace" boolean not null, "size_bytes" bigint null, "blob_sha256" text null, primary key ("dataset_id", "version", "place"))`,
    )
    this.addSql(
      `create index "dataset_files_of_tenant" on "dataset_files" ("tenant_id", "dataset_id", "version", "place")`,
    )
    this.addSql(`create index "dataset_files_by_blob" on "dataset_files" ("blob_sha256") where blob_sha256 is not null`)
    this.addSql(
      `create table "dataset_captures" ("dataset_id" text not null, "capture_id" text collate "C" not null, "tenant_id" text not null, "namespace" text not null, "row_hash" bytea not null, "forgotten_at" timestamptz(3) null, "erased_at" timestamptz(3) null, primary key ("dataset_id", "capture_id"))`,
    )
    this.addSql(
      `create index "dataset_captures_by_key" on "dataset_captures" ("tenant_id", "dataset_id", "capture_id")`,
    )
    this.addSql(`create index "dataset_captures_by_capture" on "dataset_captures" ("tenant_id", "capture_id")`)
    this.addSql(
      `create index "dataset_captures_to_erase" on "dataset_captures" ("dataset_id", "tenant_id") where forgotten_at is not null and erased_at is null`,
    )
    this.addSql(
      `alter table "datasets" add constraint "datasets_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(`alter table "datasets" enable row level security`)
    this.addSql(`create policy "tenant" on "datasets" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "datasets" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "dataset_versions" add constraint "dataset_versions_dataset_id_foreign" foreign key ("dataset_id") references "datasets" ("id") on delete cascade`,
    )
    this.addSql(
      `alter table "dataset_versions" add constraint "dataset_versions_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(
      `alter table "dataset_versions" add constraint "dataset_versions_rows_sha256_foreign" foreign key ("rows_sha256") references "blobs" ("sha256") on delete no action`,
    )
    this.addSql(
      `alter table "dataset_versions" add constraint "dataset_versions_index_sha256_foreign" foreign key ("index_sha256") references "blobs" ("sha256") on delete no action`,
    )
    this.addSql(
      `alter table "dataset_versions" add constraint "dataset_versions_held_sha256_foreign" foreign key ("held_sha256") references "blobs" ("sha256") on delete no action`,
    )
    this.addSql(
      `alter table "dataset_versions" add constraint "dataset_versions_state_check" check ("state" in ('queued', 'running', 'ready', 'failed'))`,
    )
    this.addSql(
      `alter table "dataset_versions" add constraint "dataset_versions_row_type_check" check ("row_type" in ('text', 'prompt_completion', 'preference', 'unpaired'))`,
    )
    this.addSql(
      `alter table "dataset_versions" add constraint "dataset_versions_row_form_check" check ("row_form" in ('plain', 'messages', 'json'))`,
    )
    this.addSql(`alter table "dataset_versions" enable row level security`)
    this.addSql(`create policy "tenant" on "dataset_versions" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "dataset_versions" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "dataset_files" add constraint "dataset_files_dataset_id_foreign" foreign key ("dataset_id") references "datasets" ("id") on delete cascade`,
    )
    this.addSql(
      `alter table "dataset_files" add constraint "dataset_files_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(
      `alter table "dataset_files" add constraint "dataset_files_blob_sha256_foreign" foreign key ("blob_sha256") references "blobs" ("sha256") on delete no action`,
    )
    this.addSql(`alter table "dataset_files" enable row level security`)
    this.addSql(`create policy "tenant" on "dataset_files" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "dataset_files" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "dataset_captures" add constraint "dataset_captures_dataset_id_foreign" foreign key ("dataset_id") references "datasets" ("id") on delete cascade`,
    )
    this.addSql(
      `alter table "dataset_captures" add constraint "dataset_captures_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(`alter table "dataset_captures" enable row level security`)
    this.addSql(`create policy "tenant" on "dataset_captures" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "dataset_captures" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
  }
}
