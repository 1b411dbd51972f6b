import { Migration } from '@mikro-orm/migrations'

/** 2 changes of the schema. */
export class CaptureInlineBytes extends Migration {
  override up(): void {
    this.addSql(`alter table "capture_contents" add "inline_bytes" bigint null`)
    this.addSql(`alter table "capture_heads" add "inline_bytes" bigint not null default '0'`)
  }
}
