import { Migration } from '@mikro-orm/migrations'

/** 16 changes of the schema. */
export class TenantHoldouts extends Migration {
  override up(): void {
    this.addSql(
      `create table "holdout_corpora" ("id" text not null, "tenant_id" text not null, "name" text not null, "namespace" text null, "lineage_id" text not null, "state" text not null, "row_count" int not null, "skipped" int not null, "size_bytes" bigint not null, "root" text not null, "normalized_hash" text not null, "tags" json not null, "metadata" json not null, "sealed_key" bytea null, "blob_sha256" text null, "created_at" timestamptz(3) not null, "revealed_at" timestamptz(3) null, "deleted_at" timestamptz(3) null, primary key ("id"))`,
    )
    this.addSql(
      `create index "holdout_corpora_tenant_id_created_at_id_index" on "holdout_corpora" ("tenant_id", "created_at", "id")`,
    )
    this.addSql(`create index "holdout_corpora_of_lineage" on "holdout_corpora" ("tenant_id", "lineage_id")`)
    this.addSql(`create index "holdout_corpora_sealed" on "holdout_corpora" ("tenant_id") where state = 'sealed'`)
    this.addSql(
      `create index "holdout_corpora_by_blob" on "holdout_corpora" ("blob_sha256") where blob_sha256 is not null`,
    )
    this.addSql(
      `create unique index "holdout_corpora_name" on "holdout_corpora" ("tenant_id", "name") where state <> 'deleted'`,
    )
    this.addSql(
      `create table "holdout_rows" ("corpus_id" text not null, "row_key" bytea not null, "tenant_id" text not null, "is_sealed" boolean not null, primary key ("corpus_id", "row_key"))`,
    )
    this.addSql(`create index "holdout_rows_of_tenant" on "holdout_rows" ("tenant_id", "row_key")`)
    this.addSql(
      `alter table "holdout_corpora" add constraint "holdout_corpora_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(
      `alter table "holdout_corpora" add constraint "holdout_corpora_blob_sha256_foreign" foreign key ("blob_sha256") references "blobs" ("sha256") on delete no action`,
    )
    this.addSql(
      `alter table "holdout_corpora" add constraint "holdout_corpora_state_check" check ("state" in ('sealed', 'revealed', 'deleted'))`,
    )
    this.addSql(`alter table "holdout_corpora" enable row level security`)
    this.addSql(`create policy "tenant" on "holdout_corpora" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "holdout_corpora" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "holdout_rows" add constraint "holdout_rows_corpus_id_foreign" foreign key ("corpus_id") references "holdout_corpora" ("id") on delete cascade`,
    )
    this.addSql(`alter table "holdout_rows" enable row level security`)
    this.addSql(`create policy "tenant" on "holdout_rows" using (tenant_id = current_setting('svc.tenant'))`)
  }
}
