import { Migration } from '@mikro-orm/migrations'

/** 6 changes of the schema. */
export class VersionSketches extends Migration {
  override up(): void {
    this.addSql(
      `create table "version_sketches" ("artifact_id" text not null, "tenant_id" text not null, "sketch" bytea not null, "created_at" timestamptz(3) not null, primary key ("artifact_id"))`,
    )
    this.addSql(
      `create index "version_sketches_tenant_id_artifact_id_index" on "version_sketches" ("tenant_id", "artifact_id")`,
    )
    this.addSql(
      `alter table "version_sketches" add constraint "version_sketches_artifact_id_foreign" foreign key ("artifact_id") references "artifacts" ("id") on update cascade on delete cascade`,
    )
    this.addSql(`alter table "version_sketches" enable row level security`)
    this.addSql(`create policy "tenant" on "version_sketches" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "version_sketches" as restrictive using ((select current_setting('svc.namespaces')) = '' or svc_job_within(artifact_id))`,
    )
  }
}
