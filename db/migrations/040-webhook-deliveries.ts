import { Migration } from '@mikro-orm/migrations'

/** 10 changes of the schema. */
export class WebhookDeliveries extends Migration {
  override up(): void {
    this.addSql(
      `create table "webhook_deliveries" ("id" text not null, "tenant_id" text not null, "kind" text not null, "subject_id" text not null, "namespace" text null, "sealed_endpoint" bytea null, "state" text not null, "attempts" int not null, "last_status" int null, "error_code" text null, "created_at" timestamptz(3) not null, "due_at" timestamptz(3) null, "ended_at" timestamptz(3) null, "look_at" timestamptz(3) null, primary key ("id"))`,
    )
    this.addSql(`create index "webhook_deliveries_of_subject" on "webhook_deliveries" ("tenant_id", "subject_id")`)
    this.addSql(`create index "webhook_deliveries_newest" on "webhook_deliveries" ("tenant_id", "created_at", "id")`)
    this.addSql(
      `create index "webhook_deliveries_due" on "webhook_deliveries" ("due_at") where state = 'pending' and due_at is not null`,
    )
    this.addSql(`create index "webhook_deliveries_ended_at_index" on "webhook_deliveries" ("ended_at")`)
    this.addSql(
      `alter table "webhook_deliveries" add constraint "webhook_deliveries_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(
      `alter table "webhook_deliveries" add constraint "webhook_deliveries_state_check" check ("state" in ('pending', 'sent', 'failed', 'skipped'))`,
    )
    this.addSql(`alter table "webhook_deliveries" enable row level security`)
    this.addSql(`create policy "tenant" on "webhook_deliveries" using (tenant_id = current_setting('svc.tenant'))`)
    this.addSql(
      `create policy "namespace" on "webhook_deliveries" as restrictive using ((select current_setting('svc.namespaces')) = '' or namespace = any ((select string_to_array(current_setting('svc.namespaces'), ','))::text[]))`,
    )
  }
}
