import { Migration } from '@mikro-orm/migrations'

/**
 * 4 changes of the schema. Captures that were stored before tell what was replaced in them, and the index covers both. Forgetting
 * finds the few captures with a reason by an index.
 */
export class CaptureSensitiveClasses extends Migration {
  override up(): void {
    this.addSql(`alter table "captures" add "sensitive_classes" text[] null`)
    this.addSql(`drop index "captures_redacted"`)
    this.addSql(
      `create index "captures_sensitive" on "captures" ("tenant_id", "id") where coalesce(sensitive_classes, redaction_classes) <> '{}'`,
    )
    this.addSql(`create index "captures_with_reason" on "captures" ("tenant_id", "id") where review_reason is not null`)
  }
}
