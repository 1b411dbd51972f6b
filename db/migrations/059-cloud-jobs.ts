import { Migration } from '@mikro-orm/migrations'

/** 27 changes of the schema. */
export class CloudJobs extends Migration {
  override up(): void {
    this.addSql(
      `create table "training_meter" ("job_id" text not null, "number" int not null, "tenant_id" text not null, "lease_id" text not null, "kind" text not null, "gpu_ms" bigint not null, "rate_usd_micros" bigint not null, "at" timestamptz(3) not null, primary key ("job_id", "number"))`,
    )
    this.addSql(`create index "training_meter_of_tenant" on "training_meter" ("tenant_id", "job_id", "number")`)
    this.addSql(
      `create table "cloud_jobs" ("id" text not null, "tenant_id" text not null, "namespace" text not null, "recipe_id" text not null, "capture_window" text not null, "capture_from" timestamptz(3) not null, "lane" text not null, "gpu_sku" text not null, "vram_tier" text not null, "rate_usd_micros" bigint not null, "budget_usd_micros" bigint not null, "provider_key_id" text null, "base_model" text not null, "choices" json not null, "charged_to" json not null, "allows_sensitive" boolean not null, "billing_token_hash" text null, "run_id" text not null, "cancelled_at" timestamptz(3) null, "cancel_reason" text null, "error_code" text null, "error_message" text null, "created_at" timestamptz(3) not null, "settled_at" timestamptz(3) null, "idempotency_key" text null, "idempotency_credential" text null, "idempotency_body_hash" text null, primary key ("id"))`,
    )
    this.addSql(`create index "cloud_jobs_newest" on "cloud_jobs" ("tenant_id", "created_at", "id")`)
    this.addSql(`create index "cloud_jobs_waiting" on "cloud_jobs" ("id") where settled_at is null`)
    this.addSql(
      `alter table "cloud_jobs" add constraint "cloud_jobs_idempotency" unique ("tenant_id", "idempotency_key", "idempotency_credential")`,
    )
    this.addSql(
      `create table "trainer_pools" ("id" text not null, "tenant_id" text not null, "name" text not null, "gpu_sku" text not null, "vram_tier" text not null, "token_hash" text not null, "created_at" timestamptz(3) not null, "seen_at" timestamptz(3) null, primary key ("id"))`,
    )
    this.addSql(`create index "trainer_pools_of_tenant" on "trainer_pools" ("tenant_id", "created_at", "id")`)
    this.addSql(`alter table "trainer_pools" add constraint "trainer_pools_token" unique ("token_hash")`)
    this.addSql(`alter table "trainer_pools" add constraint "trainer_pools_name" unique ("tenant_id", "name")`)
    this.addSql(`alter table "rentals" drop constraint "rentals_lane_check"`)
    this.addSql(`alter table "rentals" add "gpu_sku" text null, add "vram_tier" text null, add "priority" int null`)
    this.addSql(
      `create index "rentals_of_pool" on "rentals" ("tenant_id", "gpu_sku", "vram_tier") where lane = 'pool' and ended_at is null`,
    )
    this.addSql(
      `alter table "rentals" add constraint "rentals_lane_check" check ("lane" in ('gpu_pods', 'gpu_serverless', 'gpu_vm', 'gpu_market', 'pool'))`,
    )
    this.addSql(`alter table "rental_leases" add "metered_at" timestamptz(3) null`)
    this.addSql(
      `alter table "training_meter" add constraint "training_meter_job_id_foreign" foreign key ("job_id") references "rentals" ("job_id") on delete cascade`,
    )
    this.addSql(
      `alter table "training_meter" add constraint "training_meter_kind_check" check ("kind" in ('training_reservation', 'training_run'))`,
    )
    this.addSql(`alter table "training_meter" enable row level security`)
    this.addSql(`create policy "tenant" on "training_meter" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `alter table "cloud_jobs" add constraint "cloud_jobs_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(
      `alter table "cloud_jobs" add constraint "cloud_jobs_lane_check" check ("lane" in ('gpu_pods', 'gpu_serverless', 'gpu_vm', 'gpu_market', 'pool'))`,
    )
    this.addSql(`alter table "cloud_jobs" enable row level security`)
    this.addSql(`create policy "tenant" on "cloud_jobs" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "cloud_jobs" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "trainer_pools" add constraint "trainer_pools_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(`alter table "trainer_pools" enable row level security`)
    this.addSql(`create policy "tenant" on "trainer_pools" using (tenant_id = current_setting('svc.tenant'))`)
  }
}
