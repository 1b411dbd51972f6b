import { Migration } from '@mikro-orm/migrations'

/** Rentals of machines, their leases, and the checkpoints that outlive them. */
export class CompileRentals extends Migration {
  override up(): void {
    this.addSql(
      `create table "rental_checkpoints" ("tenant_id" text not null, "fit" text not null, "blob_sha256" text not null, "step" int not null, "kept_at" timestamptz(3) not null, primary key ("tenant_id", "fit"))`,
    )
    this.addSql(`create index "rental_checkpoints_swept" on "rental_checkpoints" ("kept_at")`)
    this.addSql(`create index "rental_checkpoints_by_blob" on "rental_checkpoints" ("blob_sha256")`)
    this.addSql(
      `create table "rentals" ("job_id" text not null, "tenant_id" text not null, "lane" text not null, "fit" text null, "budget_usd_micros" bigint not null, "rate_usd_micros" bigint not null, "quote" json not null, "provider_key_id" text null, "parameters_b" double precision not null, "tokens_per_second" double precision null, "cost_usd_micros" bigint not null, "error_code" text null, "created_at" timestamptz(3) not null, "ended_at" timestamptz(3) null, primary key ("job_id"))`,
    )
    this.addSql(`create index "rentals_of_tenant" on "rentals" ("tenant_id", "created_at", "job_id")`)
    this.addSql(`create index "rentals_open" on "rentals" ("job_id") where ended_at is null`)
    this.addSql(`create index "rentals_measured" on "rentals" ("lane", "ended_at") where tokens_per_second is not null`)
    this.addSql(
      `create table "rental_leases" ("id" text not null, "job_id" text not null, "tenant_id" text not null, "number" int not null, "machine_name" text not null, "machine_id" text null, "rate_usd_micros" bigint not null, "token_hash" text not null, "session_hash" text null, "ordered_at" timestamptz(3) not null, "opened_at" timestamptz(3) null, "seen_at" timestamptz(3) null, "progress" json null, "checkpoint_at" timestamptz(3) null, "closing_at" timestamptz(3) null, "config_sha256" text null, "weights_sha256" text null, "training_sha256" text null, "result" json null, "failure_code" text null, "ended_at" timestamptz(3) null, "cost_usd_micros" bigint not null, primary key ("id"))`,
    )
    this.addSql(
      `create index "rental_leases_by_session" on "rental_leases" ("session_hash") where session_hash is not null`,
    )
    this.addSql(`create index "rental_leases_open" on "rental_leases" ("job_id") where ended_at is null`)
    this.addSql(`create index "rental_leases_of_tenant" on "rental_leases" ("tenant_id", "job_id", "number")`)
    this.addSql(
      `create index "rental_leases_by_config" on "rental_leases" ("config_sha256") where config_sha256 is not null`,
    )
    this.addSql(
      `create index "rental_leases_by_weights" on "rental_leases" ("weights_sha256") where weights_sha256 is not null`,
    )
    this.addSql(
      `create index "rental_leases_by_training" on "rental_leases" ("training_sha256") where training_sha256 is not null`,
    )
    this.addSql(`alter table "rental_leases" add constraint "rental_leases_token" unique ("token_hash")`)
    this.addSql(`alter table "rental_leases" add constraint "rental_leases_number" unique ("job_id", "number")`)
    this.addSql(
      `alter table "rental_checkpoints" add constraint "rental_checkpoints_blob_sha256_foreign" foreign key ("blob_sha256") references "blobs" ("sha256") on delete no action`,
    )
    this.addSql(`alter table "rental_checkpoints" enable row level security`)
    this.addSql(`create policy "tenant" on "rental_checkpoints" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `alter table "rentals" add constraint "rentals_job_id_foreign" foreign key ("job_id") references "compile_jobs" ("id") on update cascade on delete cascade`,
    )
    this.addSql(
      `alter table "rentals" add constraint "rentals_lane_check" check ("lane" in ('gpu_pods', 'gpu_serverless', 'gpu_vm', 'gpu_market'))`,
    )
    this.addSql(`alter table "rentals" enable row level security`)
    this.addSql(`create policy "tenant" on "rentals" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `alter table "rental_leases" add constraint "rental_leases_job_id_foreign" foreign key ("job_id") references "rentals" ("job_id") on delete cascade`,
    )
    this.addSql(
      `alter table "rental_leases" add constraint "rental_leases_config_sha256_foreign" foreign key ("config_sha256") references "blobs" ("sha256") on delete no action`,
    )
    this.addSql(
      `alter table "rental_leases" add constraint "rental_leases_weights_sha256_foreign" foreign key ("weights_sha256") references "blobs" ("sha256") on delete no action`,
    )
    this.addSql(
      `alter table "rental_leases" add constraint "rental_leases_training_sha256_foreign" foreign key ("training_sha256") references "blobs" ("sha256") on delete no action`,
    )
    this.addSql(`alter table "rental_leases" enable row level security`)
    this.addSql(`create policy "tenant" on "rental_leases" using (tenant_id = current_setting('svc.tenant'))`)
  }
}
