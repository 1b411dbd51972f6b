import { Migration } from '@mikro-orm/migrations'

/** 2 changes of the schema. */
export class CaptureContentLeftOut extends Migration {
  override up(): void {
    this.addSql(`alter table "captures" add "content_left_out" text null`)
    this.addSql(
      `alter table "captures" add constraint "captures_content_left_out_check" check ("content_left_out" in ('storage_allowance_used', 'storage_full'))`,
    )
  }
}
