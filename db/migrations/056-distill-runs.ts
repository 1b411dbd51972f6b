import { Migration } from '@mikro-orm/migrations'

/** 20 changes of the schema. */
export class DistillRuns extends Migration {
  override up(): void {
    this.addSql(
      `create table "distill_runs" ("id" text not null, "tenant_id" text not null, "namespace" text not null, "kind" text not null, "state" text not null, "stage" text not null, "request" json not null, "charged_to" json not null, "student" text null, "teacher" text null, "dataset_id" text null, "dataset_version" int null, "job_id" text not null, "counts" json not null, "manifest" json null, "put_aside" json null, "spend_micros" bigint not null, "step_count" int not null, "loss_final" double precision null, "k_final" double precision null, "event_seq" int not null, "error_code" text null, "error_message" text null, "created_at" timestamptz(3) not null, "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null, primary key ("id"))`,
    )
    this.addSql(`create index "distill_runs_newest" on "distill_runs" ("tenant_id", "created_at", "id")`)
    this.addSql(`create index "distill_runs_by_id" on "distill_runs" ("tenant_id", "id")`)
    this.addSql(`create index "distill_runs_unfinished" on "distill_runs" ("id") where finished_at is null`)
    this.addSql(
      `create index "distill_runs_of_dataset" on "distill_runs" ("tenant_id", "dataset_id") where dataset_id is not null`,
    )
    this.addSql(`create index "distill_runs_swept" on "distill_runs" ("finished_at") where finished_at is not null`)
    this.addSql(
      `create table "distill_events" ("run_id" text not null, "seq" int not null, "tenant_id" text not null, "namespace" text not null, "kind" text not null, "body" json not null, "at" timestamptz(3) not null, primary key ("run_id", "seq"))`,
    )
    this.addSql(`create index "distill_events_of_tenant" on "distill_events" ("tenant_id", "run_id", "seq")`)
    this.addSql(
      `alter table "distill_runs" add constraint "distill_runs_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(
      `alter table "distill_runs" add constraint "distill_runs_kind_check" check ("kind" in ('from_captures', 'preference', 'onpolicy', 'cloud'))`,
    )
    this.addSql(
      `alter table "distill_runs" add constraint "distill_runs_state_check" check ("state" in ('queued', 'running', 'completed', 'failed', 'cancelled'))`,
    )
    this.addSql(
      `alter table "distill_runs" add constraint "distill_runs_stage_check" check ("stage" in ('queued', 'collect', 'curate', 'label', 'train', 'evaluate', 'gate', 'publish', 'done'))`,
    )
    this.addSql(`alter table "distill_runs" enable row level security`)
    this.addSql(`create policy "tenant" on "distill_runs" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "distill_runs" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "distill_events" add constraint "distill_events_run_id_foreign" foreign key ("run_id") references "distill_runs" ("id") on delete cascade`,
    )
    this.addSql(
      `alter table "distill_events" add constraint "distill_events_kind_check" check ("kind" in ('stage', 'progress', 'spend', 'log', 'end'))`,
    )
    this.addSql(`alter table "distill_events" enable row level security`)
    this.addSql(`create policy "tenant" on "distill_events" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "distill_events" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
  }
}
