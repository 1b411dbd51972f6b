import { Migration } from '@mikro-orm/migrations'

/** Settings of namespaces, budgets with their reservations, and the forget list. */
export class GatewayGate extends Migration {
  override up(): void {
    this.addSql(
      `create table "namespace_settings" ("tenant_id" text not null, "namespace" text not null, "settings" json not null, "updated_at" timestamptz(3) not null, primary key ("tenant_id", "namespace"))`,
    )
    this.addSql(
      `create table "forgotten_terms" ("id" text not null, "tenant_id" text not null, "kind" text not null, "pattern" text null, "words" int null, "bucket" int null, "digest" bytea not null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(
      `alter table "forgotten_terms" add constraint "forgotten_terms_one_each" unique ("tenant_id", "digest")`,
    )
    this.addSql(`create index "forgotten_terms_newest" on "forgotten_terms" ("tenant_id", "created_at", "id")`)
    this.addSql(
      `create table "budget_reservations" ("id" uuid not null, "tenant_id" text not null, "namespace" text not null, "period" text not null, "micros" bigint not null, "touched_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(
      `create index "budget_reservations_tenant_id_namespace_period_index" on "budget_reservations" ("tenant_id", "namespace", "period")`,
    )
    this.addSql(`create index "budget_reservations_touched_at_index" on "budget_reservations" ("touched_at")`)
    this.addSql(
      `create table "budget_periods" ("tenant_id" text not null, "namespace" text not null, "period" text not null, "spent_micros" bigint not null, "reserved_micros" bigint not null, primary key ("tenant_id", "namespace", "period"))`,
    )
    this.addSql(
      `alter table "namespace_settings" add constraint "namespace_settings_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(`alter table "namespace_settings" enable row level security`)
    this.addSql(`create policy "tenant" on "namespace_settings" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "namespace_settings" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "forgotten_terms" add constraint "forgotten_terms_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(
      `alter table "forgotten_terms" add constraint "forgotten_terms_kind_check" check ("kind" in ('subject', 'pattern'))`,
    )
    this.addSql(`alter table "forgotten_terms" enable row level security`)
    this.addSql(`create policy "tenant" on "forgotten_terms" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `alter table "budget_reservations" add constraint "budget_reservations_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(`alter table "budget_reservations" enable row level security`)
    this.addSql(`create policy "tenant" on "budget_reservations" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "budget_reservations" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "budget_periods" add constraint "budget_periods_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(`alter table "budget_periods" enable row level security`)
    this.addSql(`create policy "tenant" on "budget_periods" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "budget_periods" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
  }
}
