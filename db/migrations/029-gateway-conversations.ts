import { Migration } from '@mikro-orm/migrations'

/** 7 changes of the schema. */
export class GatewayConversations extends Migration {
  override up(): void {
    this.addSql(
      `create table "conversations" ("tenant_id" text not null, "id" text not null, "title" text not null, "model" text not null, "device" text null, "messages" json null, "message_count" int not null, "size_bytes" bigint not null, "preview" text not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "client_updated_at" timestamptz(3) not null, "deleted_at" timestamptz(3) null, primary key ("tenant_id", "id"))`,
    )
    this.addSql(`create index "conversations_newest" on "conversations" ("tenant_id", "updated_at", "id")`)
    this.addSql(`create index "conversations_deleted" on "conversations" ("deleted_at") where deleted_at is not null`)
    this.addSql(`alter table "capture_forgets" add "conversations" int not null default 0`)
    this.addSql(
      `alter table "conversations" add constraint "conversations_tenant_id_foreign" foreign key ("tenant_id") references "tenants" ("id")`,
    )
    this.addSql(`alter table "conversations" enable row level security`)
    this.addSql(`create policy "tenant" on "conversations" using (tenant_id = current_setting('svc.tenant'))`)
  }
}
