import { Migration } from '@mikro-orm/migrations'

/** The captures that compiles learn from. */
export class CompileCaptures extends Migration {
  override up(): void {
    this.addSql(
      `create table "compile_captures" ("tenant_id" text not null, "job_id" text not null, "capture_id" text collate "C" not null, "seq" bigint not null, "chain_hash" bytea not null, "forgotten_at" timestamptz(3) null, "erased_at" timestamptz(3) null, primary key ("tenant_id", "job_id", "capture_id"))`,
    )
    this.addSql(`create index "compile_captures_by_capture" on "compile_captures" ("tenant_id", "capture_id")`)
    this.addSql(
      `create index "compile_captures_forgotten" on "compile_captures" ("job_id") where forgotten_at is not null`,
    )
    this.addSql(
      `create index "compile_captures_to_erase" on "compile_captures" ("job_id", "tenant_id") where forgotten_at is not null and erased_at is null`,
    )
    this.addSql(
      `alter table "compile_captures" add constraint "compile_captures_job_id_foreign" foreign key ("job_id") references "compile_jobs" ("id")`,
    )
    this.addSql(`alter table "compile_captures" enable row level security`)
    this.addSql(`create policy "tenant" on "compile_captures" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "compile_captures" as restrictive using ((select current_setting('svc.namespaces')) = '' or svc_job_within(job_id))`,
    )
  }
}
