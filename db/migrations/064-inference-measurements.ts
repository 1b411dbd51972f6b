import { Migration } from '@mikro-orm/migrations'

/** The table of measurements of inference. */
export class InferenceMeasurements extends Migration {
  override up(): void {
    this.addSql(
      `create table "inference_measurements" ("id" text not null, "tenant_id" text not null, "namespace" text not null, "state" text not null, "request" json not null, "result" json null, "error_code" text null, "error_message" text null, "created_at" timestamptz(3) not null, "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null, primary key ("id"))`,
    )
    this.addSql(
      `create index "inference_measurements_newest" on "inference_measurements" ("tenant_id", "created_at", "id")`,
    )
    this.addSql(
      `create index "inference_measurements_unfinished" on "inference_measurements" ("id") where finished_at is null`,
    )
    this.addSql(
      `create index "inference_measurements_swept" on "inference_measurements" ("finished_at") where finished_at is not null`,
    )
    this.addSql(
      `alter table "inference_measurements" add constraint "inference_measurements_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(
      `alter table "inference_measurements" add constraint "inference_measurements_state_check" check ("state" in ('queued', 'running', 'succeeded', 'failed'))`,
    )
    this.addSql(`alter table "inference_measurements" enable row level security`)
    this.addSql(`create policy "tenant" on "inference_measurements" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "inference_measurements" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
  }
}
