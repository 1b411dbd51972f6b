/** The ledger ahead of its chain, usage and the control center. */
export const RECORDS: readonly string[] = [
  `create table "audit_checkpoints" (
    "tenant_id" text not null,
    "seq" bigint not null,
    "id" text not null,
    "hash" text not null,
    "at" timestamptz(3) not null,
    "kid" text not null,
    "signature" text not null,
    "plan" text not null,
    "pruned_through_at" timestamptz(3) null,
    primary key ("tenant_id", "seq")
  )`,
  `alter table "audit_checkpoints" add constraint "audit_checkpoints_id_unique" unique ("id")`,
  `alter table "audit_checkpoints" add constraint "audit_checkpoints_plan_check" check ("plan" in ('free', 'starter', 'pro', 'teams', 'business', 'enterprise'))`,
  `create index "audit_entries_by_time" on "audit_entries" ("tenant_id", "at", "id")`,
  `create index "concepts_by_id" on "concepts" ("tenant_id", "id")`,
  `create index "audit_entries_newest" on "audit_entries" ("at", "id")`,
  `create table "build_receipts" (
    "artifact_id" text not null,
    "tenant_id" text not null,
    "receipt" json not null,
    "created_at" timestamptz(3) not null,
    primary key ("artifact_id")
  )`,
  `create index "build_receipts_tenant_id_index" on "build_receipts" ("tenant_id")`,
  `create index "build_receipts_by_artifact" on "build_receipts" ((receipt ->> 'artifact_hash'))`,
  `create table "snoozes" (
    "tenant_id" text not null,
    "dismiss_key" text not null,
    "until" timestamptz(3) not null,
    "created_at" timestamptz(3) not null,
    primary key ("tenant_id", "dismiss_key")
  )`,
  `create table "usage_days" (
    "tenant_id" text not null,
    "day" text not null,
    "unit" text not null,
    "namespace" text not null,
    "team_id" text not null,
    "member_id" text not null,
    "quantity" bigint not null,
    "cost_usd_micros" bigint not null,
    "latency_sum_us" bigint not null,
    primary key ("tenant_id", "day", "unit", "namespace", "team_id", "member_id")
  )`,
  `create index "usage_days_tenant_id_team_id_day_index" on "usage_days" ("tenant_id", "team_id", "day")`,
  `create table "call_totals" (
    "tenant_id" text not null,
    "calls" bigint not null,
    "cache_hits" bigint not null,
    "failures" bigint not null,
    "latency_sum_us" bigint not null,
    "buckets" bigint[] not null,
    primary key ("tenant_id")
  )`,
  `create table "unit_totals" (
    "tenant_id" text not null,
    "unit" text not null,
    "quantity" bigint not null,
    primary key ("tenant_id", "unit")
  )`,
  `create table "control_events" (
    "id" text not null,
    "tenant_id" text not null,
    "source_id" text not null,
    "namespace" text not null,
    "envelope" json not null,
    "content" json not null,
    "receipt" json not null,
    "at" timestamptz(3) not null,
    primary key ("id")
  )`,
  `create index "control_events_newest" on "control_events" ("tenant_id", "at", "id")`,
  `create index "control_events_by_namespace" on "control_events" ("tenant_id", "namespace", "at", "source_id")`,
  `create index "control_events_redacted" on "control_events" ("tenant_id", "at", "namespace") where envelope ->> 'redaction_result' like 'redacted:%'`,
  `create index "control_events_by_age" on "control_events" ("at")`,
  `create table "adapter_manifests" (
    "id" text not null,
    "tenant_id" text not null,
    "adapter_id" text not null,
    "version" text not null,
    "hash" text not null,
    "manifest" json not null,
    "report" json not null,
    "created_at" timestamptz(3) not null,
    primary key ("id")
  )`,
  `alter table "adapter_manifests" add constraint "adapter_manifests_one_version" unique ("tenant_id", "adapter_id", "version")`,
  `create table "export_declarations" (
    "id" text not null,
    "tenant_id" text not null,
    "destination_id" text not null,
    "destination_class" text not null,
    "state" text not null,
    "ledger" json not null,
    "created_at" timestamptz(3) not null,
    primary key ("id")
  )`,
  `create index "export_declarations_newest" on "export_declarations" ("tenant_id", "created_at", "id")`,
  `alter table "export_declarations" add constraint "export_declarations_state_check" check ("state" in ('declared'))`,
  `create table "share_links" (
    "id" text not null,
    "tenant_id" text not null,
    "kind" text not null,
    "target_id" text not null,
    "created_by" text not null,
    "created_at" timestamptz(3) not null,
    "expires_at" timestamptz(3) not null,
    "revoked_at" timestamptz(3) null,
    "opened_count" int not null,
    primary key ("id")
  )`,
  `create index "share_links_newest" on "share_links" ("tenant_id", "created_at", "id")`,
  `create index "share_links_expires_at_index" on "share_links" ("expires_at")`,
  `alter table "share_links" add constraint "share_links_kind_check" check ("kind" in ('artifact', 'report'))`,
  `create table "workflow_starts" (
    "workflow_id" text not null,
    "family" text not null,
    "tenant_id" text null,
    "version" int not null,
    "attempts" int not null,
    "created_at" timestamptz(3) not null,
    "due_at" timestamptz(3) not null,
    primary key ("workflow_id")
  )`,
  `create index "workflow_starts_due_at_index" on "workflow_starts" ("due_at")`,
  `create index "workflow_starts_tenant_id_index" on "workflow_starts" ("tenant_id")`,
  `alter table "audit_checkpoints" add constraint "audit_checkpoints_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
  `alter table "build_receipts" add constraint "build_receipts_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
  `alter table "snoozes" add constraint "snoozes_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
  `alter table "usage_days" add constraint "usage_days_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
  `alter table "call_totals" add constraint "call_totals_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id") on update cascade on delete cascade`,
  `alter table "unit_totals" add constraint "unit_totals_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
  `alter table "control_events" add constraint "control_events_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
  `alter table "adapter_manifests" add constraint "adapter_manifests_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
  `alter table "export_declarations" add constraint "export_declarations_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
  `alter table "share_links" add constraint "share_links_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
  `alter table "workflow_starts" add constraint "workflow_starts_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id") on delete no action`,
  // Counts so far, by the bounds of `countsByBound`.
  `insert into "call_totals" ("tenant_id", "calls", "cache_hits", "failures", "latency_sum_us", "buckets")
   select tenant_id, sum(calls), sum(cache_hits), sum(failures), sum(latency_sum_us), array(
     select coalesce(sum(calls), 0)::bigint from generate_series(0, 11) as bound
     left join (
       select b.calls, width_bucket(power(2, place / 8.0)::float8, '{5e3,1e4,25e3,5e4,1e5,25e4,5e5,1e6,25e5,5e6,1e7}'::float8[]) as bound
       from invocation_stats own, unnest(own.buckets) with ordinality as b(calls, place)
       where own.tenant_id = stats.tenant_id) counted using (bound)
     group by bound order by bound)
   from invocation_stats stats group by tenant_id`,
]
