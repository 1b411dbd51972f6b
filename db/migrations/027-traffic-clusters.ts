import { Migration } from '@mikro-orm/migrations'

/** Templates of captured traffic with their figures, how far traffic was observed, and compiles of its clusters. */
export class TrafficClusters extends Migration {
  override up(): void {
    this.addSql(
      `create table "cluster_compiles" ("job_id" text not null, "tenant_id" text not null, "namespace" text not null, "signature" text not null, "created_at" timestamptz(3) not null, primary key ("job_id"))`,
    )
    this.addSql(
      `create index "cluster_compiles_of_cluster" on "cluster_compiles" ("tenant_id", "namespace", "signature", "created_at")`,
    )
    this.addSql(
      `create table "traffic_cursors" ("tenant_id" text not null, "position" bigint not null, "visited_at" timestamptz(3) not null, "look_at" timestamptz(3) not null, primary key ("tenant_id"))`,
    )
    this.addSql(`create index "traffic_cursors_due" on "traffic_cursors" ("look_at")`)
    this.addSql(
      `create table "traffic_templates" ("tenant_id" text not null, "namespace" text not null, "signature" text not null, "cluster" text not null, "exemplar_id" text not null, "sketch" bytea null, "fresh" bigint not null, "calls" bigint not null, "priced_calls" bigint not null, "stated_calls" bigint not null, "cost_micros" bigint not null, "timed_calls" bigint not null, "latency_us" bigint not null, "tried" int not null, "hits" int not null, "model" text null, "first_at" timestamptz(3) not null, "last_at" timestamptz(3) not null, "counted_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, primary key ("tenant_id", "namespace", "signature"))`,
    )
    this.addSql(
      `create index "traffic_templates_of_cluster" on "traffic_templates" ("tenant_id", "namespace", "cluster")`,
    )
    this.addSql(`create index "traffic_templates_to_count" on "traffic_templates" ("tenant_id", "counted_at")`)
    this.addSql(
      `alter table "cluster_compiles" add constraint "cluster_compiles_job_id_foreign" foreign key ("job_id") references "compile_jobs" ("id") on update cascade on delete cascade`,
    )
    this.addSql(
      `alter table "cluster_compiles" add constraint "cluster_compiles_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(`alter table "cluster_compiles" enable row level security`)
    this.addSql(`create policy "tenant" on "cluster_compiles" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "cluster_compiles" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "traffic_cursors" add constraint "traffic_cursors_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id") on update cascade on delete cascade`,
    )
    this.addSql(`alter table "traffic_cursors" enable row level security`)
    this.addSql(`create policy "tenant" on "traffic_cursors" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `alter table "traffic_templates" add constraint "traffic_templates_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(`alter table "traffic_templates" enable row level security`)
    this.addSql(`create policy "tenant" on "traffic_templates" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "traffic_templates" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
  }
}
