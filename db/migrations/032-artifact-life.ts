import { Migration } from '@mikro-orm/migrations'

/** The life of artifacts: transitions, flags on what is built on revoked ones, and the public list of these. */
export class ArtifactLife extends Migration {
  override up(): void {
    this.addSql(
      `create table "revocations" ("number" bigint not null, "cid" text not null, "artifact_hash" text not null, "revoked_at" timestamptz(3) not null, primary key ("number"))`,
    )
    this.addSql(`alter table "revocations" add constraint "revocations_artifact_hash_unique" unique ("artifact_hash")`)
    this.addSql(
      `create table "artifact_transitions" ("artifact_id" text not null, "position" int not null, "tenant_id" text not null, "from_state" text not null, "to_state" text not null, "actor" text not null, "reason" text null, "evidence_id" text null, "successor_id" text null, "at" timestamptz(3) not null, "effects_at" timestamptz(3) null, "look_at" timestamptz(3) null, primary key ("artifact_id", "position"))`,
    )
    this.addSql(
      `create index "artifact_transitions_tenant_id_artifact_id_position_index" on "artifact_transitions" ("tenant_id", "artifact_id", "position")`,
    )
    this.addSql(
      `create index "artifact_transitions_pending" on "artifact_transitions" ("look_at") where effects_at is null`,
    )
    this.addSql(
      `create table "artifact_reviews" ("artifact_id" text not null, "source_id" text not null, "tenant_id" text not null, "at" timestamptz(3) not null, primary key ("artifact_id", "source_id"))`,
    )
    this.addSql(
      `create index "artifact_reviews_tenant_id_artifact_id_source_id_index" on "artifact_reviews" ("tenant_id", "artifact_id", "source_id")`,
    )
    this.addSql(
      `alter table "artifact_transitions" add constraint "artifact_transitions_artifact_id_foreign" foreign key ("artifact_id") references "artifacts" ("id")`,
    )
    this.addSql(
      `alter table "artifact_transitions" add constraint "artifact_transitions_from_state_check" check ("from_state" in ('signed', 'deployed', 'undeployed', 'monitored', 'drift_detected', 're_evaluated', 'superseded', 'revoked', 'archived'))`,
    )
    this.addSql(
      `alter table "artifact_transitions" add constraint "artifact_transitions_to_state_check" check ("to_state" in ('signed', 'deployed', 'undeployed', 'monitored', 'drift_detected', 're_evaluated', 'superseded', 'revoked', 'archived'))`,
    )
    this.addSql(`alter table "artifact_transitions" enable row level security`)
    this.addSql(`create policy "tenant" on "artifact_transitions" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "artifact_transitions" as restrictive using ((select current_setting('svc.namespaces')) = '' or svc_job_within(artifact_id))`,
    )
    this.addSql(
      `alter table "artifact_reviews" add constraint "artifact_reviews_artifact_id_foreign" foreign key ("artifact_id") references "artifacts" ("id")`,
    )
    this.addSql(`alter table "artifact_reviews" enable row level security`)
    this.addSql(`create policy "tenant" on "artifact_reviews" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "artifact_reviews" as restrictive using ((select current_setting('svc.namespaces')) = '' or svc_job_within(artifact_id))`,
    )
  }
}
