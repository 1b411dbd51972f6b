import { Migration } from '@mikro-orm/migrations'

/** 21 changes of the schema. */
export class RowResults extends Migration {
  override up(): void {
    this.addSql(
      `create table "review_gaps" ("tenant_id" text not null, "namespace" text not null, "cluster_id" text not null, "day" text not null, "title" text not null, "score" double precision not null, "recommended" int not null, "delta" double precision not null, "samples" int not null, "artifact_id" text not null, "capture_ids" text[] not null, "fed_at" timestamptz(3) not null, primary key ("tenant_id", "namespace", "cluster_id", "day"))`,
    )
    this.addSql(`create index "review_gaps_of_artifact" on "review_gaps" ("tenant_id", "artifact_id")`)
    this.addSql(`create index "review_gaps_by_time" on "review_gaps" ("fed_at")`)
    this.addSql(
      `create table "row_results" ("artifact_id" text not null, "source" text not null, "row_id" text not null, "tenant_id" text not null, "cid" text not null, "place" int not null, "fold" int null, "result" text not null, "is_right" boolean not null, "confidence" double precision null, "category" text not null, "is_unlike" boolean null, "failed_checks" json not null, "row_hash" bytea not null, "got_hash" bytea not null, primary key ("artifact_id", "source", "row_id"))`,
    )
    this.addSql(`create index "row_results_by_cid" on "row_results" ("tenant_id", "cid", "source")`)
    this.addSql(`create index "row_results_in_order" on "row_results" ("tenant_id", "artifact_id", "source", "place")`)
    this.addSql(
      `create table "row_reports" ("artifact_id" text not null, "kind" text not null, "tenant_id" text not null, "cid" text not null, "report" json not null, "made_at" timestamptz(3) not null, primary key ("artifact_id", "kind"))`,
    )
    this.addSql(`create index "row_reports_by_cid" on "row_reports" ("tenant_id", "cid", "kind")`)
    this.addSql(`alter table "review_gaps" enable row level security`)
    this.addSql(`create policy "tenant" on "review_gaps" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "review_gaps" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "row_results" add constraint "row_results_artifact_id_foreign" foreign key ("artifact_id") references "artifacts" ("id")`,
    )
    this.addSql(
      `alter table "row_results" add constraint "row_results_result_check" check ("result" in ('right', 'wrong', 'abstained', 'recipe_failed', 'out_of_budget', 'no_candidate'))`,
    )
    this.addSql(`alter table "row_results" enable row level security`)
    this.addSql(`create policy "tenant" on "row_results" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "row_results" as restrictive using ((select current_setting('svc.namespaces')) = '' or svc_job_within(artifact_id))`,
    )
    this.addSql(
      `alter table "row_reports" add constraint "row_reports_artifact_id_foreign" foreign key ("artifact_id") references "artifacts" ("id")`,
    )
    this.addSql(
      `alter table "row_reports" add constraint "row_reports_kind_check" check ("kind" in ('diagnosis', 'failure_modes'))`,
    )
    this.addSql(`alter table "row_reports" enable row level security`)
    this.addSql(`create policy "tenant" on "row_reports" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "row_reports" as restrictive using ((select current_setting('svc.namespaces')) = '' or svc_job_within(artifact_id))`,
    )
  }
}
