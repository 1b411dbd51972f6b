import { Migration } from '@mikro-orm/migrations'

/**
 * Responses that are kept as turns of a conversation. Those kept before hold all turns before them, so each begins one: the defaults
 * say so, also for rows of processes of the version before. No row is rewritten, and the index starts empty.
 */
export class ResponseTurns extends Migration {
  override up(): void {
    this.addSql(`drop index "response_references_newest"`)
    this.addSql(
      `alter table "response_references" add column "root_key" bytea null, add column "parent_key" bytea null, add column "turns" int not null default 1, add column "is_deleted" boolean not null default false, add column "bytes_before" int not null default 0, add column "later_bytes" int not null default 0, alter column "expires_at" drop not null`,
    )
    this.addSql(
      `create index "response_references_turns" on "response_references" ("tenant_id", "root_key", "parent_key") where root_key is not null`,
    )
  }
}
