import { Migration } from '@mikro-orm/migrations'

const NAMESPACES = `(select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[])`

/** Certificates of forgotten captures, work that forgets many, and the time of a redaction that was asked for later. */
export class CaptureForgetting extends Migration {
  override up(): void {
    this.addSql(`alter table "capture_contents" add column "redacted_at" timestamptz(3) null`)
    this.addSql(
      `create table "capture_certificates" ("id" text not null, "tenant_id" text not null, "namespace" text not null, "capture_id" text not null, "forget_id" text null, "reason" text not null, "requested_by" text not null, "forgotten_at" timestamptz(3) not null, "certificate" json not null, primary key ("id"))`,
    )
    this.addSql(
      `alter table "capture_certificates" add constraint "capture_certificates_one_each" unique ("tenant_id", "capture_id")`,
    )
    this.addSql(
      `create index "capture_certificates_newest" on "capture_certificates" ("tenant_id", "forgotten_at", "id")`,
    )
    this.addSql(
      `create table "capture_forgets" ("id" text not null, "tenant_id" text not null, "kind" text not null, "namespace" text null, "ids" text[] null, "sought" text null, "sought_hash" bytea not null, "reason" text not null, "requested_by" text not null, "state" text not null, "reached" text not null, "forgotten" int not null, "created_at" timestamptz(3) not null, "finished_at" timestamptz(3) null, "look_at" timestamptz(3) null, primary key ("id"))`,
    )
    this.addSql(`create index "capture_forgets_newest" on "capture_forgets" ("tenant_id", "created_at", "id")`)
    this.addSql(`create index "capture_forgets_open" on "capture_forgets" ("id") where state = 'running'`)
    this.addSql(
      `alter table "capture_forgets" add constraint "capture_forgets_kind_check" check ("kind" in ('ids', 'subject', 'pattern'))`,
    )
    this.addSql(
      `alter table "capture_forgets" add constraint "capture_forgets_state_check" check ("state" in ('running', 'done'))`,
    )
    this.addSql(`alter table "capture_certificates" enable row level security`)
    this.addSql(`create policy "tenant" on "capture_certificates" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(`create policy "namespace" on "capture_certificates" as restrictive using (${NAMESPACES})`)
    this.addSql(`alter table "capture_forgets" enable row level security`)
    this.addSql(`create policy "tenant" on "capture_forgets" using (tenant_id = current_setting('svc.tenant'))`)
  }
}
