import { Migration } from '@mikro-orm/migrations'

/** A tenant's own settings of model providers, and cached answers. */
export class ProviderSettings extends Migration {
  override up(): void {
    this.addSql(
      `create table "provider_settings" ("tenant_id" text not null, "provider" text not null, "enabled" boolean not null, "position" int null, "rate_limit_rpm" int not null, "updated_at" timestamptz(3) not null, primary key ("tenant_id", "provider"))`,
    )
    this.addSql(
      `alter table "provider_settings" add constraint "provider_settings_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(`alter table "provider_settings" enable row level security`)
    this.addSql(`create policy "tenant" on "provider_settings" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create table "cached_answers" ("tenant_id" text not null, "key" bytea not null, "namespace" text not null, "provider" text not null, "model" text not null, "capture_id" text not null, "answer" json not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("tenant_id", "key"))`,
    )
    this.addSql(`create index "cached_answers_newest" on "cached_answers" ("tenant_id", "created_at")`)
    this.addSql(`create index "cached_answers_expiry" on "cached_answers" ("expires_at")`)
    this.addSql(
      `alter table "cached_answers" add constraint "cached_answers_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(`alter table "cached_answers" enable row level security`)
    this.addSql(`create policy "tenant" on "cached_answers" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "cached_answers" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
  }
}
