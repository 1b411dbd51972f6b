import { Migration } from '@mikro-orm/migrations'

/** Sums of calls by day, copyright flags and licences, wishes for connectors, errors of browsers. */
export class GatewayCatalogs extends Migration {
  override up(): void {
    this.addSql(
      `create table "capture_days" ("tenant_id" text not null, "day" text not null, "namespace" text not null, "provider" text not null, "is_local" boolean not null, "reason" text not null, "calls" bigint not null, "failed" bigint not null, "interrupted" bigint not null, "cost_micros" bigint not null, "unpriced" bigint not null, "saved_micros" bigint not null, "saved_unknown" bigint not null, "hits" bigint not null, "hit_saved_micros" bigint not null, "hit_unknown" bigint not null, "confidence_sum" double precision not null, "confident" bigint not null, primary key ("tenant_id", "day", "namespace", "provider", "is_local", "reason"))`,
    )
    this.addSql(
      `create table "capture_measures" ("tenant_id" text not null, "day" text not null, "namespace" text not null, "provider" text not null, "measure" text not null, "bucket" int not null, "calls" bigint not null, primary key ("tenant_id", "day", "namespace", "provider", "measure", "bucket"))`,
    )
    this.addSql(`create index "capture_days_swept" on "capture_days" ("day")`)
    this.addSql(`create index "capture_measures_swept" on "capture_measures" ("day")`)
    this.addSql(
      `create table "client_errors" ("day" text not null, "fingerprint" bytea not null, "message" text not null, "source" text null, "line" int null, "col" int null, "stack" text null, "path" text null, "agent" text null, "reports" bigint not null, "first_at" timestamptz(3) not null, "last_at" timestamptz(3) not null, primary key ("day", "fingerprint"))`,
    )
    this.addSql(`create index "client_errors_newest" on "client_errors" ("last_at")`)
    this.addSql(
      `create table "copyright_flags" ("capture_id" text collate "C" not null, "tenant_id" text not null, "namespace" text not null, "scanned_at" timestamptz(3) not null, "risk" double precision not null, "input_risk" double precision not null, "output_risk" double precision not null, "hits" json not null, "hit_count" int not null, "version" text not null, primary key ("capture_id"))`,
    )
    this.addSql(
      `create index "copyright_flags_of_namespace" on "copyright_flags" ("tenant_id", "namespace", "capture_id")`,
    )
    this.addSql(
      `create table "copyright_allowlists" ("tenant_id" text not null, "entries" json not null, "updated_at" timestamptz(3) not null, primary key ("tenant_id"))`,
    )
    this.addSql(
      `create table "connector_interests" ("tenant_id" text not null, "connector" text not null, "email" text not null, "created_at" timestamptz(3) not null, primary key ("tenant_id", "connector", "email"))`,
    )
    this.addSql(
      `alter table "capture_heads" add "counted" bigint not null default '0', add "scanned" bigint not null default '0'`,
    )
    this.addSql(`alter table "capture_days" enable row level security`)
    this.addSql(`create policy "tenant" on "capture_days" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "capture_days" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "capture_measures" add constraint "capture_measures_measure_check" check ("measure" in ('latency', 'first_content', 'failed_attempt'))`,
    )
    this.addSql(`alter table "capture_measures" enable row level security`)
    this.addSql(`create policy "tenant" on "capture_measures" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "capture_measures" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(`alter table "copyright_flags" enable row level security`)
    this.addSql(`create policy "tenant" on "copyright_flags" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "copyright_flags" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "copyright_allowlists" add constraint "copyright_allowlists_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id") on update cascade on delete cascade`,
    )
    this.addSql(`alter table "copyright_allowlists" enable row level security`)
    this.addSql(`create policy "tenant" on "copyright_allowlists" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `alter table "connector_interests" add constraint "connector_interests_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(`alter table "connector_interests" enable row level security`)
    this.addSql(`create policy "tenant" on "connector_interests" using (tenant_id = current_setting('svc.tenant'))`)
  }
}
