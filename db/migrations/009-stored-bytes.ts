import { Migration } from '@mikro-orm/migrations'

/** Bytes that tenants hold in the blob store, and the removal of unneeded ones. */
export class StoredBytes extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement)
  }
}

const STATEMENTS = [
  `create table "tenant_storage" ("tenant_id" text not null, "used_bytes" bigint not null, "counted_at" timestamptz(3) null, primary key ("tenant_id"))`,
  `alter table "tenant_storage" add constraint "tenant_storage_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id") on update cascade on delete cascade`,
  `alter table "blobs" add column "kept_at" timestamptz(3) not null default now()`,
  `alter table "blob_uploads" add column "tenant_id" text null, add column "reserved_bytes" bigint not null default 0`,
  `create index "blob_uploads_of_tenant" on "blob_uploads" ("tenant_id") where tenant_id is not null`,
  // Chunks come and go by the gigabyte: their space is made reusable after some tens of megabytes, at full speed.
  `alter table "blob_chunks" set (
     autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_cost_delay = 0,
     toast.autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_threshold = 10000,
     toast.autovacuum_vacuum_cost_delay = 0)`,
]
