import { Migration } from '@mikro-orm/migrations'

/** A tenant's own settings of model providers. */
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
  }
}
