import { Migration } from '@mikro-orm/migrations'

/** Ids of responses that tenants received. */
export class ResponseReferences extends Migration {
  override up(): void {
    this.addSql(
      `create table "response_references" ("tenant_id" text not null, "key" bytea not null, "namespace" text not null, "response_key" bytea null, "provider" text null, "content" bytea null, "size_bytes" int not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("tenant_id", "key"))`,
    )
    this.addSql(`create index "response_references_newest" on "response_references" ("tenant_id", "created_at")`)
    this.addSql(`create index "response_references_items" on "response_references" ("tenant_id", "response_key")`)
    this.addSql(`create index "response_references_expiry" on "response_references" ("expires_at")`)
    this.addSql(
      `alter table "response_references" add constraint "response_references_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(`alter table "response_references" enable row level security`)
    this.addSql(`create policy "tenant" on "response_references" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "response_references" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
  }
}
