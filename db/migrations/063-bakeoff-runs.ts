import { Migration } from '@mikro-orm/migrations'

/** The tables of bake-offs. */
export class BakeoffRuns extends Migration {
  override up(): void {
    this.addSql(
      `create table "bakeoffs" ("id" text not null, "tenant_id" text not null, "namespace" text not null, "state" text not null, "dataset_id" text not null, "dataset_version" int not null, "merkle_root" text not null, "definition" json not null, "row_count" int not null, "train_count" int not null, "summary" json null, "error_code" text null, "error_message" text null, "created_at" timestamptz(3) not null, "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null, primary key ("id"))`,
    )
    this.addSql(`create index "bakeoffs_newest" on "bakeoffs" ("tenant_id", "created_at", "id")`)
    this.addSql(`create index "bakeoffs_unfinished" on "bakeoffs" ("id") where finished_at is null`)
    this.addSql(`create index "bakeoffs_swept" on "bakeoffs" ("finished_at") where finished_at is not null`)
    this.addSql(
      `create table "bakeoff_preferences" ("bakeoff_id" text not null, "place" int not null, "first" int not null, "second" int not null, "tenant_id" text not null, "namespace" text not null, "won" double precision null, "cost" json not null, "judged_at" timestamptz(3) not null, primary key ("bakeoff_id", "place", "first", "second"))`,
    )
    this.addSql(
      `create index "bakeoff_preferences_of_tenant" on "bakeoff_preferences" ("tenant_id", "bakeoff_id", "place", "first", "second")`,
    )
    this.addSql(
      `create table "bakeoff_contestants" ("bakeoff_id" text not null, "contestant" int not null, "tenant_id" text not null, "namespace" text not null, "name" text not null, "kind" text not null, "answered_count" int not null, "facts" json null, "figures" json null, "error_code" text null, "error_message" text null, primary key ("bakeoff_id", "contestant"))`,
    )
    this.addSql(
      `create index "bakeoff_contestants_of_tenant" on "bakeoff_contestants" ("tenant_id", "bakeoff_id", "contestant")`,
    )
    this.addSql(
      `create table "bakeoff_answers" ("bakeoff_id" text not null, "contestant" int not null, "place" int not null, "tenant_id" text not null, "namespace" text not null, "row_group" int not null, "output" json null, "silence" text null, "is_right" boolean not null, "score" double precision not null, "cost" json not null, "answered_at" timestamptz(3) not null, primary key ("bakeoff_id", "contestant", "place"))`,
    )
    this.addSql(
      `create index "bakeoff_answers_of_tenant" on "bakeoff_answers" ("tenant_id", "bakeoff_id", "contestant", "place")`,
    )
    this.addSql(
      `alter table "bakeoffs" add constraint "bakeoffs_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(
      `alter table "bakeoffs" add constraint "bakeoffs_state_check" check ("state" in ('queued', 'running', 'succeeded', 'failed'))`,
    )
    this.addSql(`alter table "bakeoffs" enable row level security`)
    this.addSql(`create policy "tenant" on "bakeoffs" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "bakeoffs" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "bakeoff_preferences" add constraint "bakeoff_preferences_bakeoff_id_foreign" foreign key ("bakeoff_id") references "bakeoffs" ("id") on delete cascade`,
    )
    this.addSql(`alter table "bakeoff_preferences" enable row level security`)
    this.addSql(`create policy "tenant" on "bakeoff_preferences" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "bakeoff_preferences" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "bakeoff_contestants" add constraint "bakeoff_contestants_bakeoff_id_foreign" foreign key ("bakeoff_id") references "bakeoffs" ("id") on delete cascade`,
    )
    this.addSql(
      `alter table "bakeoff_contestants" add constraint "bakeoff_contestants_kind_check" check ("kind" in ('cache', 'rule', 'classifier', 'artifact', 'base', 'prompt_only', 'few_shot'))`,
    )
    this.addSql(`alter table "bakeoff_contestants" enable row level security`)
    this.addSql(`create policy "tenant" on "bakeoff_contestants" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "bakeoff_contestants" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
    this.addSql(
      `alter table "bakeoff_answers" add constraint "bakeoff_answers_bakeoff_id_foreign" foreign key ("bakeoff_id") references "bakeoffs" ("id") on delete cascade`,
    )
    this.addSql(
      `alter table "bakeoff_answers" add constraint "bakeoff_answers_silence_check" check ("silence" in ('abstained', 'recipe_failed', 'refused', 'not_json'))`,
    )
    this.addSql(`alter table "bakeoff_answers" enable row level security`)
    this.addSql(`create policy "tenant" on "bakeoff_answers" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "bakeoff_answers" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
  }
}
