import { Migration } from '@mikro-orm/migrations'

/** Responses that are kept as turns of a conversation. Those kept before hold all turns before them, so each begins one. */
export class ResponseTurns extends Migration {
  override up(): void {
    this.addSql(
      `alter table "response_references" add column "parent_key" bytea null, add column "turns" int not null default 1, add column "is_deleted" boolean not null default false, add column "conversation_bytes" int null`,
    )
    this.addSql(`update "response_references" set "conversation_bytes" = "size_bytes"`)
    this.addSql(
      `alter table "response_references" alter column "conversation_bytes" set not null, alter column "turns" drop default, alter column "is_deleted" drop default`,
    )
    this.addSql(`drop index "response_references_newest"`)
    this.addSql(`create index "response_references_newest" on "response_references" ("tenant_id", "expires_at")`)
    this.addSql(`create index "response_references_later" on "response_references" ("tenant_id", "parent_key")`)
  }
}
