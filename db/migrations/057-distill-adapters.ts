import { Migration } from '@mikro-orm/migrations'

/** 9 changes of the schema. */
export class DistillAdapters extends Migration {
  override up(): void {
    this.addSql(
      `create table "distill_samples" ("run_id" text not null, "row_id" text not null, "ordinal" int not null, "tenant_id" text not null, "text" text not null, "finish" text not null, "cost_micros" bigint not null, primary key ("run_id", "row_id", "ordinal"))`,
    )
    this.addSql(`create index "distill_samples_tenant_id_index" on "distill_samples" ("tenant_id")`)
    this.addSql(`alter table "distill_runs" add "adapter_sha256" text null`)
    this.addSql(
      `alter table "distill_runs" add constraint "distill_runs_adapter_sha256_foreign" foreign key ("adapter_sha256") references "blobs" ("sha256") on delete no action`,
    )
    this.addSql(
      `create index "distill_runs_by_adapter" on "distill_runs" ("adapter_sha256") where adapter_sha256 is not null`,
    )
    this.addSql(
      `alter table "distill_samples" add constraint "distill_samples_run_id_foreign" foreign key ("run_id") references "distill_runs" ("id") on delete cascade`,
    )
    this.addSql(
      `alter table "distill_samples" add constraint "distill_samples_finish_check" check ("finish" in ('stop', 'length', 'refusal', 'other'))`,
    )
    this.addSql(`alter table "distill_samples" enable row level security`)
    this.addSql(`create policy "tenant" on "distill_samples" using (tenant_id = current_setting('svc.tenant'))`)
  }
}
