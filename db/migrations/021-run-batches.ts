import { Migration } from '@mikro-orm/migrations'

/** Batches of runs: what is settled of each, so that it can be continued. */
export class RunBatches extends Migration {
  override up(): void {
    this.addSql(
      `create table "run_batches" ("id" text not null, "tenant_id" text not null, "concept_id" text not null, "version_id" text not null, "key" text null, "credential" text null, "input_hash" text not null, "request_hash" text not null, "format" text not null, "receipts" text not null, "state" text not null, "stop_code" text null, "epoch" int not null, "rows" int not null, "settled_rows" int not null, "units" bigint not null, "answered" int not null, "abstained" int not null, "unlike" int not null, "errors" int not null, "marks" json not null, "receipt" json null, "created_at" timestamptz(3) not null, "touched_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "run_batches_newest" on "run_batches" ("tenant_id", "created_at", "id")`)
    this.addSql(`create index "run_batches_touched_at_index" on "run_batches" ("touched_at")`)
    this.addSql(
      `create unique index "run_batches_one_key" on "run_batches" ("tenant_id", "credential", "key") where key is not null`,
    )
    this.addSql(
      `alter table "run_batches" add constraint "run_batches_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(
      `alter table "run_batches" add constraint "run_batches_format_check" check ("format" in ('jsonl', 'csv'))`,
    )
    this.addSql(
      `alter table "run_batches" add constraint "run_batches_receipts_check" check ("receipts" in ('batch', 'rows'))`,
    )
    this.addSql(
      `alter table "run_batches" add constraint "run_batches_state_check" check ("state" in ('running', 'stopped', 'done'))`,
    )
    this.addSql(`alter table "run_batches" enable row level security`)
    this.addSql(`create policy "tenant" on "run_batches" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "run_batches" as restrictive using ((select current_setting('svc.namespaces')) = '' or svc_version_within(version_id))`,
    )
  }
}
