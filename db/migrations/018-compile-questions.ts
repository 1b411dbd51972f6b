import { Migration } from '@mikro-orm/migrations'

/** Questions of compiles, with their answers. */
export class CompileQuestions extends Migration {
  override up(): void {
    this.addSql(
      `create table "compile_questions" ("job_id" text not null, "number" int not null, "tenant_id" text not null, "state" text not null, "input" json not null, "reason" text not null, "answers" json not null, "unanswered" double precision not null, "given" json null, "asked_at" timestamptz(3) not null, "answer_by" timestamptz(3) not null, "answered_at" timestamptz(3) null, primary key ("job_id", "number"))`,
    )
    this.addSql(`create index "compile_questions_tenant_id_index" on "compile_questions" ("tenant_id")`)
    this.addSql(`create index "compile_questions_asked_at_index" on "compile_questions" ("asked_at")`)
    this.addSql(
      `alter table "compile_questions" add constraint "compile_questions_job_id_foreign" foreign key ("job_id") references "compile_jobs" ("id")`,
    )
    this.addSql(
      `alter table "compile_questions" add constraint "compile_questions_state_check" check ("state" in ('open', 'answered', 'skipped', 'invalid_input', 'expired'))`,
    )
    this.addSql(`alter table "compile_questions" enable row level security`)
    this.addSql(`create policy "tenant" on "compile_questions" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "compile_questions" as restrictive using ((select current_setting('svc.namespaces')) = '' or svc_job_within(job_id))`,
    )
  }
}
