import { Migration } from '@mikro-orm/migrations'

/** The rows of compiles with their results, and the acceptances of gated compiles. */
export class RowsAndAcceptances extends Migration {
  override up(): void {
    this.addSql(`alter table "compile_jobs" add column "rows_sha256" text null`)
    this.addSql(
      `alter table "compile_jobs" add constraint "compile_jobs_rows_sha256_foreign" foreign key ("rows_sha256") references "blobs" ("sha256") on delete no action`,
    )
    this.addSql(`create index "compile_jobs_by_rows" on "compile_jobs" ("rows_sha256")`)
    this.addSql(
      `create index "compile_jobs_with_rows" on "compile_jobs" ("status", "finished_at") where rows_sha256 is not null`,
    )
    this.addSql(
      `create table "compile_acceptances" ("job_id" text not null, "tenant_id" text not null, "state" text not null, "accepted_by" text not null, "accepted_at" timestamptz(3) not null, "k_score" double precision not null, "k_score_floor" double precision not null, "error_code" text null, "finished_at" timestamptz(3) null, "look_at" timestamptz(3) null, primary key ("job_id"))`,
    )
    this.addSql(`create index "compile_acceptances_tenant_id_index" on "compile_acceptances" ("tenant_id")`)
    this.addSql(
      `create index "compile_acceptances_pending" on "compile_acceptances" ("look_at") where state = 'pending'`,
    )
    this.addSql(
      `alter table "compile_acceptances" add constraint "compile_acceptances_job_id_foreign" foreign key ("job_id") references "compile_jobs" ("id") on update cascade on delete cascade`,
    )
    this.addSql(
      `alter table "compile_acceptances" add constraint "compile_acceptances_state_check" check ("state" in ('pending', 'signed', 'failed'))`,
    )
    this.addSql(`alter table "compile_acceptances" enable row level security`)
    this.addSql(`create policy "tenant" on "compile_acceptances" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "compile_acceptances" as restrictive using ((select current_setting('svc.namespaces')) = '' or svc_job_within(job_id))`,
    )
  }
}
