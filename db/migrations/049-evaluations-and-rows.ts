import { Migration } from '@mikro-orm/migrations'

/** Evaluations with their rows. */
export class EvaluationsAndRows extends Migration {
  override up(): void {
    this.addSql(
      `create table "evaluations" ("id" text not null, "tenant_id" text not null, "namespace" text not null, "name" text not null, "state" text not null, "definition" json not null, "data_hash" bytea not null, "row_count" int not null, "scored_count" int not null, "cut_tokens" bigint not null, "summary" json null, "error_code" text null, "error_message" text null, "created_at" timestamptz(3) not null, "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null, primary key ("id"))`,
    )
    this.addSql(`create index "evaluations_newest" on "evaluations" ("tenant_id", "created_at", "id")`)
    this.addSql(`create index "evaluations_unfinished" on "evaluations" ("id") where finished_at is null`)
    this.addSql(`create index "evaluations_swept" on "evaluations" ("finished_at") where finished_at is not null`)
    this.addSql(
      `create table "evaluation_rows" ("evaluation_id" text not null, "place" int not null, "tenant_id" text not null, "namespace" text not null, "task" text not null, "row_hash" bytea not null, "sample" json not null, "outcome" json null, "is_right" boolean null, "scored_at" timestamptz(3) null, primary key ("evaluation_id", "place"))`,
    )
    this.addSql(`create index "evaluation_rows_of_tenant" on "evaluation_rows" ("tenant_id", "evaluation_id", "place")`)
    this.addSql(
      `create index "evaluation_rows_waiting" on "evaluation_rows" ("evaluation_id", "place") where scored_at is null`,
    )
    this.addSql(
      `alter table "evaluations" add constraint "evaluations_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(
      `alter table "evaluations" add constraint "evaluations_state_check" check ("state" in ('queued', 'running', 'succeeded', 'failed'))`,
    )
    this.addSql(`alter table "evaluations" enable row level security`)
    this.addSql(`create policy "tenant" on "evaluations" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "evaluations" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "evaluation_rows" add constraint "evaluation_rows_evaluation_id_foreign" foreign key ("evaluation_id") references "evaluations" ("id") on delete cascade`,
    )
    this.addSql(`alter table "evaluation_rows" enable row level security`)
    this.addSql(`create policy "tenant" on "evaluation_rows" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "evaluation_rows" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
  }
}
